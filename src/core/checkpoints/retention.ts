/** What is kept of old runs and what goes: decisions, and the port that measures and frees. Pure. */
import { isFinal, type RunSummary } from '../run/state';

/** From `holdfast.checkpoints.*`. */
export interface RetentionLimits {
  maxMegabytes: number;
  maxAgeDays: number;
}

/** Bytes on disk. */
export interface RunSize {
  /** Its own files. */
  own: number;
  /** Contents it refers to; others may share them. */
  contents: number;
}

/** What the storage says of a run, beside its state. */
export interface StoredFacts {
  /** Absent: not measured yet. */
  size?: RunSize;
  /** Never removed to make room. */
  pinned?: boolean;
}

export interface Survey {
  /** Of the whole storage, in bytes. */
  total: number;
  runs: Map<string, RunSize>;
  pinned: Set<string>;
}

/** All of it rejects with the system's error, or the signal's reason; what was not done then is done another time. */
export interface Retention {
  /** Reads the files only of runs whose own size is not the `known` one. */
  survey(known: ReadonlyMap<string, RunSize>, signal?: AbortSignal): Promise<Survey>;
  /** The first of `oldest` that free so many bytes together, or all of them. */
  surplus(oldest: readonly string[], excess: number, signal?: AbortSignal): Promise<string[]>;
  /** Frees contents that no file of a run names, and compresses old ones; `freed`: a run was removed. */
  collect(freed: boolean, signal?: AbortSignal): Promise<void>;
  /** A pinned run is not removed to make room. */
  pin(runId: string, pinned: boolean): Promise<void>;
}

const MEGABYTE = 1024 * 1024;
const DAY = 24 * 60 * 60 * 1000;

/**
 * Runs that may go, oldest first: those that are over, are not pinned and are not the one that is shown. What can still be
 * resumed is never removed by itself.
 */
export function removable(runs: readonly RunSummary[], current: string | undefined): RunSummary[] {
  const mayGo = (run: RunSummary): boolean =>
    isFinal(run.status) && run.pinned !== true && !run.live && run.runId !== current;
  return runs.filter(mayGo).sort((a, b) => a.updatedAt - b.updatedAt || (a.runId < b.runId ? -1 : 1));
}

/** Of those that may go, the ones past their age. A clock that stands before their time makes none of them old. */
export function aged(runs: readonly RunSummary[], { maxAgeDays }: RetentionLimits, now: number): string[] {
  return runs.filter((run) => now - run.updatedAt > maxAgeDays * DAY).map(({ runId }) => runId);
}

/** Bytes above the limit; 0: it holds. */
export function excess(total: number, { maxMegabytes }: RetentionLimits): number {
  return Math.max(0, total - maxMegabytes * MEGABYTE);
}
