/** The pack this process appends to. Contents go there in as few writes as possible and become durable by `sync`. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';
import type { Hash } from '../../core/ports';
import { syncFolder, writeAll } from '../atomic';
import type { FsCalls, OpenFile } from '../fs';
import { makeFolder } from './generations';
import { FILE_MODE } from './layout';
import { readPlaces } from './packReader';
import { contentHead, HEAD, PACK_HEAD, packHead, type Place } from './packText';

/** A pack that has grown beyond this is left to be compressed, and a new one begun. */
export const PACK_BYTES = 16 * 1024 * 1024;

const SMALL = 64 * 1024;

interface Waiting {
  hash: Hash;
  bytes: Uint8Array;
  resolve: (written: { file: string; place: Place }) => void;
  reject: (error: unknown) => void;
}

interface Pack {
  file: string;
  handle: OpenFile;
  length: number;
  /** Somebody removed it: nobody would find what is written to it. */
  lost: boolean;
}

/** Packs that stores of this process write to now. */
const OPEN_PACKS = new Set<string>();

export class PackWriter {
  private queue: Waiting[] = [];
  private working: Promise<void> | undefined;
  private syncing: Promise<void> = Promise.resolve();
  private pack: Pack | undefined;
  /** Written and not synced yet: a failed sync may lose it although `put` was answered. */
  private readonly unsynced = new Map<Hash, Uint8Array>();
  private unsyncedBytes = 0;
  private buffer: Buffer | undefined;

  constructor(
    private readonly fs: FsCalls,
    private readonly folder: string,
    /** A content has another place now. */
    private readonly moved: (file: string, place: Place) => void,
  ) {}

  /** Contents that only `sync` makes durable, in bytes. */
  get waiting(): number {
    return this.unsyncedBytes;
  }

  cached(hash: Hash): Uint8Array | undefined {
    return this.unsynced.get(hash);
  }

  /** Settles when the bytes are written. Rejects with the system's error; then they are nowhere. */
  append(hash: Hash, bytes: Uint8Array): Promise<{ file: string; place: Place }> {
    return new Promise((resolve, reject) => {
      this.queue.push({ hash, bytes, resolve, reject });
      this.working ??= this.work().finally(() => (this.working = undefined));
    });
  }

  /** Settles when all that `append` has answered is durable. After a failure the next call tries again. */
  sync(): Promise<void> {
    if (this.unsynced.size === 0) return Promise.resolve();
    this.syncing = this.syncing.catch(() => undefined).then(() => this.syncNow());
    return this.syncing;
  }

  /** From the pack that is open anyway; undefined: it is another one, or it cannot be read. */
  async read(file: string, places: readonly Place[]): Promise<(Uint8Array | undefined)[] | undefined> {
    const pack = this.pack?.file === file ? this.pack : undefined;
    if (pack === undefined) return undefined;
    try {
      const found = await readPlaces(pack.handle, places);
      if (found === undefined) pack.lost = true;
      return found;
    } catch {
      return undefined;
    }
  }

  /** What is appended later goes to another pack, unless something is being appended just now. Rejects where `sync` does. */
  async rest(): Promise<void> {
    await this.working;
    await this.sync();
    if (this.working === undefined && this.unsynced.size === 0) await this.leave();
  }

  /** Nothing is open any more; what is appended later goes to another pack. Rejects where `sync` does. */
  async close(): Promise<void> {
    await this.working;
    try {
      await this.sync();
    } finally {
      await this.leave();
    }
  }

  private async syncNow(): Promise<void> {
    let batch = [...this.unsynced];
    if (batch.length === 0) return;
    try {
      if (this.pack === undefined) throw new Error('the pack was given up');
      // the sync is under way before anything else is done
      const [, { nlink }] = await Promise.all([this.pack.handle.datasync(), this.pack.handle.stat()]);
      if (nlink === 0) throw new Error('the pack was removed');
    } catch {
      // the system may have dropped what it could not write: all of it once more, to another pack
      await this.working;
      await this.leave();
      batch = [...this.unsynced];
      for (const [hash, bytes] of batch) {
        const { file, place } = await this.append(hash, bytes);
        this.moved(file, place);
      }
      await this.pack?.handle.datasync();
    }
    for (const [hash, bytes] of batch) {
      if (!this.unsynced.delete(hash)) continue;
      this.unsyncedBytes -= bytes.length;
    }
    const full = this.pack !== undefined && this.pack.length > PACK_BYTES;
    if (full && this.unsynced.size === 0 && this.working === undefined) await this.leave();
  }

  private async work(): Promise<void> {
    await Promise.resolve(); // what is put in the same breath goes in one write
    while (this.queue.length > 0) {
      const group = this.queue;
      this.queue = [];
      try {
        await this.write(group);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
  }

  private async write(group: readonly Waiting[]): Promise<void> {
    if (this.pack?.lost === true) await this.leave();
    const pack = (this.pack ??= await this.begin());
    const places = await this.writeTo(pack, group);
    for (const [n, { hash, bytes, resolve }] of group.entries()) {
      if (!this.unsynced.has(hash)) this.unsyncedBytes += bytes.length;
      this.unsynced.set(hash, bytes);
      const place = places[n];
      if (place !== undefined) resolve({ file: pack.file, place });
    }
  }

  /** One write for all. */
  private async writeTo(pack: Pack, group: readonly Waiting[]): Promise<Place[]> {
    const parts: Uint8Array[] = pack.length === 0 ? [packHead()] : [];
    const places: Place[] = [];
    let at = Math.max(pack.length, PACK_HEAD);
    for (const { hash, bytes } of group) {
      const place = { hash, start: at + HEAD, stored: bytes.length, size: bytes.length, deflated: false };
      parts.push(contentHead(place), bytes);
      places.push(place);
      at += HEAD + bytes.length;
    }
    await writeAll(pack.handle, this.joined(parts, at - pack.length), pack.length);
    pack.length = at;
    return places;
  }

  /** One buffer serves all small writes: one follows the other. */
  private joined(parts: readonly Uint8Array[], length: number): Uint8Array {
    if (length > SMALL) return Buffer.concat(parts);
    this.buffer ??= Buffer.allocUnsafe(SMALL);
    let at = 0;
    for (const part of parts) {
      this.buffer.set(part, at);
      at += part.length;
    }
    return this.buffer.subarray(0, length);
  }

  private async begin(): Promise<Pack> {
    await makeFolder(this.fs, this.folder);
    const file = path.join(this.folder, packName());
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL;
    const handle = await this.fs.open(file, { flags, mode: FILE_MODE, direct: true });
    OPEN_PACKS.add(file);
    await syncFolder(this.fs, this.folder);
    return { file, handle, length: 0, lost: false };
  }

  /** Nothing more is written to this pack. */
  private async leave(): Promise<void> {
    const pack = this.pack;
    this.pack = undefined;
    if (pack === undefined) return;
    OPEN_PACKS.delete(pack.file);
    await pack.handle.close().catch(() => undefined);
  }
}

/** Sorted by time; the number of the process tells later whether its writer still lives. 0: nobody writes to it any more. */
export function packName(pid = process.pid): string {
  const time = Date.now().toString(36).padStart(9, '0');
  return `${time}-${pid}-${randomBytes(4).toString('hex')}.pack`;
}

const PACK_NAME = /^[0-9a-z]{9,}-(\d+)-[0-9a-f]{8}\.pack$/;

export const isPackName = (name: string): boolean => PACK_NAME.test(name);

const writerOf = (file: string): number => Number(PACK_NAME.exec(path.basename(file))?.[1]);

/** Made whole by cleaning: what compresses is compressed. */
export const isRewritten = (file: string): boolean => writerOf(file) === 0;

/** Something may still be appended: its writer is a store of this process, or another process with that number lives. */
export function isOpenPack(file: string): boolean {
  const pid = writerOf(file);
  if (pid === 0) return false;
  if (pid === process.pid) return OPEN_PACKS.has(file);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
