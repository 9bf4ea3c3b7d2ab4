/** When a snapshot is taken, and that it holds nothing up. */
import type { Log, RunStore } from '../ports';
import { type InFlight, isFinal, type RunState, type RunStatus } from '../run/state';

const LEAST_BYTES = 512 * 1024;

export interface SnapshotFacts {
  /** Bytes appended since the last snapshot, and of that snapshot (0: there is none). */
  journalBytes: number;
  snapshotBytes: number;
  status: RunStatus;
  inFlight: InFlight | null;
}

/**
 * A snapshot costs as much as the state is large, so the next one waits until the journal has grown as much again: what a
 * step pays for snapshots does not grow with the run. At rest a quarter is enough: the next start has less to read. A run
 * that is over gets its last one.
 */
export function snapshotDue({ journalBytes, snapshotBytes, status, inFlight }: SnapshotFacts): boolean {
  const limit = Math.max(LEAST_BYTES, snapshotBytes);
  if (journalBytes >= limit) return true;
  if (inFlight !== null || journalBytes === 0) return false;
  return snapshotBytes === 0 || isFinal(status) || journalBytes > limit / 4;
}

export class Snapshots {
  private writing: Promise<void> | undefined;
  /** Size of the journal when a snapshot failed: it is not tried again at every step. */
  private failedAt = -Infinity;

  constructor(
    private readonly store: RunStore,
    private readonly log: Log,
  ) {}

  /** At a boundary or in a new status. Never waited for by the run: the journal holds everything. */
  consider(state: RunState): void {
    if (this.writing !== undefined) return;
    const { journalBytes, snapshotBytes } = this.store;
    const { status, inFlight } = state;
    if (!snapshotDue({ journalBytes, snapshotBytes, status, inFlight })) return;
    if (journalBytes < this.failedAt + LEAST_BYTES) return;
    this.writing = this.store
      .snapshot(state)
      .then(() => void (this.failedAt = -Infinity))
      .catch((error: unknown) => {
        this.failedAt = journalBytes;
        this.log.warn(`no snapshot: ${error instanceof Error ? error.message : String(error)}`);
      })
      .finally(() => (this.writing = undefined));
  }

  /** No snapshot is being written. */
  async idle(): Promise<void> {
    await this.writing;
  }
}
