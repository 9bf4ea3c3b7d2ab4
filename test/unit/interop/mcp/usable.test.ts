import assert from 'node:assert/strict';
import type { Tool } from '@modelcontextprotocol/client';
import { usable } from '../../../../src/interop/mcp/usable';

const tool = (name: string, more: object = {}): Tool => ({ name, inputSchema: { type: 'object', ...more } });

describe('tools of a server that cannot be offered', () => {
  it('are left out: a second one of a name, none or a broken name, a schema too deep to be sent', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`) as object;
    const given = [
      tool('t', { title: 'first' }),
      tool('t', { title: 'second' }),
      tool(''),
      tool('a\nb'),
      tool('x'.repeat(200)),
      tool('deep', { properties: deep }),
      { ...tool('task'), execution: { taskSupport: 'required' } } as Tool,
      tool('__proto__'),
      tool('a b/c.d'),
    ];
    const kept = usable(given);
    assert.deepEqual(
      kept.map(({ name }) => name),
      ['t', '__proto__', 'a b/c.d'],
    );
    assert.equal(kept[0]?.inputSchema['title'], 'first');
  });

  it('are left out beyond a number and a size; a small one still fits behind a large one', () => {
    const many = Array.from({ length: 3000 }, (_, i) => tool(`t${i}`));
    assert.equal(usable(many).length, 512);
    const long = Array.from({ length: 20 }, (_, i) => tool(`t${i}`, { title: 'x'.repeat(150_000) }));
    const kept = usable([...long, tool('small')]);
    assert.deepEqual(
      kept.map(({ name }) => name),
      ['t0', 't1', 't2', 't3', 't4', 't5', 'small'],
    );
    assert.equal(usable([{ ...tool('said'), description: 'y'.repeat(100_000) }])[0]?.description?.length, 2000);
    assert.equal(usable([{ ...tool('titled'), title: 'Its title' }])[0]?.description, 'Its title');
  });
});
