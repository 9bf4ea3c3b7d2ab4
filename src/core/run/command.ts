/** One running command: its time limit, its output, its freeze and its end. Results come back as a `StepEnd`. */
import type { Ports, ProcessId, RunningProcess } from '../ports';
import { Capture } from '../tools/capture';
import type { Span } from '../reconcile/commandMemory';
import type { StepEnd } from './events';
import { survivorWords } from './survivors';

export interface CommandPlan {
  command: string;
  cwd: string;
  background: boolean;
  timeoutMs: number;
}

/** Outcome of asking a command to stand still. */
export type Frozen = 'frozen' | 'goesOn' | 'ended';

/** Who ended it: a stop of the run, its time limit, or the human, this one command. */
export type EndedBy = 'stop' | 'timeout' | 'human';

/** How often it is looked whether a background process still lives, ms. */
const LOOK_EVERY = 3000;

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

export class Command {
  private readonly output = new Capture();
  private process: RunningProcess | undefined;
  private endedBy: EndedBy | undefined;
  /** When it ran, in the file system's time: what changed at another time it did not do. */
  readonly spans: Span[] = [];
  survivors: ProcessId[] = [];
  private over = false;
  private standing: AbortController | undefined;
  private left: number;
  private startedAt = 0;

  constructor(
    private readonly ports: Ports,
    private readonly stepId: string,
    private readonly plan: CommandPlan,
  ) {
    this.left = plan.timeoutMs;
    this.undying = new Promise((resolve) => (this.giveUp = resolve));
  }

  /** Starts it. Rejects when the system refuses; then nothing ran. */
  async start(): Promise<ProcessId> {
    const { command, cwd } = this.plan;
    this.startedAt = this.ports.clock.now();
    this.ports.output.opened(this.stepId, command);
    this.spans.push({ from: this.fileTime(), to: Infinity });
    this.process = await this.ports.processes.spawn({
      command,
      cwd,
      marker: this.stepId,
      onOutput: (chunk) => {
        this.output.add(chunk);
        this.ports.output.data(this.stepId, chunk);
      },
    });
    if (this.endedBy) void this.end(this.endedBy, this.graceMs);
    return this.process.id;
  }

  /** Settles when it has ended, by itself, by its time limit or by a stop. */
  async finished(): Promise<StepEnd> {
    const process = this.process;
    if (!process) throw new Error('the command was not started');
    this.runClock();
    const exit = await Promise.race([process.exited, this.undying.then((): undefined => undefined)]);
    this.over = true;
    this.standing?.abort();
    // Ended by us: its whole tree is dead, and known to be, before anything says so.
    await this.ending;
    const left = this.endedBy ? [] : await this.endLeftovers(process);
    this.survivors = [...this.survivors, ...(await process.suspects())];
    this.stands();
    const took = seconds(this.ports.clock.now() - this.startedAt);
    const text = this.output.text();
    const out = text === '' ? '(no output)' : text;
    this.ports.output.closed(this.stepId, this.endedBy ? 'ended' : `exit ${exit?.code ?? exit?.signal}`);
    const { code, signal } = exit ?? { code: null, signal: null };
    const facts = { stepId: this.stepId, exit: { code, signal }, survivors: this.survivors };
    const ended = exit ? 'was ended' : 'could not be ended';
    const still = survivorWords(this.survivors);
    if (this.endedBy === 'stop') {
      const by = exit ? `${ended} by the stop` : `${ended}, though the stop tried,`;
      const how = exit ? ` (${signal ?? `exit code ${code}`})` : '';
      return {
        ...facts,
        outcome: 'unknown',
        effect: 'unknown',
        reason: 'stopped',
        text: `The command had started and ${by} after ${took}${how}; what it did until then is not known.${still} Output so far:\n${out}`,
      };
    }
    if (this.endedBy === 'timeout') {
      return {
        ...facts,
        exit: { ...facts.exit, timedOut: true },
        outcome: 'failed',
        effect: 'committed',
        reason: 'timeout',
        text: `The command reached its time limit of ${seconds(this.plan.timeoutMs)} and ${ended}; it may have done part of its work.${still} Output:\n${out}`,
      };
    }
    if (this.endedBy === 'human') {
      // It answered the polite signal with an exit of its own, or it was cut.
      const how = exit ? (code === null ? `was cut by ${signal}` : `ended with exit code ${code}`) : ended;
      return {
        ...facts,
        outcome: 'failed',
        effect: code === null ? 'unknown' : 'committed',
        reason: 'killed',
        text: `The developer ended this command after ${took}: it ${how}. It may have done part of its work; look before you rely on it.${still} Output so far:\n${out}`,
      };
    }
    const good = code === 0;
    const stray =
      left.length > 0
        ? `\n[${left.length} processes it had left running were ended; use background for those that shall stay]`
        : '';
    return {
      ...facts,
      outcome: good ? 'done' : 'failed',
      effect: 'committed',
      text: `${good ? 'exit code 0' : signal ? `ended by ${signal}` : `exit code ${code}`}, ${took}${still}\n${out}${stray}`,
      ...(good ? {} : { reason: 'exit' }),
    };
  }

  /** A command that is over leaves nothing behind that was not declared to stay. */
  private async endLeftovers(process: RunningProcess): Promise<ProcessId[]> {
    const left = await process.alive();
    if (left.length > 0) this.survivors = await process.end(this.ports.settings.stopGraceMs());
    return left;
  }

  /** A command that is declared to stay: waits a moment, so that one that fails at once is seen. */
  async settledInBackground(): Promise<StepEnd | undefined> {
    const process = this.process;
    if (!process) return undefined;
    const wait = new AbortController();
    const early = await Promise.race([
      process.exited.then(() => true),
      this.ports.clock.sleep(1000, wait.signal).then(
        () => false,
        () => false,
      ),
    ]);
    wait.abort();
    if (early) return this.finished();
    return {
      stepId: this.stepId,
      outcome: 'done',
      effect: 'committed',
      text: `Started in the background as process ${process.id.pid}; it lives until it ends by itself or the run is aborted. Output so far:\n${this.output.text() || '(no output)'}`,
    };
  }

  /** Settles when nothing of it lives any more: the shell may end before what it left behind. */
  async gone(): Promise<void> {
    await this.process?.exited;
    const never = new AbortController().signal;
    while (((await this.process?.alive()) ?? []).length > 0) await this.ports.clock.sleep(LOOK_EVERY, never);
  }

  /** What only a record would find after a restart. */
  loose(): ProcessId[] {
    return this.process?.loose() ?? [];
  }

  /** SIGSTOP for the whole tree; its time limit stands still. */
  async freeze(): Promise<Frozen> {
    // Signals of a thaw that is under way would set it going again.
    await this.thawing?.catch(() => undefined);
    const process = this.process;
    if (!process || this.over) return 'ended';
    // Being ended already: standing still it could not react to that.
    if (!process.canFreeze || this.ending || this.leaving) return 'goesOn';
    const stands = await process.freeze();
    if (this.over) return 'ended';
    // Ended meanwhile (a force stop, an abort, its time limit): it does not stand, it dies.
    if (!stands || this.ending || this.leaving) {
      await process.thaw();
      return 'goesOn';
    }
    const since = this.fileTime();
    // Nobody there: it has just exited, and its end is on the way.
    if ((await process.alive()).length === 0) return 'ended';
    this.standing?.abort();
    this.standing = undefined;
    this.stands(since);
    // What the human writes from the answer on is told from what it wrote last.
    await this.ports.tree?.passed(since);
    return this.over ? 'ended' : this.ending || this.leaving ? 'goesOn' : 'frozen';
  }

  private fileTime(): number {
    return this.ports.tree?.now() ?? this.ports.clock.now();
  }

  /** Nothing of it runs from here on. */
  private stands(since = this.fileTime()): void {
    const last = this.spans.at(-1);
    if (last?.to === Infinity) last.to = since;
  }

  /** It has been frozen, and nothing has set it going again. */
  get standsStill(): boolean {
    return this.stoodAt !== undefined;
  }

  /** Since when it stands still, in the file system's time. */
  get stoodAt(): number | undefined {
    const to = this.over ? undefined : this.spans.at(-1)?.to;
    return to === Infinity ? undefined : to;
  }

  /** From here on something of it may run. */
  private goesOn(): void {
    if (this.standsStill) this.spans.push({ from: this.fileTime(), to: Infinity });
  }

  async thaw(): Promise<void> {
    this.goesOn();
    this.runClock();
    this.thawing = this.process?.thaw();
    await this.thawing;
  }

  private thawing: Promise<void> | undefined;
  private ending: Promise<void> | undefined;

  /** Settles when even KILL has not ended it (it waits in the kernel, or belongs to another user): nobody waits for it any longer. */
  private readonly undying: Promise<void>;
  private giveUp: () => void = () => undefined;

  /** A stop is about to end it: it is not said to stand still any more. */
  private leaving = false;

  willEnd(): void {
    this.leaving = true;
  }

  /** The human has ended it, by itself. */
  get endedByHuman(): boolean {
    return this.endedBy === 'human';
  }

  /** The shortest that an end has given it until now, of one that came before there was a process too. */
  private graceMs = Infinity;

  /** TERM, grace, KILL, for everything it started. What was to be killed at once is not asked politely any more. */
  end(by: EndedBy, longestMs: number): Promise<void> {
    const { process } = this;
    const graceMs = (this.graceMs = Math.min(longestMs, this.graceMs));
    if (this.over) return Promise.resolve();
    this.endedBy ??= by;
    if (!process) return Promise.resolve();
    // Asked politely it goes on first.
    if (graceMs > 0) this.goesOn();
    const before = this.ending;
    this.ending = process.end(graceMs).then((survivors) => {
      this.survivors = survivors;
      if (survivors.some(({ pid, startTime }) => pid === process.id.pid && startTime === process.id.startTime))
        this.giveUp();
    });
    return before ? Promise.all([before, this.ending]).then(() => undefined) : this.ending;
  }

  private runClock(): void {
    if (this.over || this.standing || this.plan.background) return;
    const standing = new AbortController();
    this.standing = standing;
    const from = this.ports.clock.now();
    this.ports.clock.sleep(this.left, standing.signal).then(
      () => void this.end('timeout', this.ports.settings.stopGraceMs()),
      () => {
        this.left = Math.max(0, this.left - (this.ports.clock.now() - from));
      },
    );
  }
}
