/** Contents of files by their hash: written once, checked whenever they are read. */
import type { Blobs, Hash } from '../../core/ports';
import type { FsCalls } from '../fs';
import { sha256 } from '../hash';
import { readWhole } from './generations';
import type { Layout } from './layout';
import { PackIndex } from './packIndex';
import type { Place } from './packText';
import { readPacked } from './packReader';
import { PackWriter } from './packWriter';

/** A run that only reads makes nothing durable for long; more than this is not left to the system's memory. */
const MAX_UNSYNCED = 8 * 1024 * 1024;

export class NodeBlobs implements Blobs {
  readonly index: PackIndex;
  private readonly writer: PackWriter;
  private readonly puts = new Map<Hash, Promise<void>>();

  constructor(
    private readonly fs: FsCalls,
    private readonly layout: Layout,
    /** Settles when the storage may be written. */
    private readonly ready: () => Promise<void>,
  ) {
    this.index = new PackIndex(fs, layout.blobs());
    this.writer = new PackWriter(fs, layout.blobs(), (file, place) => this.index.add(file, place));
  }

  /** Rejects with the system's error. Durable after `sync`. */
  async put(bytes: Uint8Array): Promise<Hash> {
    const hash = sha256(bytes);
    let putting = this.puts.get(hash);
    if (putting === undefined) {
      putting = this.keep(hash, bytes).finally(() => this.puts.delete(hash));
      this.puts.set(hash, putting);
    }
    await putting;
    return hash;
  }

  async get(hash: Hash): Promise<Uint8Array | undefined> {
    await this.index.ready();
    const found = await this.read(hash);
    if (found !== undefined) return found;
    await this.index.refresh(); // another window may have written it
    return this.read(hash);
  }

  /** Settles when all that was put is on disk; rejects with the system's error. */
  sync(): Promise<void> {
    return this.writer.sync();
  }

  /** Nothing is open any more; what is put later goes to another pack. Rejects where `sync` does. */
  close(): Promise<void> {
    return this.writer.close();
  }

  private async keep(hash: Hash, bytes: Uint8Array): Promise<void> {
    await this.ready();
    await this.index.ready();
    if (await this.stands(hash, bytes)) return;
    this.index.drop(hash);
    const { file, place } = await this.writer.append(hash, bytes.slice());
    this.index.add(file, place);
    if (this.writer.waiting > MAX_UNSYNCED) await this.writer.sync();
  }

  /** It is there already, with these very bytes, in a file that still has a name. */
  private async stands(hash: Hash, bytes: Uint8Array): Promise<boolean> {
    const found = this.index.find(hash);
    if (found !== undefined) {
      const there = await this.readPacked(found).catch(() => undefined);
      if (there !== undefined && Buffer.compare(there, bytes) === 0) return true;
    }
    if (!this.index.isLoose(hash)) return false;
    const loose = await this.readLoose(hash);
    return loose !== undefined && Buffer.compare(loose, bytes) === 0;
  }

  private async read(hash: Hash): Promise<Uint8Array | undefined> {
    const found = this.index.find(hash);
    const packed = found && (await this.readPacked(found).catch(() => undefined));
    if (packed !== undefined && sha256(packed) === hash) return packed;
    const cached = this.writer.cached(hash);
    if (cached !== undefined) return cached;
    const loose = this.index.isLoose(hash) ? await this.readLoose(hash) : undefined;
    return loose !== undefined && sha256(loose) === hash ? loose : undefined;
  }

  private async readLoose(hash: Hash): Promise<Uint8Array | undefined> {
    const file = this.layout.blob(hash);
    return file === undefined ? undefined : readWhole(this.fs, file).catch(() => undefined);
  }

  private async readPacked({ file, place }: { file: string; place: Place }): Promise<Uint8Array | undefined> {
    return (await this.writer.read(file, place)) ?? readPacked(this.fs, file, place);
  }
}
