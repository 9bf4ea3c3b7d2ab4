/** Contents of files by their hash: written once, checked whenever read. */
import path from 'node:path';
import type { Blobs, Hash } from '../../core/ports';
import { writeAtomic } from '../atomic';
import type { FsCalls } from '../fs';
import { sha256 } from '../hash';
import { makeFolder, readWhole } from './generations';
import { FILE_MODE, type Layout } from './layout';

export class NodeBlobs implements Blobs {
  /** Known to be on disk and whole, or on the way. */
  private readonly kept = new Map<Hash, Promise<void>>();

  constructor(
    private readonly fs: FsCalls,
    private readonly layout: Layout,
    /** Settles when the storage may be written. */
    private readonly ready: () => Promise<void>,
  ) {}

  /** Rejects with the system's error. */
  async put(bytes: Uint8Array): Promise<Hash> {
    const hash = sha256(bytes);
    let keeping = this.kept.get(hash);
    if (keeping === undefined) {
      keeping = this.keep(hash, bytes);
      this.kept.set(hash, keeping);
      keeping.catch(() => this.kept.delete(hash));
    }
    await keeping;
    return hash;
  }

  async get(hash: Hash): Promise<Uint8Array | undefined> {
    const file = this.layout.blob(hash);
    const bytes = file === undefined ? undefined : await readWhole(this.fs, file).catch(() => undefined);
    return bytes !== undefined && sha256(bytes) === hash ? bytes : undefined;
  }

  private async keep(hash: Hash, bytes: Uint8Array): Promise<void> {
    await this.ready();
    const file = this.layout.blob(hash);
    if (file === undefined || (await this.get(hash)) !== undefined) return;
    await makeFolder(this.fs, path.dirname(file));
    // temporary files beside the 256 folders, so that one look finds what a kill left
    await writeAtomic(this.fs, file, bytes, { mode: FILE_MODE, tmpDir: this.layout.blobs() });
  }
}
