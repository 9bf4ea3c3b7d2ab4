/**
 * Frees contents that no run names, and compresses packs that are written no more. What is still wanted goes to a new pack,
 * which gets its name when it is whole and durable; then the old one is removed. Interrupted at any point there is more than
 * needed, never less.
 */
import path from 'node:path';
import type { Hash } from '../../core/ports';
import { syncFolder, writeAtomic } from '../atomic';
import { type FsCalls, unlessMissing } from '../fs';
import { sha256 } from '../hash';
import { FILE_MODE, type Layout } from './layout';
import type { PackIndex } from './packIndex';
import { readPacked } from './packReader';
import { scanPack } from './packScan';
import { contentHead, deflate, HEAD, PACK_HEAD, packHead, type Place } from './packText';
import { isOpenPack, isRewritten, PACK_BYTES, packName } from './packWriter';

/** A pack is written anew when more than this share of it is wanted no more. */
const WASTE = 0.25;
/** So many small packs become one. */
const SMALL = PACK_BYTES / 4;
const MOST_SMALL = 8;
/** Packs never compressed are left until there is so much of them. */
const RAW_BYTES = 8 * 1024 * 1024;
/** Below this a content is not worth the work. */
const LEAST_DEFLATED = 128;

export interface Wanted {
  /** Named by a file of a run. */
  named: ReadonlySet<Hash>;
  /** Put by this process: a record that names it may not be written yet. */
  put: ReadonlySet<Hash>;
}

interface OldPack {
  file: string;
  bytes: number;
  places: Place[];
}

export class Collector {
  constructor(
    private readonly fs: FsCalls,
    private readonly layout: Layout,
    private readonly index: PackIndex,
  ) {}

  /** Without anything freed: is there enough to compress? */
  async due(): Promise<boolean> {
    await this.index.refresh();
    let raw = 0;
    let small = 0;
    for (const file of this.closed()) {
      const bytes = (await unlessMissing(this.fs.lstat(file)))?.size ?? 0;
      if (!isRewritten(file)) raw += bytes;
      else if (bytes < SMALL) small += 1;
    }
    return raw > RAW_BYTES || small > MOST_SMALL;
  }

  /** `wanted.put` is looked at anew before each removal: it may have grown. Rejects with the system's error. */
  async collect(wanted: Wanted, signal?: AbortSignal): Promise<void> {
    await this.index.refresh();
    let batch: OldPack[] = [];
    let bytes = 0;
    for (const pack of await this.worthwhile(wanted)) {
      signal?.throwIfAborted();
      batch.push(pack);
      bytes += pack.bytes;
      if (bytes < PACK_BYTES) continue;
      await this.rewrite(batch, wanted);
      [batch, bytes] = [[], 0];
    }
    if (batch.length > 0) await this.rewrite(batch, wanted);
    for (const hash of this.index.loose()) await this.freeLoose(hash, wanted);
  }

  /** Nobody appends to them any more. */
  private closed(): string[] {
    return [...this.index.packs().keys()].filter((file) => !isOpenPack(file));
  }

  private async worthwhile({ named, put }: Wanted): Promise<OldPack[]> {
    const packs: OldPack[] = [];
    const small: OldPack[] = [];
    for (const file of this.closed()) {
      const { places } = await scanPack(this.fs, file);
      const bytes = (await unlessMissing(this.fs.lstat(file)))?.size ?? 0;
      const kept = places.filter(({ hash }) => named.has(hash) || put.has(hash));
      const live = kept.reduce((sum, { stored }) => sum + HEAD + stored, PACK_HEAD);
      const pack = { file, bytes, places };
      if (!isRewritten(file) || live < bytes * (1 - WASTE)) packs.push(pack);
      else if (bytes < SMALL) small.push(pack);
    }
    return small.length > MOST_SMALL ? [...packs, ...small] : packs;
  }

  private async rewrite(old: readonly OldPack[], { named, put }: Wanted): Promise<void> {
    const moved = new Map<Hash, Uint8Array>();
    const kept = new Set<string>();
    for (const { file, places } of old) {
      const live = places.filter(({ hash }) => (named.has(hash) || put.has(hash)) && !moved.has(hash));
      const contents = (await readPacked(this.fs, file, live)) ?? [];
      for (const [n, { hash }] of live.entries()) {
        const bytes = contents[n];
        if (bytes !== undefined && sha256(bytes) === hash) moved.set(hash, bytes);
        else if (!(await this.elsewhere(hash, file))) kept.add(file); // damaged, and perhaps of use to somebody all the same
      }
    }
    if (moved.size > 0) await this.writePack(moved);
    for (const { file, places } of old) {
      // from here to `forget` nothing can be put in between
      const late = places.some(({ hash }) => put.has(hash) && !moved.has(hash));
      if (kept.has(file) || late) continue;
      this.index.forget(file);
      await unlessMissing(this.fs.unlink(file)).catch((error: unknown) => {
        this.index.recall(file);
        throw error;
      });
    }
    await syncFolder(this.fs, this.layout.blobs());
  }

  /** A whole copy in another pack. */
  private async elsewhere(hash: Hash, file: string): Promise<boolean> {
    const other = this.index.find(hash);
    if (other === undefined || other.file === file) return false;
    const [bytes] = (await readPacked(this.fs, other.file, [other.place]).catch(() => undefined)) ?? [];
    return bytes !== undefined && sha256(bytes) === hash;
  }

  private async writePack(contents: ReadonlyMap<Hash, Uint8Array>): Promise<void> {
    const file = path.join(this.layout.blobs(), packName(0));
    const pieces: Uint8Array[] = [packHead()];
    const places: Place[] = [];
    let at = PACK_HEAD;
    for (const [hash, bytes] of contents) {
      const smaller = bytes.length < LEAST_DEFLATED ? bytes : await deflate(bytes);
      const deflated = smaller.length < bytes.length * 0.9;
      const stored = deflated ? smaller : bytes;
      const place = { hash, start: at + HEAD, stored: stored.length, size: bytes.length, deflated };
      pieces.push(contentHead(place), stored);
      places.push(place);
      at += HEAD + stored.length;
    }
    await writeAtomic(this.fs, file, pieces, { mode: FILE_MODE });
    this.index.addPack(file, places, at);
  }

  private async freeLoose(hash: Hash, { named, put }: Wanted): Promise<void> {
    const file = this.layout.blob(hash);
    if (file === undefined || named.has(hash) || put.has(hash)) return;
    this.index.dropLoose(hash);
    await unlessMissing(this.fs.unlink(file));
  }
}
