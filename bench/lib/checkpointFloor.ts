/** What the disk itself takes: the same bytes into the same files with the same number of syncs, and one append with one sync. */
import { mkdirSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Kind, Op } from './tracedFs';

/** One file of a kind, written at its end. */
class Raw {
  private at = 0;
  constructor(private readonly handle: FileHandle) {}

  async write(bytes: number): Promise<void> {
    const { at } = this;
    this.at += bytes;
    await this.handle.write(PAYLOAD, 0, bytes, at);
  }

  sync(): Promise<void> {
    return this.handle.datasync();
  }

  close(): Promise<void> {
    return this.handle.close();
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
    const raw = async (name: string): Promise<Raw> => new Raw(await open(path.join(dir, name), 'w'));
    return new Floor(dir, { pack: await raw('pack'), journal: await raw('journal'), append: await raw('append') });
  }

  /** Consecutive syncs of different files run side by side, as in the store; a snapshot is waited for as little as there. */
  async step(ops: readonly Op[]): Promise<number> {
    const other = ops.filter((op) => op.kind === 'other' && op.op === 'write');
    const from = performance.now();
    let syncs: Promise<void>[] = [];
    for (const op of ops) {
      if (op.kind === 'other') continue;
      const file = this.files[op.kind];
      if (op.op === 'sync') {
        syncs.push(file.sync());
        continue;
      }
      // the journal's lines are written while the pack is being synced
      if (op.kind === 'pack') await Promise.all(syncs.splice(0));
      if (syncs.length > 1) await Promise.all(syncs.splice(0));
      await file.write(op.bytes);
    }
    await Promise.all(syncs);
    syncs = [];
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
