/**
 * A store in memory that forgets, at a crash, what a disk forgets: of what was not synced any part may be there or gone, the last
 * line torn in its middle, contents without the lines that name them and the index of another time.
 */
import type { Blobs, Hash, JournalRecord, LoadedRun, RunStore, Store } from '../../src/core/ports';
import { foldLoaded, summarize } from '../../src/core/run/load';
import type { RunState, RunSummary } from '../../src/core/run/state';
import { sha256 } from '../../src/node/hash';
import type { Random } from './random';
import type { Turns } from './turns';

/** A line as it stands on disk; undefined: half of one, which nobody can read. */
type Line = JournalRecord | undefined;

interface Run {
  snapshot: RunState | undefined;
  /** Lines that survive a crash. */
  synced: Line[];
  /** Lines that may not. */
  cached: JournalRecord[];
  bytes: number;
  /** As it was last read, where nothing was written since. */
  read?: LoadedRun | undefined;
}

export type StoreOp = 'append' | 'snapshot' | 'blob' | 'index' | 'load';

/** What a test may ask of a simulated store besides the port. */
export interface CrashingStore extends Store {
  /** The host dies. */
  crash(): void;
  /** Content that was ever put, for checks. */
  peek(hash: Hash): Uint8Array | undefined;
  /** The next `times` operations of this kind fail: no space. */
  fail(op: StoreOp, times?: number): void;
  heal(): void;
}

export class SimStore implements CrashingStore {
  readonly blobs: Blobs = { put: (bytes) => this.putBlob(bytes), get: (hash) => this.getBlob(hash) };
  private readonly runs = new Map<string, Run>();
  private index = new Map<string, string>();
  private indexCached = new Map<string, string>();
  private readonly blobsSynced = new Map<Hash, Uint8Array>();
  private blobsCached = new Map<Hash, Uint8Array>();
  private readonly everPut = new Map<Hash, Uint8Array>();
  private faults: { op: StoreOp; times: number }[] = [];
  private appending: Promise<void> = Promise.resolve();

  constructor(
    private readonly turns: Turns,
    private readonly random: Random,
  ) {}

  // ---------------------------------------------------------- for the test, at once

  crash(): void {
    for (const run of this.runs.values()) {
      run.read = undefined;
      const kept = run.cached.splice(0, this.random.below(run.cached.length + 1));
      run.synced.push(...kept);
      if (run.cached.length > 0 && this.random.next() < 0.5) run.synced.push(undefined);
      run.cached = [];
    }
    for (const [hash, bytes] of this.blobsCached) if (this.random.next() < 0.5) this.blobsSynced.set(hash, bytes);
    this.blobsCached = new Map();
    for (const [runId, entry] of this.indexCached) if (this.random.next() < 0.5) this.index.set(runId, entry);
    this.indexCached = new Map();
  }

  peek(hash: Hash): Uint8Array | undefined {
    return this.everPut.get(hash);
  }

  stored(runId: string): LoadedRun | undefined {
    const run = this.runs.get(runId);
    if (!run) return undefined;
    if (run.read) return run.read;
    const { snapshot } = run;
    const tail = [...readable(run.synced), ...run.cached].filter((record) => record.seq > (snapshot?.seq ?? 0));
    run.read = JSON.parse(JSON.stringify({ snapshot, tail, damage: [] })) as LoadedRun;
    return run.read;
  }

  fail(op: StoreOp, times = 1): void {
    this.faults.push({ op, times });
  }

  /** From now on nothing is appended, until the answer is called. */
  stallAppends(): () => void {
    let release = (): void => undefined;
    this.appending = new Promise<void>((resolve) => (release = resolve));
    return release;
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
    const run: Run = this.runs.get(runId) ?? { snapshot: undefined, synced: [], cached: [], bytes: 0 };
    this.runs.set(runId, run);
    // A torn end is cut off, so that the next line stands alone.
    run.synced = readable(run.synced);
    return this.writer(run);
  }

  async updateIndex(summary: RunSummary): Promise<void> {
    await this.turns.take();
    this.meetFault('index');
    this.indexCached.set(summary.runId, JSON.stringify(summary));
    await this.turns.take();
    for (const [runId, entry] of this.indexCached) this.index.set(runId, entry);
    this.indexCached.clear();
  }

  async remove(runId: string): Promise<void> {
    await this.turns.take();
    this.runs.delete(runId);
    this.index.delete(runId);
    this.indexCached.delete(runId);
  }

  private writer(run: Run): RunStore {
    const { turns } = this;
    return {
      get journalBytes() {
        return run.bytes;
      },
      get snapshotBytes() {
        return run.snapshot ? 300 * run.snapshot.seq : 0;
      },
      append: async (records: readonly JournalRecord[], { sync }: { sync: boolean }) => {
        await turns.take();
        await this.appending;
        this.meetFault('append');
        run.read = undefined;
        run.cached.push(...records);
        run.bytes += 300 * records.length;
        if (!sync) return;
        const contents = new Map(this.blobsCached);
        await turns.take();
        run.synced.push(...run.cached.splice(0));
        for (const [hash, bytes] of contents) {
          this.blobsSynced.set(hash, bytes);
          this.blobsCached.delete(hash);
        }
        await turns.take();
      },
      snapshot: async (state: RunState) => {
        await turns.take();
        this.meetFault('snapshot');
        run.read = undefined;
        run.snapshot = state;
        await turns.take();
        // what was appended meanwhile stays
        run.synced = readable(run.synced).filter((record) => record.seq > state.seq);
        run.cached = run.cached.filter((record) => record.seq > state.seq);
        run.bytes = 300 * (run.synced.length + run.cached.length);
      },
      close: () => Promise.resolve(),
    };
  }

  private async putBlob(bytes: Uint8Array): Promise<Hash> {
    await this.turns.take();
    this.meetFault('blob');
    const hash = sha256(bytes);
    const copy = bytes.slice();
    this.everPut.set(hash, copy);
    if (!this.blobsSynced.has(hash)) this.blobsCached.set(hash, copy);
    return hash;
  }

  private async getBlob(hash: Hash): Promise<Uint8Array | undefined> {
    await this.turns.take();
    return this.blobsSynced.get(hash) ?? this.blobsCached.get(hash);
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
function readable(lines: readonly Line[]): JournalRecord[] {
  const end = lines.indexOf(undefined);
  return (end === -1 ? lines : lines.slice(0, end)) as JournalRecord[];
}
