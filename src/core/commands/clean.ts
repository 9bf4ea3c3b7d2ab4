/** Keeps the storage within its limits, beside the work: no step waits for it, and what failed is tried at the next occasion. */
import { aged, excess, removable, type Retention, type RetentionLimits, type RunSize } from '../checkpoints/retention';
import type { RunRegistry } from '../registry';
import { isFinal, type RunState } from '../run/state';

/** A long run is looked at again after so many steps, and when it has grown by a quarter: a look reads all that it has stored. */
const EVERY_STEPS = 250;
const GROWN = 0.25;

export class Cleaner {
  private working: Promise<void> | undefined;
  private again = false;
  private freed = false;
  private readonly closing = new AbortController();
  /** Steps of a run when it was last looked at; Infinity: it had ended. */
  private readonly seen = new Map<string, number>();

  constructor(private readonly runs: RunRegistry) {}

  /** A boundary of a run. */
  readonly boundary = (state: RunState): void => {
    const before = this.seen.get(state.runId) ?? 0;
    const now = isFinal(state.status) ? Infinity : state.steps.length;
    if (now === before || now - before < Math.max(EVERY_STEPS, before * GROWN)) return;
    this.seen.set(state.runId, now);
    this.start();
  };

  /** `freed`: a run was deleted, and contents may be nobody's now. */
  start(freed = false): void {
    this.freed ||= freed;
    this.again = true;
    if (this.closing.signal.aborted || this.runs.following || this.runs.ports.retention === undefined) return;
    this.working ??= this.work().finally(() => (this.working = undefined));
  }

  /** Nothing is being cleaned. */
  async idle(): Promise<void> {
    await this.working;
  }

  /** What has begun is left where it is; that is harmless. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.working;
  }

  private async work(): Promise<void> {
    while (this.again && !this.closing.signal.aborted) {
      this.again = false;
      try {
        await this.clean();
      } catch (error) {
        if (this.closing.signal.aborted) return;
        this.runs.ports.log.warn(
          `the storage was not cleaned: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  }

  private async clean(): Promise<void> {
    const { retention, settings, clock } = this.runs.ports;
    const { signal } = this.closing;
    if (retention === undefined) return;
    let total = await this.measure(retention);
    const limits: RetentionLimits = settings.checkpoints?.() ?? { maxMegabytes: Infinity, maxAgeDays: Infinity };
    const mayGo = removable(this.runs.summaries(), this.runs.currentId());
    const doomed = new Set(aged(mayGo, limits, clock.now()));
    if (excess(total, limits) > 0) {
      // what is nobody's goes first
      await retention.collect(true, signal);
      total = await this.measure(retention);
    }
    const over = excess(total, limits);
    if (over > 0) for (const runId of await retention.surplus(oldest(mayGo), over, signal)) doomed.add(runId);
    for (const runId of doomed) {
      signal.throwIfAborted();
      if (await this.runs.removeOld(runId)) this.freed = true;
    }
    const { freed } = this;
    this.freed = false;
    try {
      await retention.collect(freed, signal);
    } catch (error) {
      this.freed ||= freed;
      throw error;
    }
  }

  private async measure(retention: Retention): Promise<number> {
    const { total, runs, pinned } = await retention.survey(this.known(), this.closing.signal);
    this.runs.measured(runs, pinned);
    return total;
  }

  private known(): Map<string, RunSize> {
    return new Map(this.runs.summaries().flatMap(({ runId, size }) => (size ? [[runId, size] as const] : [])));
  }
}

const oldest = (runs: readonly { runId: string }[]): string[] => runs.map(({ runId }) => runId);
