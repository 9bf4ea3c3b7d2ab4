import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CallCollector, type CallDelta } from '../../../src/models/openai/calls';
import { ask, delta, openAi, streaming } from './wire';

const SEED = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** How a server marks the pieces of its calls. */
type Style =
  'proper' | 'sameIndex' | 'sameIndexNoIds' | 'noIndex' | 'sameIdAndIndex' | 'everything' | 'newIds' | 'wholeNoMarks';

function send(calls: readonly { name: string; args: string }[], style: Style, pieces: number): CallDelta[] {
  const deltas: CallDelta[] = [];
  for (const [i, call] of calls.entries()) {
    const id =
      style === 'sameIndexNoIds' || style === 'wholeNoMarks'
        ? undefined
        : style === 'sameIdAndIndex'
          ? 'same'
          : `id${i}`;
    const index =
      style === 'noIndex' || style === 'wholeNoMarks'
        ? undefined
        : ['proper', 'everything', 'newIds'].includes(style)
          ? i
          : 0;
    const size = style === 'wholeNoMarks' ? call.args.length : Math.max(1, Math.ceil(call.args.length / pieces));
    const parts: string[] = [];
    for (let at = 0; at < call.args.length; at += size) parts.push(call.args.slice(at, at + size));
    const mark = (piece: CallDelta, first: boolean, n: number): CallDelta => ({
      ...piece,
      ...(index === undefined ? {} : { index }),
      ...(id !== undefined && (first || style === 'everything') ? { id } : {}),
      ...(style === 'newIds' && !first ? { id: `${id}-${n}` } : {}),
    });
    if (style === 'wholeNoMarks') deltas.push({ function: { name: call.name, arguments: call.args } });
    else deltas.push(mark({ function: { name: call.name, arguments: '' } }, true, 0));
    if (style === 'wholeNoMarks') continue;
    for (const [n, part] of parts.entries()) {
      deltas.push(
        mark(
          { function: style === 'everything' ? { name: call.name, arguments: part } : { arguments: part } },
          false,
          n,
        ),
      );
    }
  }
  return deltas;
}

const STYLES: Style[] = [
  'proper',
  'sameIndex',
  'sameIndexNoIds',
  'noIndex',
  'sameIdAndIndex',
  'everything',
  'newIds',
  'wholeNoMarks',
];
const anyCalls = fc.array(
  fc.record({
    name: fc.constantFrom('read_file', 'edit_file', 'run_command'),
    args: fc
      .dictionary(fc.string({ minLength: 1 }), fc.jsonValue(), { minKeys: 1, maxKeys: 3 })
      .map((value) => JSON.stringify(value)),
  }),
  { minLength: 1, maxLength: 5 },
);

describe('tool calls in pieces', () => {
  for (const style of STYLES) {
    it(`none is lost or merged: ${style} (seed ${SEED})`, () => {
      fc.assert(
        fc.property(anyCalls, fc.integer({ min: 1, max: 6 }), (calls, pieces) => {
          const collector = new CallCollector();
          for (const piece of send(calls, style, pieces)) collector.add(piece);
          assert.deepEqual(
            collector.finish(),
            calls.map((call) => ({ name: call.name, argsText: call.args })),
          );
        }),
        { seed: SEED, numRuns: 300 },
      );
    });

    it(`the same through the library and the wire: ${style}`, async () => {
      const calls = [
        { name: 'read_file', args: '{"path":"a"}' },
        { name: 'read_file', args: '{"path":"b"}' },
        { name: 'edit_file', args: '{"path":"a","old_text":"{}","new_text":"}"}' },
      ];
      const deltas = send(calls, style, 3).map((piece) => delta({ tool_calls: [piece] }));
      const server = await streaming([...deltas, delta({}, 'tool_calls'), '[DONE]']);
      try {
        const { last } = await ask(openAi(server.url));
        assert.deepEqual(last, { type: 'end', calls: calls.map((call) => ({ tool: call.name, argsText: call.args })) });
      } finally {
        await server.stop();
      }
    });
  }

  it('a call without arguments gets {}, and a first piece without the name waits for it', () => {
    const collector = new CallCollector();
    collector.add({ index: 0, id: 'a' });
    collector.add({ index: 0, function: { name: 'get_diagnostics' } });
    collector.add({ index: 1, id: 'b', function: { name: 'get_diagnostics', arguments: ' ' } });
    assert.deepEqual(collector.finish(), [
      { name: 'get_diagnostics', argsText: '{}' },
      { name: 'get_diagnostics', argsText: '{}' },
    ]);
  });
});
