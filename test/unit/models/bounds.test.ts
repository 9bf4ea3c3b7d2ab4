import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { retryIn } from '../../../src/core/run/talk';
import { ask, delta, errorOf, openAi, rawServer, type RawServer } from './wire';

const servers: RawServer[] = [];
/** Writes the same line for as long as somebody listens. */
async function endless(line: (n: number) => string): Promise<RawServer> {
  const server = await rawServer((response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let n = 0;
    const go = (): void => {
      while (!response.destroyed && response.write(line(n))) n += 1;
      if (!response.destroyed) response.once('drain', go);
    };
    go();
  });
  servers.push(server);
  return server;
}
const event = (content: object): string => `data: ${JSON.stringify(delta(content))}\n\n`;

describe('a reply without bounds', function () {
  this.timeout(60_000);
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

  it('of text is cut off, and not asked for again', async () => {
    const { url } = await endless(() => event({ content: 'y'.repeat(10_000) }));
    const { code, message } = await errorOf(openAi(url));
    assert.equal(code, 'other');
    assert.match(message, /does not end/);
  });

  it('of one call is cut off', async () => {
    const { url } = await endless((n) =>
      event({
        tool_calls: [
          n === 0
            ? { index: 0, id: 'a', type: 'function', function: { name: 'write_file', arguments: '{"content":"' } }
            : { index: 0, function: { arguments: 'z'.repeat(10_000) } },
        ],
      }),
    );
    assert.match((await errorOf(openAi(url))).message, /does not end/);
  });

  it('of calls is cut off, and none of them runs', async () => {
    const { url } = await endless((n) =>
      event({
        tool_calls: [{ index: n, id: `i${n}`, type: 'function', function: { name: 'read_file', arguments: '{}' } }],
      }),
    );
    assert.match((await errorOf(openAi(url))).message, /more than 1000 tool calls/);
  });

  it('of one event that never ends is cut off', async () => {
    const { url } = await endless((n) => (n === 0 ? 'data: ' : 'y'.repeat(100_000)));
    assert.equal((await errorOf(openAi(url))).code, 'cut');
  });

  it('of numbers: usage that cannot be is none', async () => {
    for (const usage of [
      { prompt_tokens: -5, completion_tokens: 1e308 },
      { prompt_tokens: 'x', completion_tokens: null },
    ]) {
      const server = await rawServer((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const last = { ...delta({}, 'stop'), usage: { ...usage, total_tokens: 1 } };
        response.end(`${event({ content: 'hi' })}data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
      });
      servers.push(server);
      const { last } = await ask(openAi(server.url));
      if (last?.type === 'end') assert.deepEqual(last.usage, { inputTokens: 0, outputTokens: 0 });
      else assert.equal(last?.type, 'error');
    }
  });
});

describe('how long a server is waited for', () => {
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.stop())));

  it('what is no time is no time', async () => {
    for (const value of ['-1', '1e3', '-60', '0x10', '']) {
      const server = await rawServer((response) => response.writeHead(429, { 'retry-after': value }).end('{}'));
      servers.push(server);
      assert.equal((await errorOf(openAi(server.url))).retryAfterMs, undefined, value);
    }
  });

  it('never less than half a second, and longer than a day the run does not wait by itself', () => {
    const error = (retryAfterMs?: number) => ({
      code: 'rateLimited' as const,
      message: '',
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    assert.equal(retryIn(error(0), 0), 500);
    assert.equal(retryIn(error(7000), 5), 7000);
    assert.equal(retryIn(error(1e23), 0), undefined);
    assert.equal(retryIn(error(), 2), 4000);
  });
});
