/** Real servers as children, and a session of one run with them. */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ProcessId } from '../../../../src/core/ports';
import type {
  CallEnd,
  CallProgress,
  LateAnswer,
  ServerProcess,
  ToolSession,
  Verdict,
} from '../../../../src/core/tools/toolServers';
import { createMcpServers, type McpConfig, type McpServers } from '../../../../src/interop/mcp/index';
import { realClock } from '../../../../src/node/clock';
import { sha256 } from '../../../../src/node/hash';
import { NodePrograms } from '../../../../src/node/processes/piped';
import { settlesWithin } from '../../pace';

export const root = path.resolve(__dirname, '../../../../..');
export const BADLY = path.join(root, 'test/fixtures/mcp/server.mjs');
export const EVERYTHING = path.join(root, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

export const never = (): AbortSignal => new AbortController().signal;

export interface StageOptions {
  servers?: unknown;
  tools?: unknown;
  workspaceFile?: string;
  allowed?: (name: string, fingerprint: string) => boolean;
  graceMs?: number;
  env?: NodeJS.ProcessEnv;
  /** Instead of the record that a server was started. */
  onStarted?: () => Promise<void>;
}

let runs = 0;

export class McpStage {
  readonly dir = mkdtempSync(path.join(os.tmpdir(), 'holdfast-mcp-'));
  readonly file = path.join(this.dir, 'effects.txt');
  readonly heardFile = path.join(this.dir, 'heard.txt');
  readonly started: ServerProcess[] = [];
  readonly ended: { process: ServerProcess; survivors: readonly ProcessId[] }[] = [];
  readonly late: (LateAnswer & { callId: string })[] = [];
  readonly asked: string[] = [];
  readonly log: string[] = [];
  readonly runId = `run-mcp-${process.pid}-${(runs += 1)}`;
  readonly servers: McpServers;
  private opened: ToolSession | undefined;

  constructor(private readonly options: StageOptions = {}) {
    this.servers = createMcpServers(this.config());
  }

  /** The badly behaved server, as in `holdfast.mcp.servers`. */
  get badly(): object {
    return { command: process.execPath, args: [BADLY, this.file, this.heardFile] };
  }

  private config(): McpConfig {
    const note = (line: string): void => void this.log.push(line);
    const { options } = this;
    return {
      clock: realClock,
      log: { info: note, warn: note, error: note },
      programs: new NodePrograms([], options.env ?? process.env),
      stopGraceMs: () => options.graceMs ?? 400,
      folder: this.dir,
      version: '0.0.0',
      overrides: () => options.tools,
      hash: (text) => sha256(Buffer.from(text)),
      servers: () => options.servers ?? { badly: this.badly },
      workspaceFile: () => Promise.resolve(options.workspaceFile),
      isAllowed: (name, fingerprint) => options.allowed?.(name, fingerprint) ?? false,
      ask: (name, what) => void this.asked.push(`${name}: ${what}`),
      env: { TOKEN: 'secret' },
    };
  }

  async open(): Promise<ToolSession> {
    const session = await this.servers.open(this.runId, {
      started: async (process) => {
        this.started.push(process);
        await this.options.onStarted?.();
      },
      answered: (callId, answer) => void this.late.push({ callId, ...answer }),
      ended: (process, survivors) => void this.ended.push({ process, survivors }),
    });
    assert.ok(session);
    this.opened = session;
    await session.ready(never());
    return session;
  }

  get session(): ToolSession {
    assert.ok(this.opened);
    return this.opened;
  }

  call(
    tool: string,
    args: Record<string, unknown> = {},
    {
      signal = never(),
      callId = 's1',
      onProgress = () => undefined,
    }: {
      signal?: AbortSignal;
      callId?: string;
      onProgress?: (progress: CallProgress) => void;
    } = {},
  ): Promise<CallEnd> {
    const found = this.session.tools().find(({ name }) => name === tool);
    assert.ok(found, `${tool}: ${this.session.whyNot(tool)}`);
    return this.session.call(callId, found, args, signal, onProgress);
  }

  verify(tool: string, args: Record<string, unknown> = {}, callId = 's1'): Promise<Verdict> {
    return this.session.verify(callId, tool, args, never());
  }

  effects(): string {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8') : '';
  }

  heard(): string[] {
    return existsSync(this.heardFile) ? readFileSync(this.heardFile, 'utf8').trim().split('\n') : [];
  }

  /** Starts a call, waits until the server has it, and cuts it. `atOnce`: it settled within 50 ms. */
  async cut(
    tool: string,
    args: Record<string, unknown> = {},
    callId = 's1',
  ): Promise<{ end: CallEnd; atOnce: boolean }> {
    const stop = new AbortController();
    const before = this.heard().filter((line) => line === 'tools/call').length;
    const work = this.call(tool, args, { signal: stop.signal, callId });
    await until('the server has the call', () => this.heard().filter((line) => line === 'tools/call').length > before);
    stop.abort();
    const atOnce = await settlesWithin(50, work);
    return { end: await work, atOnce };
  }

  async close(): Promise<ProcessId[]> {
    const survivors = (await this.opened?.end(200)) ?? [];
    rmSync(this.dir, { recursive: true, force: true });
    return survivors;
  }
}

export async function until(what: string, fits: () => boolean, ms = 10_000): Promise<void> {
  const end = performance.now() + ms;
  while (!fits()) {
    assert.ok(performance.now() < end, `never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Living (not zombie) processes that carry the marker. */
export const alive = (marker: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        if ('ZX'.includes(stat.charAt(stat.lastIndexOf(')') + 2))) return false;
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOLDFAST_RUN=${marker}`);
      } catch {
        return false;
      }
    });
