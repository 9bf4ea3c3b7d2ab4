/** What is read of a server's lines, however they are cut into pieces. */
import assert from 'node:assert/strict';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import fc from 'fast-check';
import type { RunningProgram } from '../../../../src/core/programs';
import { answerInPlaceOf, StdioTransport } from '../../../../src/interop/mcp/stdio';

/** What is heard of chunks, and whether the transport is over. */
async function heard(chunks: readonly Uint8Array[]): Promise<{ messages: JSONRPCMessage[]; over: boolean }> {
  const program = { exited: new Promise(() => undefined) } as unknown as RunningProgram;
  let say: (chunk: Uint8Array) => void = () => undefined;
  const transport = new StdioTransport((onOutput) => {
    say = onOutput;
    return Promise.resolve(program);
  });
  const messages: JSONRPCMessage[] = [];
  transport.onmessage = (message) => void messages.push(message);
  await transport.start();
  for (const chunk of chunks) say(chunk);
  return { messages, over: transport.over };
}

describe('lines of a server', () => {
  it('are the same messages in whatever pieces they come', async () => {
    const text = fc.string({ unit: 'binary' });
    const property = fc.asyncProperty(
      fc.array(fc.oneof(text, fc.constant('no message'), fc.constant('')), { maxLength: 8 }),
      fc.boolean(),
      fc.array(fc.nat(40), { maxLength: 30 }),
      async (texts, crlf, sizes) => {
        const sent = texts.map((one, id) => ({ jsonrpc: '2.0', id, result: { one } }));
        const lines = sent.flatMap((one) => [JSON.stringify(one), 'Listening on stdio', '']);
        const bytes = Buffer.from(lines.map((line) => line + (crlf ? '\r\n' : '\n')).join(''));
        const chunks: Uint8Array[] = [];
        let from = 0;
        for (const size of sizes) {
          chunks.push(bytes.subarray(from, from + size));
          from += size;
        }
        chunks.push(bytes.subarray(from));
        assert.deepEqual((await heard(chunks)).messages, sent);
      },
    );
    await fc.assert(property, { numRuns: 200 });
  });

  it('beyond all bounds are the end, and what came before them is heard', async () => {
    const first = { jsonrpc: '2.0', id: 1, result: {} };
    const flood = Buffer.alloc(6 * 1024 * 1024, 'x');
    const { messages, over } = await heard([Buffer.from(`${JSON.stringify(first)}\nx`), flood, flood]);
    assert.deepEqual([messages, over], [[first], true]);
    assert.equal((await heard([flood, Buffer.from('\n'), flood])).over, false);
  });

  it('that answer in no known form are an error to whoever asked', () => {
    for (const result of ['null', '"done"', '7']) {
      const answer = answerInPlaceOf(`{"jsonrpc":"2.0","id":3,"result":${result}}`);
      assert.ok(answer && 'error' in answer);
      assert.equal(answer.id, 3);
    }
    for (const line of ['', 'null', '[]', '{"id":null}', '{"id":1,"method":"x","params":3}', '{"result":null}'])
      assert.equal(answerInPlaceOf(line), undefined, line);
  });
});
