/** What the packs in a folder hold. Made when first asked, kept up to date by what this process writes. */
import path from 'node:path';
import type { Hash } from '../../core/ports';
import { type FsCalls, unlessMissing } from '../fs';
import { scanPack } from './packScan';
import { isPackName } from './packWriter';
import type { Place } from './packText';

const LOOSE_FOLDER = /^[0-9a-f]{2}$/;

export class PackIndex {
  private readonly places = new Map<Hash, { file: string; place: Place }>();
  /** Files of version 1, one per content. */
  private readonly looseOnes = new Set<Hash>();
  private readonly scanned = new Map<string, { end: number; foreign: boolean }>();
  private readonly gone = new Set<string>();
  private reading: Promise<void> | undefined;

  constructor(
    private readonly fs: FsCalls,
    private readonly folder: string,
  ) {}

  /** The first look at the folder. */
  ready(): Promise<void> {
    this.reading ??= this.refresh().catch((error: unknown) => {
      this.reading = undefined; // perhaps it can be read next time
      throw error;
    });
    return this.reading;
  }

  /** Finds what other processes have written since. */
  async refresh(): Promise<void> {
    const entries = (await unlessMissing(this.fs.readdir(this.folder))) ?? [];
    for (const entry of entries) {
      if (isPackName(entry.name)) await this.scan(path.join(this.folder, entry.name));
      else if (LOOSE_FOLDER.test(entry.name) && entry.isDirectory()) {
        const names = (await unlessMissing(this.fs.readdir(path.join(this.folder, entry.name)))) ?? [];
        for (const { name } of names) this.looseOnes.add(name);
      }
    }
  }

  find(hash: Hash): { file: string; place: Place } | undefined {
    return this.places.get(hash);
  }

  isLoose(hash: Hash): boolean {
    return this.looseOnes.has(hash);
  }

  loose(): readonly Hash[] {
    return [...this.looseOnes];
  }

  add(file: string, place: Place): void {
    this.places.set(place.hash, { file, place });
  }

  dropLoose(hash: Hash): void {
    this.looseOnes.delete(hash);
  }

  /** It is not where it was. */
  drop(hash: Hash): void {
    this.places.delete(hash);
    this.looseOnes.delete(hash);
  }

  /** Files of packs that may be written anew or removed, by what they hold. */
  packs(): Map<string, Place[]> {
    const packs = new Map<string, Place[]>();
    for (const [file, { foreign }] of this.scanned) if (!foreign) packs.set(file, []);
    for (const { file, place } of this.places.values()) packs.get(file)?.push(place);
    return packs;
  }

  /** A pack that is whole from the start. */
  addPack(file: string, places: readonly Place[], end: number): void {
    this.scanned.set(file, { end, foreign: false });
    for (const place of places) this.add(file, place);
  }

  /** The pack is about to be removed: nothing of it is found any more, and no later look brings it back. */
  forget(file: string): void {
    this.gone.add(file);
    this.scanned.delete(file);
    for (const [hash, found] of this.places) if (found.file === file) this.places.delete(hash);
  }

  /** It could not be removed after all. */
  recall(file: string): void {
    this.gone.delete(file);
  }

  private async scan(file: string): Promise<void> {
    if (this.gone.has(file)) return;
    const before = this.scanned.get(file);
    const { places, end, foreign } = await scanPack(this.fs, file, before?.end ?? 0);
    if (this.gone.has(file)) return;
    this.scanned.set(file, { end, foreign: before?.foreign ?? foreign });
    for (const place of places) this.add(file, place);
  }
}
