/**
 * What the disk itself takes: the same bytes into the same files with the same number of syncs, and one append with one sync; by
 * the calls the store uses, so that neither side gains by another way to the system.
 */
import { constants, mkdirSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import path from 'node:path';
import { type OpenFile, realFs } from '../../src/node/fs';
import type { Kind, Op } from './tracedFs';

const FLAGS = constants.O_RDWR | constants.O_CREAT;

/** One file of a kind, written at its end. */
class Raw {
  private at = 0;
  constructor(private readonly file: OpenFile) {}

  static async make(name: string): Promise<Raw> {
    return new Raw(await realFs.open(name, { flags: FLAGS, direct: true }));
  }

  async write(bytes: number): Promise<void> {
    const { at } = this;
    this.at += bytes;
    await this.file.write(PAYLOAD.subarray(0, bytes), at);
  }

  sync(): Promise<void> {
    return this.file.datasync();
  }

  close(): Promise<void> {
    return this.file.close();
  }
}

const PAYLOAD = Buffer.alloc(32 * 1024 * 1024, 'raw bytes, as many as the store wrote; ');

export class Floor {
  private snapshot: Promise<void> = Promise.resolve();

  private constructor(
    private readonly dir: string,
    private readonly files: Record<'pack' | 'journal' | 'append', Raw>,
  ) {}

  static async begin(dir: string): Promise<Floor> {
    mkdirSync(dir, { recursive: true });
    const raw = (name: string): Promise<Raw> => Raw.make(path.join(dir, name));
    return new Floor(dir, { pack: await raw('pack'), journal: await raw('journal'), append: await raw('append') });
  }

  /** Consecutive syncs of different files run side by side, as in the store; a snapshot is waited for as little as there. */
  async step(ops: readonly Op[]): Promise<number> {
    const other = ops.filter((op) => op.kind === 'other' && op.op === 'write');
    const from = performance.now();
    const syncs: Promise<void>[] = [];
    for (const op of ops) {
      if (op.kind === 'other') continue;
      const file = this.files[op.kind];
      if (op.op === 'sync') {
        syncs.push(file.sync());
        continue;
      }
      // nothing of a promise is written before the one before it holds
      if (syncs.length > 0) await Promise.all(syncs.splice(0));
      await file.write(op.bytes);
    }
    await Promise.all(syncs);
    const ms = performance.now() - from;
    if (other.length > 0) this.snapshot = this.snapshot.then(() => this.document(other));
    return ms;
  }

  /** One append of so many bytes with one sync. */
  async append(bytes: number): Promise<number> {
    const from = performance.now();
    await this.files.append.write(bytes);
    await this.files.append.sync();
    return performance.now() - from;
  }

  async close(): Promise<void> {
    await this.snapshot;
    await Promise.all(Object.values(this.files).map((file) => file.close()));
  }

  private async document(writes: readonly Op[]): Promise<void> {
    const name = path.join(this.dir, 'document');
    const handle = await open(`${name}.tmp`, 'w');
    for (const op of writes) if (op.op === 'write') await handle.write(PAYLOAD, 0, op.bytes);
    await handle.sync();
    await handle.close();
    await rename(`${name}.tmp`, name);
  }
}

export const written = (ops: readonly Op[], kinds: readonly Kind[]): number =>
  ops.reduce((sum, op) => sum + (op.op === 'write' && kinds.includes(op.kind) ? op.bytes : 0), 0);
