/** The core with its Node adapters in a child process: it can be killed at any moment and started again. */
import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { ProbePoint } from '../../../src/core/probe';
import type { RunState, RunSummary } from '../../../src/core/run/state';
import type { Fault, Human, Scenario } from '../types';
import type { Place } from '../workspace';
import { type CommandName, type Host, HostGone, type HostListener, NotBuilt } from './host';
import type { Ask, OpenOptions, ToChild, ToParent } from './messages';

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export class NodeHost implements Host {
  readonly name = 'node';
  readonly restarts = true;
  private child: ChildProcess | undefined;
  private options: OpenOptions | undefined;
  private place: Place | undefined;
  private listener: HostListener | undefined;
  private readonly pending = new Map<number, Pending>();
  private nextId = 1;

  /** `childFile`: the bundle of nodeStart.ts. `mark`: environment that everything started below inherits. */
  constructor(
    private readonly childFile: string,
    private readonly mark: Record<string, string> = {},
  ) {}

  async open(scenario: Scenario, place: Place, modelUrl: string, listener: HostListener): Promise<void> {
    const { setup, run } = scenario;
    if (setup.trusted === false) throw new NotBuilt('setup.trusted', 'host node has no workspace trust');
    this.place = place;
    this.listener = listener;
    this.options = { setup, run, workspace: place.workspace, storage: place.storage, modelUrl };
    await this.start();
  }

  command(name: CommandName, args: Record<string, unknown>): Promise<unknown> {
    return this.ask({ op: 'command', name, args });
  }

  async state(runId: string): Promise<RunState | undefined> {
    return ((await this.ask({ op: 'state', runId })) ?? undefined) as RunState | undefined;
  }

  async currentRun(): Promise<string | undefined> {
    return ((await this.ask({ op: 'current' })) ?? undefined) as string | undefined;
  }

  async runs(): Promise<readonly RunSummary[]> {
    return (await this.ask({ op: 'runs' })) as RunSummary[];
  }

  async hold(point: ProbePoint, step: number | undefined): Promise<void> {
    await this.ask({ op: 'hold', point, step: step ?? null });
  }

  async release(point: ProbePoint, step: number | undefined): Promise<void> {
    await this.ask({ op: 'release', point, step: step ?? null });
  }

  async fault(fault: Fault): Promise<void> {
    await this.ask({ op: 'fault', fault });
  }

  async clock(advanceMs: number): Promise<void> {
    await this.ask({ op: 'clock', advanceMs });
  }

  async kill(): Promise<void> {
    const child = this.child;
    if (!child) return;
    this.child = undefined;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await gone;
    this.rejectAll(new HostGone());
  }

  async reopen(): Promise<void> {
    if (this.child) throw new Error('reopen: the host is running');
    await this.start();
  }

  editor(key: keyof Human): Promise<void> {
    return Promise.reject(new NotBuilt(`human.${key}`, 'host node has no editors'));
  }

  buffer(): Promise<never> {
    return Promise.reject(new NotBuilt('expect.buffers', 'host node has no editors'));
  }

  processRoot(): number | undefined {
    return this.child?.pid;
  }

  storage(): string | undefined {
    return this.place?.storage;
  }

  close(): Promise<void> {
    return this.kill();
  }

  private async start(): Promise<void> {
    const { place, options } = this;
    if (!place || !options) throw new Error('the host was never opened');
    const child = fork(this.childFile, [], {
      cwd: path.dirname(this.childFile),
      execArgv: [],
      // the product must not learn anything from where the runner itself was started
      env: { PATH: process.env.PATH ?? '', LANG: 'C.UTF-8', ...place.environment(), TMPDIR: place.tmp, ...this.mark },
      serialization: 'json',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child = child;
    let output = '';
    const keep = (chunk: Buffer): string => (output = (output + chunk.toString()).slice(-4000));
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('message', (message: ToParent) => this.receive(message));
    child.once('error', (error) => this.ended(child, `the host could not be started: ${error.message}`));
    child.once('close', (code, signal) => this.ended(child, `the host ended with ${code ?? signal}: ${output.trim()}`));
    await this.ask({ op: 'open', options });
  }

  private ended(child: ChildProcess, reason: string): void {
    if (this.child !== child) return;
    this.child = undefined;
    this.rejectAll(new Error(reason));
    this.listener?.crashed(reason);
  }

  private ask(ask: Ask): Promise<unknown> {
    const child = this.child;
    if (!child) return Promise.reject(new Error(`${ask.op}: the host is not running`));
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject });
      const message: ToChild = { ...ask, id };
      child.send(message, (error) => {
        // a child that is killed with a message under way: its exit tells the reason
        if (error && this.child === child) this.settle(id, (p) => p.reject(error));
      });
    });
  }

  private receive(message: ToParent): void {
    if ('digest' in message) this.listener?.changed(message.digest);
    else if ('held' in message) this.listener?.held(message.held.point, message.held.step);
    else if ('log' in message) this.listener?.log(message.log);
    else if ('problem' in message)
      this.settle(message.id, (p) =>
        p.reject(message.notBuilt ? new NotBuilt(message.problem) : new Error(message.problem)),
      );
    else this.settle(message.id, (p) => p.resolve(message.value));
  }

  private settle(id: number, how: (pending: Pending) => void): void {
    const pending = this.pending.get(id);
    this.pending.delete(id);
    if (pending) how(pending);
  }

  private rejectAll(error: Error): void {
    for (const id of [...this.pending.keys()]) this.settle(id, (p) => p.reject(error));
  }
}
