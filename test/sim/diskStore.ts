/** The store as it is shipped, on a simulated disk. */
import path from 'node:path';
import type { Blobs, Hash, LoadedRun, RunStore } from '../../src/core/ports';
import { summarizeLoaded } from '../../src/core/run/load';
import type { RunSummary } from '../../src/core/run/state';
import { Faults, withFaults } from '../../src/node/faults';
import { sha256 } from '../../src/node/hash';
import { NodeStore } from '../../src/node/store';
import { SimDisk } from './disk';
import { type AtPoint, withPoints } from './points';
import type { Random } from './random';
import type { CrashingStore, StoreOp } from './store';
import type { Turns } from './turns';

/** Which file an operation writes to. */
const FILES: Record<StoreOp, RegExp> = {
  append: /^journal\.jsonl$/,
  snapshot: /^state\.json$/,
  blob: /\.pack$/,
  index: /^runs\.json$/,
  load: /^journal\.jsonl$/,
};

export class DiskStore implements CrashingStore {
  readonly blobs: Blobs = {
    put: async (bytes) => {
      this.everPut.set(sha256(bytes), bytes.slice());
      return this.inner.blobs.put(bytes);
    },
    get: (hash) => this.inner.blobs.get(hash),
  };
  readonly disk: SimDisk;
  /** Called before each call that changes the disk. */
  atPoint: AtPoint | undefined;
  private readonly everPut = new Map<Hash, Uint8Array>();
  private readonly faults = new Faults();
  private life = 0;
  private inner: NodeStore;

  constructor(turns: Turns, random: Random) {
    this.disk = new SimDisk(turns, random);
    this.inner = this.start();
  }

  /** A new process: nothing of what the one before held in memory. */
  private start(): NodeStore {
    this.life += 1;
    const fs = withPoints(withFaults(this.disk.calls(), this.faults), (op, file) => this.atPoint?.(op, file));
    return new NodeStore({ dir: `/life-${this.life}/storage`, fs, summarise: summarizeLoaded });
  }

  crash(): void {
    this.disk.crash();
    this.inner = this.start();
  }

  peek(hash: Hash): Uint8Array | undefined {
    return this.everPut.get(hash);
  }

  fail(op: StoreOp, times = 1): void {
    const file = FILES[op];
    this.faults.add({
      op: op === 'load' ? 'read' : 'write',
      path: (absolute) => file.test(path.posix.basename(absolute)),
      error: 'ENOSPC',
      times,
    });
  }

  heal(): void {
    this.faults.clear();
  }

  list(): Promise<RunSummary[]> {
    return this.inner.list();
  }

  load(runId: string): Promise<LoadedRun | undefined> {
    return this.inner.load(runId);
  }

  open(runId: string): Promise<RunStore> {
    return this.inner.open(runId);
  }

  updateIndex(summary: RunSummary): Promise<void> {
    return this.inner.updateIndex(summary);
  }

  remove(runId: string): Promise<void> {
    return this.inner.remove(runId);
  }
}
