/** Servers of others: the protocol's own everything server, over both transports, and one of the newest revision. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import type { CallProgress } from '../../../../src/core/tools/toolServers';
import { alive, EVERYTHING, McpStage, root, until } from './stage';
import { settlesWithin } from '../../pace';

const LONG = 'mcp.all.trigger-long-running-operation';

describe('MCP servers of others', function () {
  this.timeout(60_000);
  let stage: McpStage;
  let web: ChildProcess | undefined;
  afterEach(async () => {
    assert.deepEqual(await stage.close(), []);
    assert.deepEqual(alive(stage.runId), []);
    web?.kill('SIGKILL');
    web = undefined;
  });

  /** A long operation is cut after its first progress; then the same connection answers. */
  async function stopThenUse(): Promise<void> {
    const stop = new AbortController();
    const seen: CallProgress[] = [];
    const onProgress = (progress: CallProgress): void => void seen.push(progress);
    const work = stage.call(LONG, { duration: 30, steps: 100 }, { signal: stop.signal, onProgress });
    await until('progress', () => seen.length > 0, 20_000);
    stop.abort();
    assert.ok(await settlesWithin(200, work), 'the stop settles at once');
    assert.equal((await work).kind, 'cut');
    const echo = await stage.call('mcp.all.echo', { message: 'still here' }, { callId: 's2' });
    assert.equal(echo.kind, 'answered');
    assert.match(echo.text, /still here/);
    assert.ok(stage.started.length <= 1);
  }

  it('the everything server over stdio, with the revision of 2025', async () => {
    stage = new McpStage({
      graceMs: 5000,
      servers: { all: { command: process.execPath, args: [EVERYTHING, 'stdio'] } },
    });
    await stage.open();
    assert.ok(
      stage.log.some((line) => /connected \(2025-\d\d-\d\d\)/.test(line)),
      stage.log.join('\n'),
    );
    await stopThenUse();
  });

  it('the everything server over streamable HTTP', async () => {
    const port = await freePort();
    web = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    await reachable(port);
    stage = new McpStage({ graceMs: 5000, servers: { all: { url: `http://127.0.0.1:${port}/mcp` } } });
    await stage.open();
    await stopThenUse();
    assert.equal(stage.started.length, 0);
  });

  it('a server of the revision of 2026', async () => {
    const file = path.join(root, 'test/fixtures/mcp/modern.mjs');
    stage = new McpStage({ graceMs: 5000, servers: { all: { command: process.execPath, args: [file] } } });
    await stage.open();
    assert.ok(
      stage.log.some((line) => line.includes('connected (2026-07-28)')),
      stage.log.join('\n'),
    );
    await stopThenUse();
  });

  it('one that is not there: the reason is said, and the run goes on without it', async () => {
    stage = new McpStage({
      servers: { gone: { command: 'holdfast-no-such-program' }, web: { url: 'http://127.0.0.1:9/' } },
    });
    const session = await stage.open();
    assert.deepEqual(session.tools(), []);
    assert.match(session.whyNot('mcp.gone.x'), /not connected: .*ENOENT/);
    assert.match(session.whyNot('mcp.web.x'), /not connected: /);
    assert.match(session.whyNot('mcp.other.x'), /There is no MCP server "other"/);
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

async function reachable(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    try {
      await fetch(`http://127.0.0.1:${port}/mcp`);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  assert.fail('the server never listens');
}
