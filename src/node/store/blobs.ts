/** Contents of files by their hash: written once, checked whenever they are read. */
import { StorageError } from '../../core/errors';
import type { Blobs, Hash } from '../../core/ports';
import type { FsCalls } from '../fs';
import { sha256 } from '../hash';
import { readWhole } from './generations';
import type { Layout } from './layout';
import { PackIndex } from './packIndex';
import type { Place } from './packText';
import { readPacked } from './packReader';
import { PackWriter } from './packWriter';

/** A run that only reads makes nothing durable for long; more than this is not left to the system's memory, nor to ours. */
const MAX_WAITING = 8 * 1024 * 1024;

/** So many are looked for one by one. */
const FEW = 16;

const HASHES = /[0-9a-f]{64}/g;

type Content = readonly [hash: Hash, bytes: Uint8Array];

export class NodeBlobs implements Blobs {
  readonly index: PackIndex;
  private readonly writer: PackWriter;
  /** Put and not written yet. */
  private readonly taken = new Map<Hash, Uint8Array>();
  private takenBytes = 0;
  private readonly unnamed = new Set<Hash>();
  /** Named meanwhile, and not taken out of `unnamed`. */
  private held: Set<Hash> | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    private readonly fs: FsCalls,
    private readonly layout: Layout,
    /** Settles when the storage may be written. */
    private readonly ready: () => Promise<void>,
  ) {
    this.index = new PackIndex(fs, layout.blobs());
    this.writer = new PackWriter(fs, layout.blobs(), (file, place) => this.index.add(file, place));
  }

  /**
   * Taken in memory: written by `flush`, durable after `sync`; the journal calls them before it writes. Where too much waits
   * already that is written first, and a failure of that is told here: then this content is not taken.
   */
  async put(bytes: Uint8Array): Promise<Hash> {
    const hash = sha256(bytes);
    this.unnamed.add(hash);
    this.held?.delete(hash);
    if (this.taken.has(hash)) return hash;
    while (this.takenBytes > 0 && this.takenBytes + bytes.length > MAX_WAITING) await this.flush();
    if (this.taken.has(hash)) return hash;
    this.taken.set(hash, bytes);
    this.takenBytes += bytes.length;
    return hash;
  }

  async get(hash: Hash): Promise<Uint8Array | undefined> {
    const taken = this.taken.get(hash);
    if (taken !== undefined) return Buffer.from(taken.buffer, taken.byteOffset, taken.length);
    try {
      await this.index.ready();
      const found = await this.read(hash);
      if (found !== undefined) return found;
      await this.index.refresh(); // another window may have written it
      return await this.read(hash);
    } catch (error) {
      throw new StorageError(error instanceof Error ? error.message : String(error), 'read');
    }
  }

  /** Settles when all that was put is written. What could not be written stays in memory, and the next call tries again. */
  flush(): Promise<void> {
    const next = this.flushing.catch(() => undefined).then(() => this.write());
    this.flushing = next;
    return next;
  }

  /** Settles when all that was put is on disk; rejects with the system's error. */
  async sync(): Promise<void> {
    await this.flush();
    await this.writer.sync();
  }

  /** Put by this process and named by no record yet: it may still be on its way. */
  get onTheirWay(): ReadonlySet<Hash> {
    return this.unnamed;
  }

  /** These lines are written: what they name is found by whoever reads them. */
  named(lines: Buffer): void {
    if (this.held === undefined && this.unnamed.size <= FEW) {
      for (const hash of this.unnamed) if (lines.includes(hash, 0, 'latin1')) this.unnamed.delete(hash);
      return;
    }
    for (const [hash] of lines.toString('latin1').matchAll(HASHES)) {
      if (this.held === undefined) {
        this.unnamed.delete(hash);
      } else {
        this.held.add(hash);
        this.unnamed.add(hash); // also what was never put here: a fork names what its run named
      }
    }
  }

  /**
   * Until the answer is called, what is put or named is, and stays, `onTheirWay`: the file that names it may have been read
   * before.
   */
  hold(): () => void {
    const held = new Set<Hash>();
    this.held = held;
    return () => {
      this.held = undefined;
      for (const hash of held) this.unnamed.delete(hash);
    };
  }

  /** What was written until now is open to cleaning; what is put later goes to another pack. Rejects where `sync` does. */
  async leavePack(): Promise<void> {
    await this.flush();
    await this.writer.rest();
  }

  /** Nothing is open any more; what is put later goes to another pack. Rejects where `sync` does. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.writer.close();
    }
  }

  /** What is not there yet, in one write; beside it, what seems to be there is looked at. */
  private async write(): Promise<void> {
    const batch = [...this.taken];
    if (batch.length === 0) return;
    await this.ready();
    await this.index.ready();
    const known = ([hash]: Content): boolean => this.index.find(hash) !== undefined || this.index.isLoose(hash);
    await Promise.all([this.keepAll(batch.filter((one) => !known(one))), this.look(batch.filter(known))]);
    for (const [hash, bytes] of batch) {
      this.taken.delete(hash);
      this.takenBytes -= bytes.length;
    }
    if (this.writer.waiting > MAX_WAITING) await this.writer.sync();
  }

  private async look(batch: readonly Content[]): Promise<void> {
    if (batch.length === 0) return;
    const standing = await this.standing(batch);
    await this.keepAll(batch.filter(([hash]) => !standing.has(hash)));
  }

  /** Rejects when the last of them has settled, with the first error. */
  private async keepAll(batch: readonly Content[]): Promise<void> {
    const written = await Promise.allSettled(batch.map(([hash, bytes]) => this.keep(hash, bytes)));
    const failed = written.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  private async keep(hash: Hash, bytes: Uint8Array): Promise<void> {
    this.index.drop(hash);
    const { file, place } = await this.writer.append(hash, bytes);
    this.index.add(file, place);
  }

  /** Those that are there already, with these very bytes, in a file that still has a name. */
  private async standing(batch: readonly Content[]): Promise<Set<Hash>> {
    const found = new Set<Hash>();
    const compare = (hash: Hash, bytes: Uint8Array, there: Uint8Array | undefined): void => {
      if (there !== undefined && Buffer.compare(there, bytes) === 0) found.add(hash);
    };
    const byFile = new Map<string, { place: Place; bytes: Uint8Array }[]>();
    for (const [hash, bytes] of batch) {
      const { file, place } = this.index.find(hash) ?? {};
      if (file === undefined || place === undefined) continue;
      byFile.set(file, [...(byFile.get(file) ?? []), { place, bytes }]);
    }
    await Promise.all(
      [...byFile].map(async ([file, wanted]) => {
        const places = wanted.map(({ place }) => place);
        const there = await this.readPacked(file, places);
        for (const [n, { place, bytes }] of wanted.entries()) compare(place.hash, bytes, there[n]);
      }),
    );
    for (const [hash, bytes] of batch) {
      if (!found.has(hash) && this.index.isLoose(hash)) compare(hash, bytes, await this.readLoose(hash));
    }
    return found;
  }

  private async read(hash: Hash): Promise<Uint8Array | undefined> {
    const found = this.index.find(hash);
    const [packed] = found === undefined ? [] : await this.readPacked(found.file, [found.place]);
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

  /** Nothing of a pack that cannot be read. */
  private async readPacked(file: string, places: readonly Place[]): Promise<(Uint8Array | undefined)[]> {
    const open = await this.writer.read(file, places);
    const found = open ?? (await readPacked(this.fs, file, places).catch(() => undefined));
    return found ?? places.map(() => undefined);
  }
}
