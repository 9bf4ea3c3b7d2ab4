/** A disk in memory: bytes and modes. Folders are there while something is in them; there are no links. */
import { FileError, type FileErrorCode } from '../../src/core/errors';
import type { Files, FileStat, Hash, Path, WalkEntry, WalkOptions, WriteOptions } from '../../src/core/ports';
import { sha256 } from '../../src/node/hash';
import type { SimClock } from './clock';
import type { Turns } from './turns';

export type FileOp = 'stat' | 'read' | 'write' | 'remove' | 'move' | 'walk';

interface Entry {
  bytes: Uint8Array;
  mode: number;
  changedAt: number;
}

interface Fault {
  op: FileOp;
  path: Path;
  code: FileErrorCode;
  times: number;
}

/** What the run did to the disk: one entry per file that changed. */
export interface DiskChange {
  op: FileOp;
  path: Path;
  before: Uint8Array | null;
  after: Uint8Array | null;
}

export class SimFiles implements Files {
  /** Called in the moment the run changes the disk. */
  onChange: ((changes: readonly DiskChange[]) => void) | undefined;
  private readonly entries = new Map<Path, Entry>();
  private faults: Fault[] = [];
  private touches = 0;
  private readonly stalls = new Map<string, Promise<void>>();

  constructor(
    private readonly turns: Turns,
    private readonly clock: SimClock,
  ) {}

  // ---------------------------------------------------------- for the test, at once

  put(path: Path, content: string | Uint8Array, mode = 0o644): void {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    this.entries.set(path, { bytes, mode: this.entries.get(path)?.mode ?? mode, changedAt: this.touch() });
  }

  /** Fine enough to tell any two changes apart. */
  touch(): number {
    return this.clock.now() + (this.touches += 1) / 1e3;
  }

  bytes(path: Path): Uint8Array | undefined {
    return this.entries.get(path)?.bytes;
  }

  text(path: Path): string | undefined {
    const bytes = this.bytes(path);
    return bytes && new TextDecoder().decode(bytes);
  }

  delete(path: Path): void {
    this.entries.delete(path);
  }

  rename(from: Path, to: Path): void {
    const entry = this.entries.get(from);
    if (!entry) return;
    this.entries.delete(from);
    this.entries.set(to, { ...entry, changedAt: this.touch() });
  }

  mode(path: Path): number {
    return this.entries.get(path)?.mode ?? 0;
  }

  chmod(path: Path, mode: number): void {
    const entry = this.entries.get(path);
    if (entry) entry.mode = mode;
  }

  paths(): Path[] {
    return [...this.entries.keys()].sort();
  }

  /** The next `times` operations of this kind on the path fail. */
  fail(op: FileOp, path: Path, code: FileErrorCode, times = 1): void {
    this.faults.push({ op, path, code, times });
  }

  /** Operations of this kind on the path answer only when it is released: a disk over a network that went away. */
  stall(op: FileOp, path: Path): () => void {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const key = `${op} ${path}`;
    this.stalls.set(key, released);
    return () => {
      if (this.stalls.get(key) === released) this.stalls.delete(key);
      release();
    };
  }

  heal(): void {
    this.faults = [];
  }

  // ---------------------------------------------------------- the port

  roots(): readonly { name: string }[] {
    return [{ name: 'work' }];
  }

  resolve(given: string): Promise<Path> {
    const parts: string[] = [];
    if (given === '' || given.includes('\0')) return Promise.reject(new FileError('badName', given));
    for (const part of given.split('/')) {
      if (part === '' || part === '.') continue;
      if (part === '..' && parts.pop() === undefined) return Promise.reject(new FileError('outside', given));
      if (part !== '..') parts.push(part);
    }
    if (parts[0] === '.git') return Promise.reject(new FileError('reserved', given));
    return Promise.resolve(parts.join('/'));
  }

  async stat(path: Path): Promise<FileStat> {
    await this.turn('stat', path);
    const entry = this.entries.get(path);
    const folder = this.isFolder(path);
    return {
      type: entry ? 'file' : folder ? 'directory' : 'missing',
      isLink: false,
      leadsOutside: false,
      size: entry?.bytes.length ?? 0,
      mode: entry?.mode ?? 0o755,
      readOnly: entry !== undefined && (entry.mode & 0o222) === 0,
      hardLinks: 1,
      mtimeMs: entry?.changedAt ?? 0,
      ctimeMs: entry?.changedAt ?? 0,
    };
  }

  async read(path: Path): Promise<Uint8Array> {
    await this.turn('read', path);
    return this.there(path).bytes;
  }

  async hash(path: Path): Promise<{ hash: Hash; size: number }> {
    const bytes = await this.read(path);
    return { hash: sha256(bytes), size: bytes.length };
  }

  async write(path: Path, bytes: Uint8Array, { expect, mode, giveMode }: WriteOptions): Promise<void> {
    await this.turn('write', path);
    const entry = this.entries.get(path);
    if (this.isFolder(path)) throw new FileError('isDirectory', path);
    if (this.hashNow(path) !== expect) throw new FileError('changed', path);
    if (entry && (entry.mode & 0o222) === 0) throw new FileError('readOnly', path);
    this.put(path, bytes.slice(), mode);
    if (mode !== undefined && giveMode) this.chmod(path, mode);
    this.onChange?.([{ op: 'write', path, before: entry?.bytes ?? null, after: bytes }]);
    // Done on disk, and not yet known to be: the process may die here.
    await this.turns.take();
  }

  async remove(path: Path, { expect }: { expect: Hash | null }): Promise<void> {
    await this.turn('remove', path);
    const { bytes } = this.there(path);
    if (expect !== sha256(bytes)) throw new FileError('changed', path);
    this.entries.delete(path);
    this.onChange?.([{ op: 'remove', path, before: bytes, after: null }]);
    await this.turns.take();
  }

  async move(from: Path, to: Path, { expect }: { expect: Hash | null }): Promise<void> {
    await this.turn('move', from);
    const { bytes } = this.there(from);
    if (this.entries.has(to) || this.isFolder(to)) throw new FileError('exists', to);
    if (expect !== sha256(bytes)) throw new FileError('changed', from);
    this.rename(from, to);
    this.onChange?.([
      { op: 'move', path: from, before: bytes, after: null },
      { op: 'move', path: to, before: null, after: bytes },
    ]);
    await this.turns.take();
  }

  async readLink(path: Path): Promise<Uint8Array> {
    await this.turns.take();
    this.there(path);
    throw new FileError('other', path);
  }

  async makeLink(path: Path): Promise<void> {
    await this.turns.take();
    throw new FileError('other', path);
  }

  leadsTo(path: Path): Promise<Path> {
    return Promise.resolve(path);
  }

  /** Gone with the last that was in it. */
  removeFolder(): Promise<boolean> {
    return this.turns.take().then(() => false);
  }

  async walk({ from, maxEntries }: WalkOptions): Promise<{ entries: WalkEntry[]; complete: boolean }> {
    await this.turn('walk', from);
    const all = this.paths()
      .filter((path) => from === '' || path.startsWith(`${from}/`))
      .map((path): WalkEntry => {
        const { bytes, changedAt } = this.there(path);
        return { path, type: 'file', size: bytes.length, ctimeMs: changedAt };
      });
    return { entries: all.slice(0, maxEntries), complete: all.length <= maxEntries };
  }

  /** Rules of no repository: a folder named `ignored` is. */
  isIgnored(path: Path): Promise<boolean> {
    return Promise.resolve(path.startsWith('ignored/'));
  }

  sweepScraps(): Promise<void> {
    return this.turns.take();
  }

  private hashNow(path: Path): Hash | null {
    const entry = this.entries.get(path);
    return entry ? sha256(entry.bytes) : null;
  }

  private isFolder(path: Path): boolean {
    return [...this.entries.keys()].some((other) => other.startsWith(`${path}/`));
  }

  private there(path: Path): Entry {
    const entry = this.entries.get(path);
    if (entry) return entry;
    throw new FileError(this.isFolder(path) ? 'isDirectory' : 'notFound', path);
  }

  private async turn(op: FileOp, path: Path): Promise<void> {
    await this.turns.take();
    await this.stalls.get(`${op} ${path}`);
    this.meetFault(op, path);
  }

  private meetFault(op: FileOp, path: Path): void {
    const fault = this.faults.find((f) => f.op === op && f.path === path && f.times > 0);
    if (!fault) return;
    fault.times -= 1;
    throw new FileError(fault.code, path);
  }
}
