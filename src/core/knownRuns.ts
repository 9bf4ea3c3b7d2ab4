/** What is told of every run without opening it: kept here, and written for the next start as far as the journal bears it out. */
import type { RunSize } from './checkpoints/retention';
import type { Ports } from './ports';
import { isActive, isFinal, isWaiting, type RunSummary } from './run/state';

export class KnownRuns {
  private readonly runs = new Map<string, RunSummary>();
  /** Entries as they were last written. */
  private readonly written = new Map<string, RunSummary>();
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly ports: Pick<Ports, 'store' | 'log'>) {}

  get(runId: string): RunSummary | undefined {
    return this.runs.get(runId);
  }

  /** In no order. */
  all(): RunSummary[] {
    return [...this.runs.values()];
  }

  /** Newest first. */
  sorted(): RunSummary[] {
    return this.all().sort((a, b) => (a.runId < b.runId ? 1 : -1));
  }

  /** The run that commands mean which name none: at work or waiting before resting, resting before ended, then the newest. */
  currentId(): string | undefined {
    const rank = (run: RunSummary): number =>
      isActive(run.status) || isWaiting(run.status) ? 2 : isFinal(run.status) ? 0 : 1;
    // Order by id where times are equal: ids are sorted by creation.
    const newest = (a: RunSummary, b: RunSummary): number => rank(b) - rank(a) || (a.runId < b.runId ? 1 : -1);
    return this.all().sort(newest)[0]?.runId;
  }

  /** As it stands on disk. */
  remember(summary: RunSummary): void {
    this.runs.set(summary.runId, summary);
    this.written.set(summary.runId, summary);
  }

  /** `durable`: the journal says so too. The index never says more: what lost its journal is offered as interrupted. */
  changed(state: RunSummary, durable: boolean): void {
    // what the storage says of a run is not in its state
    const { size, pinned } = this.runs.get(state.runId) ?? {};
    const summary = { ...state, ...(size && { size }), ...(pinned && { pinned }) };
    this.runs.set(state.runId, summary);
    const old = this.written.get(state.runId);
    if (!durable) this.written.delete(state.runId);
    else if (!old || old.status !== summary.status || old.live !== summary.live || old.control !== summary.control)
      this.write(summary);
  }

  /** What the storage says of a run. */
  restate(runId: string, change: { size?: RunSize; pinned: boolean }): void {
    const before = this.runs.get(runId);
    if (!before) return;
    const next = { ...before, ...change };
    const { own, contents } = next.size ?? {};
    const same = (before.pinned ?? false) === next.pinned && before.size?.own === own;
    if (same && before.size?.contents === contents) return;
    this.runs.set(runId, next);
    if (this.written.has(runId)) this.write(next);
  }

  forget(runId: string): void {
    this.runs.delete(runId);
    this.written.delete(runId);
  }

  /** What the index says now is on disk, or its failure was logged. */
  isWritten(): Promise<void> {
    return this.writing;
  }

  /** Derived and rebuilt when lost: a failure is no loss. */
  private write(summary: RunSummary): void {
    this.written.set(summary.runId, summary);
    this.writing = this.writing
      .then(() => this.ports.store.updateIndex(summary))
      .catch((error: unknown) => this.ports.log.warn(`the index was not written: ${String(error)}`));
  }
}
