/**
 * A disk behind the calls of `node/fs.ts`, with a cache that a crash takes: what was written and not synced is there, gone, torn
 * or there without what was written before it; a name that was made or moved lasts only when its folder was synced. Stricter than
 * the file systems in use, as POSIX allows.
 */
import { constants, type Dirent, type Stats } from 'node:fs';
import path from 'node:path';
import type { FsCalls, OpenFile, OpenOptions } from '../../src/node/fs';
import type { Random } from './random';
import type { Turns } from './turns';

type Change = { at: number; bytes: Buffer } | { length: number };
type Naming = { name: string; node: Inode | undefined; from?: string };

class Inode {
  data: Buffer = Buffer.alloc(0);
  /** As a crash finds it at least. */
  stable: Buffer = Buffer.alloc(0);
  /** Since the last sync, in order. */
  changes: Change[] = [];
  mode = 0o644;
  links = 0;
  readonly entries = new Map<string, Inode>();
  readonly stableEntries = new Map<string, Inode>();
  namings: Naming[] = [];

  constructor(readonly isFolder: boolean) {}

  change(change: Change): void {
    this.data = changed(this.data, change);
    this.changes.push(change);
  }

  name(naming: Naming): void {
    rename(this.entries, naming);
    this.namings.push(naming);
  }

  sync(): void {
    this.stable = this.data;
    this.changes = [];
    for (const naming of this.namings.splice(0)) rename(this.stableEntries, naming);
  }
}

function changed(data: Buffer, change: Change): Buffer {
  const end = 'length' in change ? change.length : Math.max(data.length, change.at + change.bytes.length);
  const next = Buffer.alloc(end);
  data.copy(next, 0, 0, Math.min(end, data.length));
  if ('bytes' in change) change.bytes.copy(next, change.at);
  return next;
}

function rename(entries: Map<string, Inode>, { name, node, from }: Naming): void {
  if (from !== undefined) entries.delete(from);
  if (node) entries.set(name, node);
  else entries.delete(name);
}

export class SimDisk {
  private readonly root = new Inode(true);

  constructor(
    private readonly turns: Turns,
    private readonly random: Random,
  ) {}

  /** The power goes, or only the process dies: then the cache stays. */
  crash(): void {
    if (this.random.below(3) === 0) this.flush(this.root);
    else this.lose(this.root, new Set());
  }

  /** Every file there is, by its path; for checks. */
  *walk(folder = this.root, at = ''): Generator<[string, Inode]> {
    for (const [name, node] of folder.entries) {
      if (node.isFolder) yield* this.walk(node, `${at}/${name}`);
      else yield [`${at}/${name}`, node];
    }
  }

  private flush(node: Inode): void {
    node.sync();
    for (const child of node.entries.values()) this.flush(child);
  }

  private lose(node: Inode, seen: Set<Inode>): void {
    if (seen.has(node)) return;
    seen.add(node);
    // Names of one folder come to disk in order; whether those of another have is another matter.
    const names = this.random.below(node.namings.length + 1);
    for (const naming of node.namings.slice(0, names)) rename(node.stableEntries, naming);
    let data = node.stable;
    for (const change of node.changes) {
      const luck = this.random.below(4);
      if (luck === 0) continue;
      const torn = luck === 1 && 'bytes' in change;
      data = changed(
        data,
        torn ? { at: change.at, bytes: change.bytes.subarray(0, this.random.below(change.bytes.length)) } : change,
      );
    }
    node.data = node.stable = data;
    node.changes = [];
    node.namings = [];
    node.entries.clear();
    for (const [name, child] of node.stableEntries) {
      node.entries.set(name, child);
      this.lose(child, seen);
    }
  }

  // ---------------------------------------------------------- paths: the first part is the life's own name for the root

  private find(file: string): Inode | undefined {
    let node: Inode | undefined = this.root;
    for (const part of file.split('/').slice(2)) node = node?.entries.get(part);
    return node;
  }

  private there(file: string): Inode {
    return this.find(file) ?? fail('ENOENT', file);
  }

  private folderOf(file: string): Inode {
    return this.there(path.posix.dirname(file));
  }

  // ---------------------------------------------------------- calls

  /** The calls of one life: of those of a dead one nothing comes back. */
  calls(): FsCalls {
    const { turns } = this;
    const look = async <T>(work: () => T): Promise<T> => {
      await turns.take();
      return work();
    };
    /** Done, and not yet known to be: the crash may come in between. */
    const act = async <T>(work: () => T): Promise<T> => {
      await turns.take();
      const result = work();
      await turns.take();
      return result;
    };
    const name = (file: string): string => path.posix.basename(file);
    return {
      open: (file, options) => act(() => this.open(file, options, look, act)),
      rename: (from, to) =>
        act(() => {
          const node = this.there(from);
          const folder = this.folderOf(to);
          if (this.folderOf(from) !== folder) fail('EXDEV', from);
          folder.name({ name: name(to), node, from: name(from) });
        }),
      link: (existing, file) =>
        act(() => {
          const node = this.there(existing);
          if (this.find(file)) fail('EEXIST', file);
          node.links += 1;
          this.folderOf(file).name({ name: name(file), node });
        }),
      symlink: (_target, file) => Promise.reject(errorOf('ENOTSUP', file)),
      unlink: (file) =>
        act(() => {
          this.there(file).links -= 1;
          this.folderOf(file).name({ name: name(file), node: undefined });
        }),
      lstat: (file) => look(() => stats(this.there(file))),
      stat: (file) => look(() => stats(this.there(file))),
      readlinkBytes: (file) => Promise.reject(errorOf('EINVAL', file)),
      readlink: (file) => Promise.reject(errorOf('EINVAL', file)),
      realpath: (file) => Promise.resolve(file),
      readdir: (folder) => look(() => [...this.there(folder).entries].map(([entry, node]) => dirent(entry, node))),
      mkdir: (folder) =>
        act(() => {
          if (this.find(folder)) fail('EEXIST', folder);
          this.folderOf(folder).name({ name: name(folder), node: new Inode(true) });
        }),
      rmdir: (folder) => act(() => this.folderOf(folder).name({ name: name(folder), node: undefined })),
      removeTree: (file) =>
        act(() => {
          if (this.find(file)) this.folderOf(file).name({ name: name(file), node: undefined });
        }),
      canWrite: (file) => look(() => void this.there(file)),
    };
  }

  private open(
    file: string,
    { flags, mode }: OpenOptions,
    look: <T>(work: () => T) => Promise<T>,
    act: <T>(work: () => T) => Promise<T>,
  ): OpenFile {
    let node = this.find(file);
    if (node && flags & constants.O_EXCL && flags & constants.O_CREAT) fail('EEXIST', file);
    if (!node) {
      if (!(flags & constants.O_CREAT)) fail('ENOENT', file);
      node = new Inode(false);
      node.links = 1;
      node.mode = mode ?? 0o644;
      this.folderOf(file).name({ name: path.posix.basename(file), node });
    }
    const open = node;
    return {
      read: (buffer, offset, length, position) =>
        look(() => open.data.copy(buffer, offset, position ?? 0, (position ?? 0) + length)),
      write: (bytes, position) =>
        act(() => {
          open.change({ at: position ?? open.data.length, bytes: Buffer.from(bytes) });
          return bytes.length;
        }),
      sync: () => act(() => open.sync()),
      datasync: () => act(() => open.sync()),
      truncate: (length) => act(() => open.change({ length })),
      chmod: () => Promise.resolve(),
      chown: () => Promise.resolve(),
      stat: () => look(() => stats(open)),
      close: () => Promise.resolve(),
    };
  }
}

function stats(node: Inode): Stats {
  return {
    isFile: () => !node.isFolder,
    isDirectory: () => node.isFolder,
    isSymbolicLink: () => false,
    size: node.data.length,
    nlink: node.isFolder ? 2 : node.links,
    mode: node.mode,
  } as Stats;
}

const dirent = (name: string, node: Inode): Dirent =>
  ({ name, isFile: () => !node.isFolder, isDirectory: () => node.isFolder }) as Dirent;

const errorOf = (code: string, file: string): Error => Object.assign(new Error(`${code}: '${file}'`), { code });

function fail(code: string, file: string): never {
  throw errorOf(code, file);
}
