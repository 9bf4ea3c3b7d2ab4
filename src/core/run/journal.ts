/** The journal of one run as the controller writes it: what could not be written is kept and tried again, never dropped. */
import type { JournalRecord, Ports, RunStore } from '../ports';

/** Waits between two tries to write what could not be written, ms: doubled from the first to the last. */
const FIRST_TRY = 1000;
const LAST_TRY = 30_000;

export class RunJournal {
  /** Folded in memory, not yet on disk: a full disk loses nothing, it only stops. */
  private unsaved: JournalRecord[] = [];
  private trying: AbortController | undefined;

  constructor(
    private readonly ports: Pick<Ports, 'clock'>,
    readonly store: RunStore,
  ) {}

  /** Everything that was folded is on disk. */
  get durable(): boolean {
    return this.unsaved.length === 0;
  }

  /** Rejects with the system's error; then nothing of it is on disk, and what was kept before is kept on. */
  async append(records: readonly JournalRecord[], options: { sync: boolean; boundary: boolean }): Promise<void> {
    const behind = this.unsaved;
    await this.store.append([...behind, ...records], { ...options, sync: options.sync || behind.length > 0 });
    this.unsaved = [];
  }

  /** Takes records that were folded all the same, and calls `again` from time to time until they are written. */
  keep(records: readonly JournalRecord[], again: () => Promise<void>): void {
    this.unsaved.push(...records);
    if (this.trying) return;
    const trying = new AbortController();
    this.trying = trying;
    void this.tryAgain(trying.signal, again)
      .catch(() => undefined)
      .finally(() => (this.trying = undefined));
  }

  private async tryAgain(signal: AbortSignal, again: () => Promise<void>): Promise<void> {
    for (let wait = FIRST_TRY; !this.durable; wait = Math.min(LAST_TRY, wait * 2)) {
      await this.ports.clock.sleep(wait, signal);
      await again();
    }
  }

  async close(): Promise<void> {
    this.trying?.abort();
    await this.store.close();
  }
}
