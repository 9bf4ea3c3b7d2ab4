import assert from 'node:assert/strict';
import { appended, draftOf, foldedAtOnce, replaced } from '../../../../src/core/run/lists';

describe('lists of a state', () => {
  it('are new ones after each change, so that a state shown before stays what it was', () => {
    const before = ['a'];
    const after = appended(before, 'b');
    assert.deepEqual(replaced(after, 0, 'c'), ['c', 'b']);
    assert.deepEqual([before, after], [['a'], ['a', 'b']]);
  });

  it('grow in place within one fold, and only those that the fold has made', () => {
    const given = ['a'];
    const [first, second, third] = foldedAtOnce(() => {
      const one = appended(given, 'b');
      return [one, appended(one, 'c'), replaced(one, 0, 'd')];
    });
    assert.equal(first, second);
    assert.equal(first, third);
    assert.deepEqual([given, first], [['a'], ['d', 'b', 'c']]);
    assert.notEqual(appended(first ?? [], 'e'), first, 'the fold is over');
  });

  it('states too are changed in place within one fold, never the one that was given', () => {
    const given = { seq: 1 };
    const [first, second] = foldedAtOnce(() => {
      const one = draftOf(given);
      one.seq = 2;
      return [one, draftOf(one)];
    });
    assert.equal(first, second);
    assert.deepEqual([given, first], [{ seq: 1 }, { seq: 2 }]);
    assert.notEqual(draftOf(first ?? given), first, 'the fold is over');
  });

  it('are let go where the fold throws', () => {
    const made: string[][] = [];
    assert.throws(() =>
      foldedAtOnce(() => {
        made.push(appended<string>([], 'a'));
        throw new Error('out');
      }),
    );
    assert.notEqual(appended(made[0] ?? [], 'b'), made[0]);
  });
});
