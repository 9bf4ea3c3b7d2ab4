/** What is told of every run without opening it: kept here, and written for the next start as far as the journal bears it out. */
import type { RunSize } from './checkpoints/retention';
import type { Ports } from './ports';
import { isLive, summarize } from './run/load';
import { isActive, isFinal, isWaiting, type RunState, type RunSummary } from './run/state';

export class KnownRuns {
  private readonly runs = new Map<string, RunSummary>();
  /** States whose entry is made when somebody wants it: it counts all steps, and a state comes with every event. */
  private readonly newer = new Map<string, RunState>();
  /** Entries as they were last written. */
  private readonly written = new Map<string, RunSummary>();
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly ports: Pick<Ports, 'store' | 'log'>) {}

  get(runId: string): RunSummary | undefined {
    const state = this.newer.get(runId);
    const before = this.runs.get(runId);
    if (state === undefined) return before;
    this.newer.delete(runId);
    // what the storage says of a run is not in its state
    const { size, pinned } = before ?? {};
    const summary = { ...summarize(state), ...(size && { size }), ...(pinned && { pinned }) };
    this.runs.set(runId, summary);
    return summary;
  }

  /** In no order. */
  all(): RunSummary[] {
    for (const runId of [...this.newer.keys()]) this.get(runId);
    return [...this.runs.values()];
  }

  /** Newest first. */
  sorted(): RunSummary[] {
    return this.all().sort((a, b) => (a.runId < b.runId ? 1 : -1));
  }

  /** The run that commands mean which name none: at work or waiting before resting, resting before ended, then the newest. */
  currentId(): string | undefined {
    type Standing = Pick<RunState, 'runId' | 'status'>;
    const rank = ({ status }: Standing): number =>
      isActive(status) || isWaiting(status) ? 2 : isFinal(status) ? 0 : 1;
    // Order by id where times are equal: ids are sorted by creation.
    const newest = (a: Standing, b: Standing): number => rank(b) - rank(a) || (a.runId < b.runId ? 1 : -1);
    const known: Standing[] = [...this.runs.values()].filter(({ runId }) => !this.newer.has(runId));
    return [...known, ...this.newer.values()].sort(newest)[0]?.runId;
  }

  /** As it stands on disk. */
  remember(summary: RunSummary): void {
    this.runs.set(summary.runId, summary);
    this.written.set(summary.runId, summary);
  }

  /** `durable`: the journal says so too. The index never says more: what lost its journal is offered as interrupted. */
  changed(state: RunState, durable: boolean): void {
    const { runId, status, control } = state;
    this.newer.set(runId, state);
    const old = this.written.get(runId);
    if (!durable) this.written.delete(runId);
    else if (old?.status !== status || old.live !== isLive(state) || old.control !== control)
      this.write(this.get(runId));
  }

  /** What the storage says of a run. */
  restate(runId: string, change: { size?: RunSize; pinned: boolean }): void {
    const before = this.get(runId);
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
    this.newer.delete(runId);
    this.written.delete(runId);
  }

  /** What the index says now is on disk, or its failure was logged. */
  isWritten(): Promise<void> {
    return this.writing;
  }

  /** Derived and rebuilt when lost: a failure is no loss. */
  private write(summary: RunSummary | undefined): void {
    if (!summary) return;
    this.written.set(summary.runId, summary);
    this.writing = this.writing
      .then(() => this.ports.store.updateIndex(summary))
      .catch((error: unknown) => this.ports.log.warn(`the index was not written: ${String(error)}`));
  }
}
