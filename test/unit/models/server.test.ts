import assert from 'node:assert/strict';
import { ScriptedModel, type Reply } from '../../scenarios/server';
import { ask, openAi, request } from './wire';

const READ = { tool: 'read_file', args: { path: 'a' } };

describe('the scripted model server', () => {
  let server: ScriptedModel;
  let url = '';
  async function serve(...replies: Reply[]): Promise<void> {
    server = new ScriptedModel(replies);
    url = await server.start();
  }
  afterEach(() => server.stop());

  it('waits between text and calls; without calls before the end', async () => {
    await serve({ text: 'a', textMs: 300, calls: [READ] }, { text: 'b', textMs: 300 });
    for (let i = 0; i < 2; i++) {
      let fate: string | undefined;
      for await (const event of openAi(url).ask(request(), new AbortController().signal)) {
        if (event.type === 'text') fate ??= server.requests[i]?.fate;
      }
      assert.equal(fate, 'open', 'the text came before the end');
      assert.ok(Date.now() - (server.requests[i]?.at ?? Infinity) >= 298);
    }
  });

  it('a reply that the client cut off, hanging or not, is served again; a cut one and an error are not', async () => {
    await serve({ text: 'hangs', hang: 'afterText' }, { hang: 'beforeText' });
    for (let i = 0; i < 2; i++) {
      const control = new AbortController();
      for await (const event of openAi(url).ask(request(), control.signal)) if (event.type === 'text') control.abort();
      assert.equal(await fateOf(server, i), 'cutOff');
    }
    await server.stop();
    await serve({ text: 'cut here', cut: true }, { calls: [READ], cut: true }, { status: 500 }, { text: 'end' });
    assert.equal((await ask(openAi(url))).last?.type, 'error');
    assert.equal((await ask(openAi(url))).last?.type, 'error');
    assert.equal((await ask(openAi(url))).last?.type, 'error');
    assert.equal((await ask(openAi(url))).text, 'end');
    assert.equal((await ask(openAi(url))).text, 'Done.');
    assert.equal(server.count, 5);
  });

  it('echo puts a group of the request into later arguments; the text is decoded, results included', async () => {
    await serve(
      {
        echo: { from: 'request', pattern: 'token=(\\w+)', as: 'T' },
        calls: [{ tool: 'read_file', args: { path: 'f-${T}-${U}' } }],
      },
      { calls: [{ tool: 'read_file', args: { path: ['${T}'], ['__proto__']: '${T}' } }] },
    );
    const messages = request([
      { role: 'user', text: 'line\n"quoted"' },
      { role: 'assistant', text: '', calls: [{ callId: 'c', tool: 'read_file', args: { path: 'hidden' } }] },
      { role: 'tool', callId: 'c', tool: 'read_file', text: 'token=abc' },
    ]);
    const args = async (): Promise<string> => {
      const { last } = await ask(openAi(url), messages);
      return last?.type === 'end' ? (last.calls[0]?.argsText ?? '') : '';
    };
    assert.equal(await args(), '{"path":"f-abc-${U}"}');
    assert.equal(await args(), '{"path":["abc"],"__proto__":"abc"}');
    assert.equal(server.requests[0]?.text, 'line\n"quoted"\ntoken=abc');
  });

  it('tells of requests as they come, and waits for one only so long', async () => {
    await serve({ text: 'x' });
    const seen: number[] = [];
    const end = server.onRequest((item) => seen.push(item.n));
    const coming = server.waitForRequest(1, 1000);
    await ask(openAi(url));
    assert.equal((await coming).n, 1);
    end();
    await ask(openAi(url));
    assert.deepEqual(seen, [1]);
    assert.equal((await server.waitForRequest(2, 0)).n, 2);
    await assert.rejects(server.waitForRequest(3, 20), /request 3 did not come within 20 ms \(2 came\)/);
  });

  it('two requests at once get different replies', async () => {
    await serve({ text: 'one', textMs: 50 }, { text: 'two', textMs: 50 });
    const texts = (await Promise.all([ask(openAi(url)), ask(openAi(url))])).map((reply) => reply.text);
    assert.deepEqual(texts.sort(), ['one', 'two']);
  });
});

async function fateOf(server: ScriptedModel, index: number): Promise<string | undefined> {
  const deadline = Date.now() + 10_000;
  while (server.requests[index]?.fate === 'open' && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 5));
  return server.requests[index]?.fate;
}
