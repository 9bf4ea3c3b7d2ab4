/** The `Programs` port: a program in a session of its own, watched like a command, with open standard streams. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { once } from 'node:events';
import type { ProcessExit, ProcessId } from '../../core/ports';
import type { ProgramOptions, Programs, RunningProgram } from '../../core/programs';
import { childEnvironment } from './environment';
import { processRow } from './table';
import { ProcessTree } from './tree';
import { watch, type Watcher } from './watcher';
import { endTree } from './windows';

const WINDOWS = process.platform === 'win32';
type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export class NodePrograms implements Programs {
  private readonly watchers = new Set<number>();

  /** `hidden`: names of environment variables that programs do not get, besides the host's own. */
  constructor(
    private readonly hidden: readonly string[] = [],
    private readonly env: NodeJS.ProcessEnv = process.env,
  ) {}

  start(options: ProgramOptions): Promise<RunningProgram> {
    const { program, args, cwd, marker, verbatim } = options;
    return new Promise((resolve, reject) => {
      let child: Child;
      try {
        child = spawn(program, [...args], {
          cwd,
          env: { ...childEnvironment(this.env, this.hidden, marker), ...options.env },
          detached: !WINDOWS, // a session and group of its own
          windowsHide: true,
          windowsVerbatimArguments: verbatim === true,
          stdio: ['pipe', 'pipe', 'pipe'],
        });
      } catch (error) {
        reject(new Error(error instanceof Error ? error.message : String(error)));
        return;
      }
      const { pid } = child;
      if (pid === undefined) {
        child.once('error', (error) => reject(new Error(error.message)));
        return;
      }
      child.on('error', () => undefined);
      const startTime = WINDOWS ? '' : (processRow(pid)?.startTime ?? '');
      resolve(new Piped(child, { pid, startTime, command: [program, ...args].join(' ') }, options, this.watchers));
    });
  }
}

class Piped implements RunningProgram {
  readonly exited: Promise<ProcessExit>;
  private readonly tree: ProcessTree | undefined;
  private watcher: Watcher | undefined;

  constructor(
    private readonly child: Child,
    readonly id: ProcessId,
    options: ProgramOptions,
    private readonly watchers: Set<number>,
  ) {
    child.stdout.on('data', (chunk: Buffer) => options.onOutput(chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => options.onError(chunk));
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
    if (!WINDOWS) {
      this.tree = new ProcessTree(id, options.marker, true, () => watchers);
      this.watcher = watch(id, options.marker);
      if (this.watcher.pid !== undefined) watchers.add(this.watcher.pid);
    }
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.dismissIfGone();
        resolve({ code, signal });
      });
    });
  }

  async write(text: string): Promise<void> {
    const { stdin } = this.child;
    if (!stdin.writable) throw new Error('its input is closed');
    if (stdin.write(text)) return;
    // Whatever comes first: room, or the end of the program.
    await Promise.race([once(stdin, 'drain'), once(stdin, 'close')]);
  }

  async end(graceMs: number): Promise<ProcessId[]> {
    this.child.stdin.end();
    const survivors = this.tree ? await this.tree.end(graceMs) : await endTree(this.id, graceMs);
    for (const stream of [this.child.stdout, this.child.stderr]) stream.destroy();
    this.dismissIfGone();
    return survivors;
  }

  /** The watcher stays as long as anything of the tree lives. */
  private dismissIfGone(): void {
    if (!this.watcher || !this.tree || this.tree.alive().length > 0) return;
    this.watcher.dismiss();
    if (this.watcher.pid !== undefined) this.watchers.delete(this.watcher.pid);
    this.watcher = undefined;
  }
}
