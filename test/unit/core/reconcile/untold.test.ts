import assert from 'node:assert/strict';
import { joined } from '../../../../src/core/reconcile/untold';
import type { TreeChange, TreeLook } from '../../../../src/core/tree';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const look = (changes: Record<string, TreeChange['kind']>, former: Record<string, string>, more = {}): TreeLook => ({
  first: false,
  changes: Object.entries(changes).map(([path, kind], at) => ({ path, kind, size: 1, ctimeMs: at })),
  loose: [],
  before: (paths) =>
    Promise.resolve(new Map(paths.flatMap((p) => (former[p] === undefined ? [] : [[p, bytes(former[p])]])))),
  ...more,
});

describe('two looks as one', () => {
  it('tells each file once, as it changed from before the first', () => {
    const first = look({ a: 'created', b: 'created', c: 'deleted', d: 'changed', e: 'changed' }, {});
    const then = look({ a: 'changed', b: 'deleted', c: 'created', d: 'deleted', f: 'created' }, {});
    assert.deepEqual(
      joined(first, then).changes.map(({ path, kind }) => `${kind} ${path}`),
      ['created a', 'changed c', 'deleted d', 'changed e', 'created f'],
    );
  });

  it('the former bytes are those of before the first look that saw the file change', async () => {
    const both = joined(look({ a: 'changed' }, { a: '1' }), look({ a: 'changed', b: 'changed' }, { a: '2', b: '2' }));
    const former = await both.before(['a', 'b', 'c']);
    assert.deepEqual([...former].map(([path, text]) => `${path}${new TextDecoder().decode(text)}`).sort(), [
      'a1',
      'b2',
    ]);
  });

  it('is the first where one of them was, and as complete as the last', () => {
    const both = joined(look({}, {}, { first: true, partial: 'no time' }), look({}, {}));
    assert.equal(both.first, true);
    assert.equal(both.partial, undefined);
  });
});
