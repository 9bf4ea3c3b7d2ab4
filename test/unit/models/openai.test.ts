import assert from 'node:assert/strict';
import { ScriptedModel, type Reply } from '../../scenarios/server';
import type { PromptMessage } from '../../../src/core/ports';
import { ask, delta, errorOf, KEY, openAi, rawServer, request, streaming, type RawServer } from './wire';

describe('OpenAiModel over the wire', () => {
  let stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await Promise.all(stops.map((stop) => stop()));
    stops = [];
  });
  async function scripted(...replies: Reply[]): Promise<{ server: ScriptedModel; url: string }> {
    const server = new ScriptedModel(replies);
    stops.push(() => server.stop());
    return { server, url: await server.start() };
  }
  async function served(pending: Promise<RawServer>): Promise<RawServer> {
    const server = await pending;
    stops.push(() => server.stop());
    return server;
  }

  it('streams text in pieces, then gives out the calls and the usage', async () => {
    const { server, url } = await scripted({ text: 'I will read both.', calls: [call('a.txt'), call('b "ü" 😀.txt')] });
    const { events, text, last } = await ask(openAi(url));
    assert.equal(text, 'I will read both.');
    assert.ok(events.length > 2, 'text came in one piece');
    assert.equal(last?.type, 'end');
    assert.deepEqual(
      last.calls.map((item) => [item.tool, JSON.parse(item.argsText) as unknown]),
      [
        ['read_file', { path: 'a.txt' }],
        ['read_file', { path: 'b "ü" 😀.txt' }],
      ],
    );
    assert.ok(last.usage && last.usage.outputTokens > 0);
    assert.equal(server.requests[0]?.authorization, `Bearer ${KEY}`);
    assert.equal(server.requests[0]?.fate, 'served');
  });

  it('sends the conversation and the tools; names with a dot travel in a form servers allow', async () => {
    const server = await served(
      rawServer((response, body) => {
        const sent = JSON.parse(body) as { tools: { function: { name: string } }[] };
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const name = sent.tools[1]?.function.name;
        response.write(
          `data: ${JSON.stringify(delta({ tool_calls: [{ index: 0, id: 'x', function: { name, arguments: '{}' } }] }, 'tool_calls'))}\n\n`,
        );
        response.end('data: [DONE]\n\n');
      }),
    );
    const messages: PromptMessage[] = [
      { role: 'system', text: 'rules' },
      { role: 'user', text: 'half \ud83d' },
      {
        role: 'assistant',
        text: '',
        calls: [{ callId: 'c1', tool: 'mcp.git.log', args: { n: 1, ['__proto__']: 'key' } }],
      },
      { role: 'tool', callId: 'c1', tool: 'mcp.git.log', text: 'log' },
    ];
    const what = request(messages);
    what.tools.push({ name: 'mcp.git.log', description: '', parameters: { json: { type: 'object' } } });
    const { last } = await ask(openAi(server.url), what);
    assert.deepEqual(last, { type: 'end', calls: [{ tool: 'mcp.git.log', argsText: '{}' }] });
    const body = JSON.parse(server.bodies[0]!) as { messages: unknown[]; stream: boolean };
    assert.equal(body.stream, true);
    assert.deepEqual(body.messages, [
      { role: 'system', content: 'rules' },
      { role: 'user', content: 'half \ufffd' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'mcp_git_log', arguments: '{"n":1,"__proto__":"key"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'log' },
    ]);
  });

  it('keeps malformed arguments as they came', async () => {
    const server = await served(
      streaming([
        delta({ tool_calls: [{ index: 0, id: 'x', function: { name: 'read_file', arguments: '{"path": "a' } }] }),
        delta({}, 'tool_calls'),
        '[DONE]',
      ]),
    );
    assert.deepEqual((await ask(openAi(server.url))).last, {
      type: 'end',
      calls: [{ tool: 'read_file', argsText: '{"path": "a' }],
    });
  });

  describe('errors', () => {
    const cases: [Reply, string, RegExp][] = [
      [{ status: 401, body: { error: { message: `Incorrect API key provided: ${KEY}.` } } }, 'auth', /Set API Key/],
      [{ status: 403 }, 'auth', /403/],
      [{ status: 500, body: `<html>${KEY}</html>` }, 'server', /500/],
      [{ status: 408 }, 'server', /408/],
      [{ status: 503, body: 'busy' }, 'server', /busy/],
      [
        { status: 400, body: { error: { message: `bad "tools"\nAuthorization: Bearer ${KEY}` } } },
        'badRequest',
        /bad "tools" Authorization: \[hidden\]/,
      ],
      [
        { status: 404, body: { error: { message: 'The model `m` does not exist' } } },
        'badRequest',
        /`m` does not exist.*modelId/,
      ],
      [{ status: 422, body: { detail: 'x'.repeat(5000) } }, 'badRequest', /xxx…/],
      [
        { status: 400, body: { error: `your key sk-te***cba, or ${KEY.slice(4, 14)}` } },
        'badRequest',
        /your key \[hidden\], or \[hidden\]/,
      ],
    ];
    for (const [reply, code, message] of cases) {
      it(`${reply.status} is ${code} (${String(message)})`, async () => {
        const { url } = await scripted(reply);
        const error = await errorOf(openAi(url));
        assert.equal(error.code, code);
        assert.match(error.message, message);
        assert.ok(error.message.length < 600);
        noKeyIn(error);
      });
    }

    it('429 honours Retry-After as seconds, as a date, and retry-after-ms', async () => {
      const { url } = await scripted({ status: 429, retryAfterS: 4 });
      assert.deepEqual(pick(await errorOf(openAi(url))), { code: 'rateLimited', retryAfterMs: 4000 });
      const now = Date.UTC(2030, 0, 1, 12, 0, 0);
      for (const [headers, ms] of [
        [{ 'retry-after': new Date(now + 7000).toUTCString() }, 7000],
        [{ 'retry-after': new Date(now - 7000).toUTCString() }, 0],
        [{ 'retry-after-ms': '1250', 'retry-after': '60' }, 1250],
        [{ 'retry-after': 'soon' }, undefined],
      ] as const) {
        const server = await served(rawServer((response) => response.writeHead(429, headers).end('{}')));
        const error = await errorOf(openAi(server.url, { now: () => now }));
        assert.deepEqual(
          pick(error),
          ms === undefined ? { code: 'rateLimited' } : { code: 'rateLimited', retryAfterMs: ms },
        );
      }
    });

    it('nobody there is network; a key is never in the message', async () => {
      const server = await rawServer(() => undefined);
      await server.stop();
      const error = await errorOf(openAi(server.url));
      assert.equal(error.code, 'network');
      assert.match(error.message, /ECONNREFUSED/);
      noKeyIn(error);
    });

    it('a page, a JSON answer and a redirect are badRequest with what to check', async () => {
      const page = await served(
        rawServer((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html>')),
      );
      assert.match((await errorOf(openAi(page.url))).message, /web page.*baseUrl/);
      const json = await served(
        rawServer((response) => response.writeHead(200).end('{"error":{"message":"slow down","code":429}}')),
      );
      assert.deepEqual(pick(await errorOf(openAi(json.url))), { code: 'rateLimited' });
      const moved = await served(
        rawServer((response) => response.writeHead(308, { location: 'http://127.0.0.1:1/' }).end()),
      );
      const error = await errorOf(openAi(moved.url));
      assert.equal(error.code, 'badRequest');
      assert.match(error.message, /redirects/);
    });
  });

  describe('the key', () => {
    it('is not needed on loopback, and then no Authorization header goes out', async () => {
      const { server, url } = await scripted({ text: 'ok' });
      const { last } = await ask(openAi(url, { getKey: () => Promise.resolve(undefined) }));
      assert.equal(last?.type, 'end');
      assert.equal(server.requests[0]?.authorization, undefined);
    });

    it('missing elsewhere, unreadable or impossible is auth, and nothing is sent', async () => {
      const never = { fetch: () => Promise.reject(new Error('sent')) };
      const elsewhere = openAi('https://example.invalid/v1', { ...never, getKey: () => Promise.resolve(' ') });
      assert.equal((await errorOf(elsewhere)).code, 'auth');
      const locked = openAi('https://example.invalid/v1', { ...never, getKey: () => Promise.reject(new Error(KEY)) });
      const error = await errorOf(locked);
      assert.equal(error.code, 'auth');
      noKeyIn(error);
      const odd = openAi('http://127.0.0.1:1/v1', { ...never, getKey: () => Promise.resolve('key\nwith lines') });
      const oddError = await errorOf(odd);
      assert.equal(oddError.code, 'auth');
      assert.ok(!oddError.message.includes('lines'));
    });
  });

  it('40 replies in a row, none twice', async function () {
    this.timeout(60_000);
    const { server, url } = await scripted({ text: 'again', repeat: 40 });
    for (let i = 0; i < 40; i++) assert.equal((await ask(openAi(url))).text, 'again');
    assert.equal(server.count, 40);
    assert.ok(server.requests.every((seen) => seen.fate === 'served'));
    assert.equal((await ask(openAi(url))).text, 'Done.');
  });
});

function call(path: string): { tool: string; args: object } {
  return { tool: 'read_file', args: { path } };
}

function pick(error: { code: string; retryAfterMs?: number }): object {
  return error.retryAfterMs === undefined
    ? { code: error.code }
    : { code: error.code, retryAfterMs: error.retryAfterMs };
}

function noKeyIn(error: object): void {
  const text = JSON.stringify(error);
  for (let i = 0; i + 6 <= KEY.length; i++)
    assert.ok(!text.includes(KEY.slice(i, i + 6)), `a piece of the key is in ${text}`);
}
