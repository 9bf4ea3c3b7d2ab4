import assert from 'node:assert/strict';
import { ScriptedModel } from '../../scenarios/server';
import { ask, delta, errorOf, openAi, rawServer, request, streaming, type RawServer } from './wire';
import { settlesWithin } from '../pace';

const TEXT = delta({ role: 'assistant', content: 'Hello' });
const CALL = delta({
  tool_calls: [{ index: 0, id: 'x', type: 'function', function: { name: 'read_file', arguments: '{"path":' } }],
});
const REST = delta({ tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] });
const CALLS_END = delta({}, 'tool_calls');
const STOP = delta({}, 'stop');

describe('replies that are cut, stalled or aborted', () => {
  let stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(stops.map((stop) => stop()));
    stops = [];
  });
  async function served(pending: Promise<RawServer>): Promise<RawServer> {
    const server = await pending;
    stops.push(() => server.stop());
    return server;
  }

  const cuts: [string, (object | string)[]][] = [
    ['before anything', []],
    ['in the text', [TEXT]],
    ['in a call', [TEXT, CALL]],
    ['after a whole call', [TEXT, CALL, REST]],
    ['after a [DONE] without a finish reason', [TEXT, CALL, REST, '[DONE]']],
    ['in the middle of an event', [TEXT, CALL, REST, '{"id":"c","choices":[{"index":0,"delta":{},"finish_rea']],
    ['with an error event', [TEXT, CALL, REST, { error: { message: 'overloaded', code: 529 } }, CALLS_END, '[DONE]']],
    ['by the length limit', [TEXT, CALL, REST, delta({}, 'length'), '[DONE]']],
    ['for an unknown reason', [TEXT, CALL, REST, delta({}, 'abort'), '[DONE]']],
    ['with calls announced that never came', [TEXT, CALLS_END, '[DONE]']],
  ];
  for (const [where, events] of cuts) {
    for (const end of ['end', 'destroy'] as const) {
      it(`cut ${where} (${end}): no calls are given out`, async () => {
        const server = await served(streaming(events, end));
        const { events: seen, text } = await ask(openAi(server.url));
        const last = seen.at(-1);
        assert.equal(last?.type, 'error', JSON.stringify(seen));
        assert.ok(
          last.error.code === 'cut' || (events.length === 0 && last.error.code === 'network'),
          JSON.stringify(last),
        );
        assert.equal(seen.filter((event) => event.type !== 'text').length, 1);
        // What the library hands over in one go with the break may be lost with it; nothing else may be made up.
        assert.ok('Hello'.startsWith(text));
      });
    }
  }

  it('names the length limit and the words of an error event', async () => {
    const long = await served(streaming([TEXT, delta({}, 'length'), '[DONE]']));
    assert.match((await errorOf(openAi(long.url))).message, /length limit/);
    const error = await served(streaming([TEXT, { error: { message: 'overloaded' } }]));
    assert.match((await errorOf(openAi(error.url))).message, /broke off before its end: overloaded\.$/);
  });

  it('a reply withheld by a filter is not tried again', async () => {
    const server = await served(streaming([TEXT, delta({}, 'content_filter'), '[DONE]']));
    assert.equal((await errorOf(openAi(server.url))).code, 'other');
  });

  it('a server that neither says [DONE] nor hangs up ends well after its finish reason', async () => {
    for (const events of [
      [TEXT, STOP, '[DONE]'],
      [TEXT, STOP],
    ]) {
      const server = await served(streaming(events, 'stay'));
      const { last, text } = await ask(openAi(server.url, { idleMs: 2000 }));
      assert.equal(text, 'Hello');
      assert.deepEqual(last, { type: 'end', calls: [] });
    }
  });

  it('a last event without its blank line counts', async () => {
    const server = await served(
      rawServer((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(`: ping\n\ndata: ${JSON.stringify(TEXT)}\n\ndata: ${JSON.stringify(STOP)}`);
      }),
    );
    assert.deepEqual((await ask(openAi(server.url))).last, { type: 'end', calls: [] });
  });

  describe('silence', () => {
    it('before the answer and inside it is network', async () => {
      for (const server of [await served(rawServer(() => undefined)), await served(streaming([TEXT], 'stay'))]) {
        const error = await errorOf(openAi(server.url, { idleMs: 60 }));
        assert.equal(error.code, 'network');
        assert.match(error.message, /no answer for 0\.06 s/);
      }
    });

    it('comments keep it alive, and a reader that is held is not a silent server', async () => {
      const server = await served(
        rawServer((response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(`data: ${JSON.stringify(TEXT)}\n\n`);
          const ping = setInterval(() => response.write(': ping\n\n'), 20);
          setTimeout(() => {
            clearInterval(ping);
            response.end(`data: ${JSON.stringify(STOP)}\n\ndata: [DONE]\n\n`);
          }, 1400);
        }),
      );
      const seen: string[] = [];
      for await (const event of openAi(server.url, { idleMs: 500 }).ask(request(), new AbortController().signal)) {
        seen.push(event.type);
        if (event.type === 'text') await new Promise((resolve) => setTimeout(resolve, 800));
      }
      assert.deepEqual(seen, ['text', 'end']);
    });
  });

  describe('abort', function () {
    // Milliseconds are measured here, and the machine may be busy with something else.
    this.retries(2);
    const stalls: [string, () => Promise<RawServer>][] = [
      ['before the headers', () => rawServer(() => undefined)],
      ['in the body', () => streaming([TEXT], 'stay')],
      ['in an error body', () => rawServer((response) => void response.writeHead(500).write('wait'))],
    ];
    for (const [where, make] of stalls) {
      it(`ends the iterator within 100 ms: stalled ${where}`, async () => {
        const server = await served(make());
        await endsAtOnce((signal) => ask(openAi(server.url), request(), signal));
      });
    }

    it('does so even if the other end ignores the signal, or the key store never answers', async () => {
      const deaf: typeof fetch = () => new Promise(() => undefined);
      await endsAtOnce((signal) => ask(openAi('http://127.0.0.1:1/v1', { fetch: deaf }), request(), signal));
      const never = (): Promise<string> => new Promise(() => undefined);
      await endsAtOnce((signal) => ask(openAi('http://127.0.0.1:1/v1', { getKey: never }), request(), signal));
      const stuck: typeof fetch = () =>
        Promise.resolve(new Response(new ReadableStream({ cancel: () => new Promise(() => undefined) })));
      await endsAtOnce((signal) => ask(openAi('http://127.0.0.1:1/v1', { fetch: stuck }), request(), signal));
    });

    it('after it no event comes, and the server sees the client go; aborted before: nothing is sent', async () => {
      const server = new ScriptedModel([
        { text: 'one two three four', textMs: 5000, calls: [{ tool: 'read_file', args: { path: 'a' } }] },
      ]);
      const url = await server.start();
      stops.push(() => server.stop());
      const control = new AbortController();
      const seen: string[] = [];
      for await (const event of openAi(url).ask(request(), control.signal)) {
        seen.push(event.type);
        control.abort();
      }
      assert.deepEqual(seen, ['text']);
      const deadline = Date.now() + 10_000;
      while (server.requests[0]?.fate === 'open' && Date.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(server.requests[0]?.fate, 'cutOff');
      assert.deepEqual((await ask(openAi(url), request(), control.signal)).events, []);
      assert.equal(server.count, 1);
    });
  });
});

async function endsAtOnce(run: (signal: AbortSignal) => Promise<{ events: { type: string }[] }>): Promise<void> {
  const control = new AbortController();
  const done = run(control.signal);
  await new Promise((resolve) => setTimeout(resolve, 80));
  control.abort();
  assert.ok(await settlesWithin(100, done), 'it ends at once');
  const { events } = await done;
  assert.ok(
    events.every((event) => event.type === 'text'),
    JSON.stringify(events),
  );
}
