/** What the store has promised so far: a record is durable when an append that asked for a sync was answered, and not before. */
import type { JournalRecord, RunStore, Store } from '../../src/core/ports';

interface Promised {
  appended: number;
  durable: number;
  /** Of what was appended since the last sync: steps whose intent is in it. */
  waiting: Set<string>;
}

export class StorePromises {
  private readonly runs = new Map<string, Promised>();
  /** Steps whose intent is durable. */
  private readonly intents = new Set<string>();

  /** Number of the last record of a run that a crash cannot take. */
  durableSeq(runId: string): number {
    return this.runs.get(runId)?.durable ?? 0;
  }

  /** Number of the last record that is written, durable or not. */
  appendedSeq(runId: string): number {
    return this.runs.get(runId)?.appended ?? 0;
  }

  /** The intent of a step's last attempt, or of a restore, is on disk. */
  isIntentDurable(id: string): boolean {
    return this.intents.has(id);
  }

  /** The step's turn has come again: it needs a new intent. */
  forgetIntent(stepId: string): void {
    this.intents.delete(stepId);
  }

  /** The host has died: what was written and not synced may be gone. */
  crash(): void {
    for (const run of this.runs.values()) {
      run.appended = run.durable;
      run.waiting.clear();
    }
  }

  watch(store: Store): Store {
    return {
      blobs: store.blobs,
      list: () => store.list(),
      load: async (runId, hear) => {
        const loaded = await store.load(runId);
        const run = this.of(runId);
        // What a crash has left stays.
        run.appended = Math.max(run.durable, loaded?.tail.at(-1)?.seq ?? loaded?.snapshot?.seq ?? 0);
        run.durable = run.appended;
        if (!hear || !loaded) return loaded;
        hear.begin(loaded.snapshot);
        for (const record of loaded.tail) hear.take(record);
        return { ...loaded, tail: [] };
      },
      updateIndex: (summary) => store.updateIndex(summary),
      remove: (runId) => store.remove(runId),
      open: async (runId) => this.watchRun(runId, await store.open(runId)),
    };
  }

  private of(runId: string): Promised {
    const run = this.runs.get(runId) ?? { appended: 0, durable: 0, waiting: new Set() };
    this.runs.set(runId, run);
    return run;
  }

  private watchRun(runId: string, inner: RunStore): RunStore {
    const run = this.of(runId);
    return {
      get journalBytes() {
        return inner.journalBytes;
      },
      get snapshotBytes() {
        return inner.snapshotBytes;
      },
      append: async (records, options) => {
        await inner.append(records, options);
        this.answered(run, records, options.sync);
      },
      snapshot: (state) => inner.snapshot(state),
      close: () => inner.close(),
    };
  }

  private answered(run: Promised, records: readonly JournalRecord[], sync: boolean): void {
    for (const { event } of records) {
      if (event.type === 'effectRequested') run.waiting.add(event.stepId);
      if (event.type === 'restoreRequested') run.waiting.add(event.restore.id);
    }
    run.appended = Math.max(run.appended, records.at(-1)?.seq ?? 0);
    if (!sync) return;
    run.durable = run.appended;
    for (const step of run.waiting) this.intents.add(step);
    run.waiting.clear();
  }
}
