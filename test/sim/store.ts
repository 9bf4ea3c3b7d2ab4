/** A store in memory that forgets, at a crash, what a disk forgets: all that was not synced, in the middle of a line too. */
import type { Blobs, Hash, JournalRecord, LoadedRun, RunStore, Store } from '../../src/core/ports';
import { foldLoaded, summarize } from '../../src/core/run/load';
import type { RunState, RunSummary } from '../../src/core/run/state';
import { sha256 } from '../../src/node/hash';
import type { Random } from './random';
import type { Turns } from './turns';

interface Run {
  snapshot: string | undefined;
  /** Lines that survive a crash. */
  synced: string[];
  /** Lines that may not. */
  cached: string[];
}

export type StoreOp = 'append' | 'snapshot' | 'blob' | 'index' | 'load';

export class SimStore implements Store {
  readonly blobs: Blobs = { put: (bytes) => this.putBlob(bytes), get: (hash) => this.getBlob(hash) };
  private readonly runs = new Map<string, Run>();
  private index = new Map<string, string>();
  private indexCached = new Map<string, string>();
  private readonly blobsSynced = new Map<Hash, Uint8Array>();
  private blobsCached = new Map<Hash, Uint8Array>();
  private faults: { op: StoreOp; times: number }[] = [];

  constructor(
    private readonly turns: Turns,
    private readonly random: Random,
  ) {}

  // ---------------------------------------------------------- for the test, at once

  /** The host dies: of what was not synced, an unknown part is left, the last line perhaps torn. */
  crash(): void {
    for (const run of this.runs.values()) {
      const kept = run.cached.splice(0, this.random.below(run.cached.length + 1));
      const torn = run.cached[0];
      run.synced.push(...kept);
      run.cached = [];
      if (torn !== undefined && this.random.next() < 0.5)
        run.synced.push(torn.slice(0, this.random.below(torn.length)));
    }
    for (const [hash, bytes] of this.blobsCached) if (this.random.next() < 0.5) this.blobsSynced.set(hash, bytes);
    this.blobsCached = new Map();
    if (this.random.next() < 0.5) this.index = new Map([...this.index, ...this.indexCached]);
    this.indexCached = new Map();
  }

  /** Number of the last record of a run that a crash cannot take. */
  durableSeq(runId: string): number {
    const run = this.runs.get(runId);
    if (!run) return 0;
    return (
      parse(run.synced).at(-1)?.seq ?? (run.snapshot === undefined ? 0 : (JSON.parse(run.snapshot) as RunState).seq)
    );
  }

  /** Content, synced or not; for checks. */
  peek(hash: Hash): Uint8Array | undefined {
    return this.blobsSynced.get(hash) ?? this.blobsCached.get(hash);
  }

  stored(runId: string): LoadedRun | undefined {
    const run = this.runs.get(runId);
    if (!run) return undefined;
    const snapshot = run.snapshot === undefined ? undefined : (JSON.parse(run.snapshot) as RunState);
    const tail = parse([...run.synced, ...run.cached]).filter((record) => record.seq > (snapshot?.seq ?? 0));
    return { snapshot, tail, damage: [] };
  }

  /** The next `times` operations of this kind fail: no space. */
  fail(op: StoreOp, times = 1): void {
    this.faults.push({ op, times });
  }

  heal(): void {
    this.faults = [];
  }

  // ---------------------------------------------------------- the port

  async list(): Promise<RunSummary[]> {
    await this.turns.take();
    const entries = new Map([...this.index, ...this.indexCached]);
    const out: RunSummary[] = [];
    for (const runId of this.runs.keys()) {
      const entry = entries.get(runId);
      const state = entry === undefined ? foldLoaded(this.stored(runId) ?? NOTHING) : undefined;
      if (entry !== undefined) out.push(JSON.parse(entry) as RunSummary);
      else if (state) out.push({ ...summarize(state), live: true });
    }
    return out;
  }

  async load(runId: string): Promise<LoadedRun | undefined> {
    await this.turns.take();
    this.meetFault('load');
    return this.stored(runId);
  }

  async open(runId: string): Promise<RunStore> {
    await this.turns.take();
    const run: Run = this.runs.get(runId) ?? { snapshot: undefined, synced: [], cached: [] };
    this.runs.set(runId, run);
    // A torn end is cut off, so that the next line stands alone.
    run.synced = parse(run.synced).map((record) => JSON.stringify(record));
    return this.writer(run);
  }

  async updateIndex(summary: RunSummary): Promise<void> {
    await this.turns.take();
    this.meetFault('index');
    this.indexCached.set(summary.runId, JSON.stringify(summary));
    await this.turns.take();
    this.index = new Map([...this.index, ...this.indexCached]);
  }

  async remove(runId: string): Promise<void> {
    await this.turns.take();
    this.runs.delete(runId);
    this.index.delete(runId);
    this.indexCached.delete(runId);
  }

  private writer(run: Run): RunStore {
    const { turns } = this;
    const bytes = (): number => [...run.synced, ...run.cached].reduce((n, line) => n + line.length + 1, 0);
    return {
      get journalBytes() {
        return bytes();
      },
      get snapshotBytes() {
        return run.snapshot?.length ?? 0;
      },
      append: async (records: readonly JournalRecord[], { sync }: { sync: boolean }) => {
        await turns.take();
        this.meetFault('append');
        run.cached.push(...records.map((record) => JSON.stringify(record)));
        if (!sync) return;
        await turns.take();
        run.synced.push(...run.cached.splice(0));
        await turns.take();
      },
      snapshot: async (state: RunState) => {
        await turns.take();
        this.meetFault('snapshot');
        run.snapshot = JSON.stringify(state);
        await turns.take();
        // what was appended meanwhile stays
        const later = (line: string): boolean => (JSON.parse(line) as JournalRecord).seq > state.seq;
        run.synced = run.synced.filter(later);
        run.cached = run.cached.filter(later);
      },
      close: () => Promise.resolve(),
    };
  }

  private async putBlob(bytes: Uint8Array): Promise<Hash> {
    await this.turns.take();
    this.meetFault('blob');
    const hash = sha256(bytes);
    this.blobsCached.set(hash, bytes.slice());
    await this.turns.take();
    this.blobsSynced.set(hash, bytes.slice());
    return hash;
  }

  private async getBlob(hash: Hash): Promise<Uint8Array | undefined> {
    await this.turns.take();
    return this.peek(hash);
  }

  private meetFault(op: StoreOp): void {
    const fault = this.faults.find((f) => f.op === op && f.times > 0);
    if (!fault) return;
    fault.times -= 1;
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  }
}

const NOTHING: LoadedRun = { snapshot: undefined, tail: [], damage: [] };

/** Whole lines up to the first that is none. */
function parse(lines: readonly string[]): JournalRecord[] {
  const records: JournalRecord[] = [];
  for (const line of lines) {
    try {
      records.push(JSON.parse(line) as JournalRecord);
    } catch {
      break;
    }
  }
  return records;
}
