import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { PromptMessage } from '../../../src/core/ports';
import { LOST_RESULT, repair } from '../../../src/models/openai/repair';
import { WireNames } from '../../../src/models/openai/names';
import { toCallOptions } from '../../../src/models/openai/request';
import { ScriptedModel } from '../../scenarios/server';
import { decodeRequest } from '../../scenarios/serverRequest';
import { ask, openAi, request } from './wire';

const SEED = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

const id = fc.constantFrom('', 'a', 'b', 'c', 'a_2');
const tool = fc.constantFrom('read_file', 'mcp.x.y');
const message: fc.Arbitrary<PromptMessage> = fc.oneof(
  fc.record({ role: fc.constant('system' as const), text: fc.string() }),
  fc.record({ role: fc.constant('user' as const), text: fc.string() }),
  fc.record({
    role: fc.constant('assistant' as const),
    text: fc.constantFrom('', ' ', 'words'),
    calls: fc.array(fc.record({ callId: id, tool, args: fc.jsonValue() }), { maxLength: 3 }),
  }),
  fc.record({ role: fc.constant('tool' as const), callId: id, tool, text: fc.string() }),
);

/** The wire form of the messages, by the library's own conversion. */
async function wire(messages: PromptMessage[]): Promise<string> {
  let body = '';
  const model = openAi('http://127.0.0.1:1/v1', {
    fetch: (_url, init) => {
      body = init?.body as string;
      return Promise.resolve(new Response('{}', { status: 400 }));
    },
  });
  await ask(model, request(messages));
  return body;
}

describe('repair of a prompt', () => {
  it(`any messages become a prompt that a strict server takes (seed ${SEED})`, async function () {
    this.timeout(30_000);
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 12 }), async (messages) => {
        assert.deepEqual(decodeRequest(await wire(messages)).problems, []);
        const repaired = repair(messages);
        assert.deepEqual(repair(repaired), repaired);
        const calls = (list: readonly PromptMessage[]): number =>
          list.reduce((sum, m) => sum + (m.role === 'assistant' ? m.calls.length : 0), 0);
        assert.equal(calls(repaired), calls(messages));
        const words = (list: readonly PromptMessage[]): string[] =>
          list.flatMap((m) => (m.role === 'user' || m.role === 'system' ? [m.text] : []));
        assert.deepEqual(words(repaired), words(messages));
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('leaves a sound prompt as it is', () => {
    const messages: PromptMessage[] = [
      { role: 'user', text: 'go' },
      { role: 'assistant', text: '', calls: [call('a'), call('b')] },
      result('a', '1'),
      result('b', '2'),
      { role: 'assistant', text: 'done', calls: [] },
    ];
    assert.deepEqual(repair(messages), messages);
  });

  it('keeps a true result that came late or out of order, and says where none is known', () => {
    const repaired = repair([
      { role: 'assistant', text: '', calls: [call('a'), call('b'), call('c')] },
      result('b', '2'),
      { role: 'user', text: 'note' },
      result('a', '1'),
      result('a', 'again'),
      result('z', 'orphan'),
    ]);
    assert.deepEqual(repaired.slice(1), [
      result('a', '1'),
      result('b', '2'),
      result('c', LOST_RESULT),
      { role: 'user', text: 'note' },
    ]);
  });

  it('names on the wire are allowed, different, and come back', () => {
    const tools = ['mcp.a.b', 'mcp_a_b', 'mcp.a_b', 'x'.repeat(90), `${'x'.repeat(90)}y`, 'ü'];
    const names = new WireNames(tools);
    const sent = tools.map((name) => names.wire(name));
    assert.equal(new Set(sent).size, tools.length);
    assert.equal(sent[1], 'mcp_a_b');
    for (const [i, name] of sent.entries()) {
      assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
      assert.equal(names.tool(name), tools[i]);
    }
    assert.equal(names.tool('made_up'), 'made_up');
    assert.ok(toCallOptions({ ...request(), tools: [] }, names).tools === undefined);
  });

  it('the scripted server refuses what is not paired, and names the id', async () => {
    const server = new ScriptedModel([]);
    const url = await server.start();
    try {
      const messages = [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c7', type: 'function', function: { name: 'x', arguments: '{}' } }],
        },
        { role: 'user', content: 'hi' },
        { role: 'tool', tool_call_id: 'c7', content: 'late' },
      ];
      const response = await fetch(`${url}/chat/completions`, { method: 'POST', body: JSON.stringify({ messages }) });
      assert.equal(response.status, 400);
      assert.match(await response.text(), /c7/);
      assert.equal(server.unpaired.length, 2);
    } finally {
      await server.stop();
    }
  });
});

function call(callId: string): { callId: string; tool: string; args: unknown } {
  return { callId, tool: 'read_file', args: { path: callId } };
}

function result(callId: string, text: string): PromptMessage {
  return { role: 'tool', callId, tool: 'read_file', text };
}
