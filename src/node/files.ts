/** The `Files` port on a disk. Rules and their reasons: `core/ports.ts`; the work is done by the modules in `files/`. */
import path from 'node:path';
import { FileError } from '../core/errors';
import type { Files, FileStat, Hash, Path, WalkEntry, WalkOptions, WriteOptions } from '../core/ports';
import { isScrap } from './atomic';
import { hashBytes, readBytes } from './files/content';
import { about } from './files/fileErrors';
import { follow, type Followed } from './files/follow';
import { makeLink, readLink, removeFolder } from './files/links';
import { moveFile, removeFile } from './files/move';
import { contains, type Root, Roots } from './files/roots';
import { isIgnored } from './files/ignoreRules';
import { Spelling } from './files/spelling';
import { typeOf, walkFolders, type WalkStart } from './files/walk';
import { writeFile } from './files/write';
import { type FsCalls, realFs, unlessMissing } from './fs';

const DEFAULT_MAX_BYTES = 50 * 1024 * 1024;

export interface NodeFilesOptions {
  /** Workspace folders in order: unique names, absolute folders. */
  roots: readonly Root[];
  /** Absolute folders that are refused as `reserved`: the extension's storage. */
  reserved?: readonly string[];
  fs?: FsCalls;
}

export class NodeFiles implements Files {
  private readonly fs: FsCalls;
  private readonly places: Roots;
  private readonly spelling: Spelling;
  private readonly reserved: readonly string[];

  constructor(options: NodeFilesOptions) {
    this.fs = options.fs ?? realFs;
    this.reserved = options.reserved ?? [];
    this.places = new Roots(this.fs, options.roots, this.reserved);
    this.spelling = new Spelling(this.fs, (real) => this.places.mayTouch(real));
  }

  roots(): readonly { name: string }[] {
    return this.places.list.map(({ name }) => ({ name }));
  }

  resolve(given: string): Promise<Path> {
    return about(given, async () => {
      const { root, below } = await this.places.split(given);
      await this.places.place(given);
      const prefix = this.places.list.length > 1 ? `${root.name}/` : '';
      const spelled = await this.spelling.trueSegments(await this.places.realRoot(root), below, given, prefix);
      const resolved = spelled.length === 0 ? root.name : prefix + spelled.join('/');
      await this.places.place(resolved); // the true spelling may lead elsewhere than the given one
      return resolved;
    });
  }

  /** `''` is the workspace: a directory. */
  stat(given: Path): Promise<FileStat> {
    return about(given, async () => {
      if (given === '') return this.workspaceStat();
      const place = await this.places.place(given).catch((error: unknown) => {
        if (error instanceof FileError && error.code === 'notDirectory') return undefined;
        throw error;
      });
      const own = place === undefined ? undefined : await unlessMissing(this.fs.lstat(place.at));
      if (place === undefined || own === undefined) return MISSING;
      if (!own.isSymbolicLink()) return describe({ real: place.at, stat: own });
      const led = await follow(this.fs, place.parent, [place.name], { given, followLast: true }).catch(() => undefined);
      if (led === undefined) return { ...MISSING, isLink: true }; // in circles, or through a file
      if (!(await this.places.mayTouch(led.real))) return { ...MISSING, isLink: true, leadsOutside: true };
      return { ...describe(led), isLink: true };
    });
  }

  read(given: Path, maxBytes: number = DEFAULT_MAX_BYTES): Promise<Uint8Array> {
    return about(given, async () => readBytes(this.fs, (await this.existing(given)).real, given, maxBytes));
  }

  hash(given: Path): Promise<{ hash: Hash; size: number }> {
    return about(given, async () => hashBytes(this.fs, (await this.existing(given)).real, given));
  }

  write(given: Path, bytes: Uint8Array, options: WriteOptions): Promise<void> {
    return about(given, () => writeFile(this.fs, this.places, given, bytes, options));
  }

  /** `expect: null` removes a link without a look at what it leads to; for a file it means `changed`. */
  remove(given: Path, options: { expect: Hash | null }): Promise<void> {
    return about(given, () => removeFile(this.fs, this.places, given, options.expect));
  }

  /** `expect: null` as in `remove`. Files and links only. */
  move(from: Path, to: Path, options: { expect: Hash | null }): Promise<void> {
    return about(from, () => moveFile(this.fs, this.places, from, to, options.expect));
  }

  readLink(given: Path): Promise<Uint8Array> {
    return about(given, () => readLink(this.fs, this.places, given));
  }

  makeLink(given: Path, target: Uint8Array, options: { expect: Hash | null }): Promise<void> {
    return about(given, () => makeLink(this.fs, this.places, given, target, options.expect));
  }

  leadsTo(given: Path, { itself }: { itself: boolean }): Promise<Path> {
    const led = async (): Promise<Path> => {
      const place = await this.places.place(given);
      const real = itself ? place.at : (await this.places.target(given)).real;
      return (await this.places.pathOf(real)) ?? given;
    };
    return led().catch(() => given);
  }

  removeFolder(given: Path): Promise<boolean> {
    return about(given, () => removeFolder(this.fs, this.places, given));
  }

  walk(options: WalkOptions): Promise<{ entries: WalkEntry[]; complete: boolean }> {
    return about(options.from, async () => {
      const starts = options.from === '' ? await this.allRoots() : [await this.walkStart(options.from)];
      const reserved = await this.realReserved();
      return walkFolders(this.fs, starts, options, (real) => reserved.some((dir) => contains(dir, real)));
    });
  }

  isIgnored(given: Path): Promise<boolean> {
    const test = async (): Promise<boolean> => {
      const { root } = await this.places.split(given);
      return isIgnored(this.fs, await this.places.realRoot(root), (await this.places.target(given)).real);
    };
    return test().catch(() => false);
  }

  async sweepScraps(paths: readonly Path[]): Promise<void> {
    const folders = new Set<string>();
    for (const one of paths) {
      try {
        folders.add((await this.places.place(one)).parent);
        folders.add(path.dirname((await this.places.target(one)).real));
      } catch {
        // a path that may not be touched any more was not written by us either
      }
    }
    for (const folder of folders) {
      const entries = await this.fs.readdir(folder).catch(() => []);
      for (const entry of entries) {
        if (isScrap(entry.name) && (entry.isFile() || entry.isSymbolicLink()))
          await this.fs.unlink(path.join(folder, entry.name)).catch(() => undefined);
      }
    }
  }

  /** The absolute, real folder of a workspace path, for a command to run in; `''` is the first root. */
  folder(given: Path): Promise<string> {
    return about(given, async () => {
      const first = this.places.list[0];
      if (given === '' && first !== undefined) return this.places.realRoot(first);
      const { real, stat } = await this.existing(given);
      if (stat?.isDirectory() !== true) throw new FileError('notDirectory', given);
      return real;
    });
  }

  private async existing(given: Path): Promise<Followed> {
    const target = await this.places.target(given);
    if (target.stat === undefined) throw new FileError('notFound', given, 'ENOENT');
    return target;
  }

  private async walkStart(given: Path): Promise<WalkStart> {
    const { real, stat } = await this.existing(given);
    if (stat?.isDirectory() !== true) throw new FileError('notDirectory', given, 'ENOTDIR');
    return { folder: real, path: given };
  }

  private async allRoots(): Promise<WalkStart[]> {
    const several = this.places.list.length > 1;
    return Promise.all(
      this.places.list.map(async (root) => ({
        folder: await this.places.realRoot(root),
        path: several ? root.name : '',
      })),
    );
  }

  private async workspaceStat(): Promise<FileStat> {
    const first = this.places.list[0];
    if (first === undefined) return MISSING;
    const real = await this.places.realRoot(first);
    return describe({ real, stat: await this.fs.stat(real) });
  }

  private async realReserved(): Promise<string[]> {
    const real = await Promise.all(this.reserved.map((dir) => this.fs.realpath(dir).catch(() => dir)));
    return [...this.reserved, ...real];
  }
}

const MISSING: FileStat = {
  type: 'missing',
  isLink: false,
  leadsOutside: false,
  size: 0,
  mode: 0,
  readOnly: false,
  hardLinks: 0,
  mtimeMs: 0,
  ctimeMs: 0,
};

function describe({ stat }: Followed): FileStat {
  if (stat === undefined) return MISSING;
  return {
    type: typeOf(stat),
    isLink: false,
    leadsOutside: false,
    size: stat.size,
    mode: process.platform === 'win32' ? 0 : stat.mode & 0o777,
    readOnly: stat.isFile() && (stat.mode & 0o222) === 0,
    hardLinks: stat.nlink,
    mtimeMs: stat.mtimeMs,
    ctimeMs: stat.ctimeMs,
    ...(stat.ino > 0 ? { inode: `${stat.dev}:${stat.ino}` } : {}),
  };
}
