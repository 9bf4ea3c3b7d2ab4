/** The memory of a whole workspace: what changed between two looks, whoever did it. */
import type { Path } from './ports';

/** How long a look may take before it says "not fully known", ms. */
export const LOOK_BUDGET_MS = 5000;

export interface TreeChange {
  path: Path;
  kind: 'created' | 'changed' | 'deleted';
  /** Bytes now; 0 when gone. */
  size: number;
  /** When the file last changed, ms since 1970; absent when it is gone. */
  ctimeMs?: number;
}

/** A file whose content no repository holds: it exists once. */
export interface TreeFile {
  path: Path;
  size: number;
  ctimeMs: number;
}

export interface TreeLook {
  /** Nothing was remembered before: what changed cannot be told. */
  first: boolean;
  /** Why not all is known; absent: everything but ignored files was looked at. */
  partial?: string;
  /** Sorted by path. */
  changes: TreeChange[];
  /** Files whose bytes no repository holds: a later look could not give them. Last changed first, the oldest left out. */
  loose: TreeFile[];
  /** The bytes of changed or deleted files at the look before, where a repository holds them (never those of `loose`). */
  before(paths: readonly Path[]): Promise<Map<Path, Uint8Array>>;
}

export interface LookOptions {
  budgetMs: number;
  signal: AbortSignal;
}

export interface Tree {
  /** The time of the file system the workspace lies on, as `ctimeMs` has it. */
  now(): number;
  /** Settles once a change made from then on cannot carry a time before `time`: such times come from a clock that lags behind. */
  passed(time: number): Promise<void>;
  /**
   * What differs from the last look of this run, and remembers what is there now. Ignored files are left out and cost
   * nothing; what could not be looked at in time stays remembered as it was. Rejects only with the signal's reason.
   */
  look(runId: string, options: LookOptions): Promise<TreeLook>;
  /** The run is over: nothing of it has to be remembered. */
  forget(runId: string): Promise<void>;
}
