/** One running command on a POSIX system. */
import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { Readable } from 'node:stream';
import type { ProcessExit, ProcessId, RunningProcess } from '../../core/ports';
import { processRow } from './table';
import { ProcessTree } from './tree';
import { watch, type Watcher } from './watcher';

/** How often at most a running tree is followed, ms, and what share of the time that may take: 1 in so many. */
const FOLLOW_EVERY = 200;
const FOLLOW_SHARE = 100;
/** How long after the command's end its output is still waited for: a child it left may hold the pipe for ever. */
const DRAIN_MS = 250;

export interface CommandOptions {
  command: string;
  /** Absolute. */
  cwd: string;
  env: Record<string, string>;
  marker: string;
  onOutput: (chunk: string) => void;
  /** Pids of the watchers at work; this command's is added and removed. */
  watchers: Set<number>;
}

export class PosixCommand implements RunningProcess {
  readonly canFreeze = true;
  readonly exited: Promise<ProcessExit>;
  private readonly tree: ProcessTree;
  private watcher: Watcher | undefined;

  private constructor(
    child: ChildProcess,
    readonly id: ProcessId,
    private readonly options: CommandOptions,
  ) {
    this.tree = new ProcessTree(id, options.marker, true, () => options.watchers);
    this.watcher = watch(id, options.marker);
    if (this.watcher.pid !== undefined) options.watchers.add(this.watcher.pid);
    this.exited = settle(child, options.onOutput).then((exit) => {
      this.dismissIfGone();
      return exit;
    });
    this.follow();
  }

  /** Keeps in sight what would get out of it, for as long as anything lives; the watcher is told of it too. */
  private follow(): void {
    if (this.watcher === undefined) return;
    const from = performance.now();
    this.tree.follow();
    this.loose();
    const took = performance.now() - from;
    setTimeout(() => this.follow(), Math.max(FOLLOW_EVERY, took * FOLLOW_SHARE)).unref();
  }

  /** Rejects with a plain Error when the shell cannot be started. */
  static start(options: CommandOptions): Promise<PosixCommand> {
    return new Promise((resolve, reject) => {
      const child = spawn('/bin/sh', ['-c', options.command], {
        cwd: options.cwd,
        env: options.env,
        detached: true, // a session and group of its own
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      if (child.pid === undefined) {
        child.once('error', (error) => reject(new Error(error.message)));
        return;
      }
      child.on('error', () => undefined); // of later signals: the looks at the process table tell
      // not collected before the next turn, so it is there to be looked at, dead or alive
      const startTime = processRow(child.pid)?.startTime ?? '';
      resolve(new PosixCommand(child, { pid: child.pid, startTime, command: options.command }, options));
    });
  }

  freeze(): Promise<boolean> {
    return this.tree.freeze();
  }

  thaw(): Promise<void> {
    this.tree.thaw();
    return Promise.resolve();
  }

  async end(graceMs: number): Promise<ProcessId[]> {
    const survivors = await this.tree.end(graceMs);
    this.dismissIfGone();
    return survivors;
  }

  alive(): Promise<ProcessId[]> {
    return this.tree.living();
  }

  loose(): ProcessId[] {
    const loose = this.tree.loose();
    for (const one of loose) this.watcher?.also(one);
    return loose;
  }

  suspects(): Promise<ProcessId[]> {
    return Promise.resolve(this.tree.suspects(this.options.cwd));
  }

  /** The watcher stays as long as anything of the tree lives, the command itself or what it left behind. */
  private dismissIfGone(): void {
    if (this.watcher === undefined || this.tree.members().length > 0) return;
    this.watcher.dismiss();
    if (this.watcher.pid !== undefined) this.options.watchers.delete(this.watcher.pid);
    this.watcher = undefined;
  }
}

/** Reads the output and settles with how the command ended. */
export function settle(child: ChildProcess, onOutput: (chunk: string) => void): Promise<ProcessExit> {
  for (const stream of [child.stdout, child.stderr]) if (stream !== null) decode(stream, onOutput);
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const exit: ProcessExit = { code, signal };
      const timer = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        resolve(exit);
      }, DRAIN_MS);
      child.once('close', () => {
        clearTimeout(timer);
        resolve(exit);
      });
    });
  });
}

/** Characters cut by the border of two chunks come out whole, with the second. */
function decode(stream: Readable, onOutput: (chunk: string) => void): void {
  const decoder = new StringDecoder('utf8');
  const pass = (text: string): void => {
    if (text !== '') onOutput(text);
  };
  stream.on('data', (bytes: Buffer) => pass(decoder.write(bytes)));
  stream.once('close', () => pass(decoder.end()));
  stream.on('error', () => undefined); // destroyed under it
}
