/** The few file-system calls the adapters of this room use: one place to watch, and one place to let fail in tests. */
import type { Dirent, Stats } from 'node:fs';
import { constants, promises } from 'node:fs';
import { directly } from './directFile';

/** An open file. Positions and lengths in bytes. */
export interface OpenFile {
  /** Bytes read, 0 at the end. */
  read(buffer: Uint8Array, offset: number, length: number, position: number | null): Promise<number>;
  /** Bytes written: may be fewer than given, as the system's own call. `position` null: where the file stands (append). */
  write(bytes: Uint8Array, position: number | null): Promise<number>;
  /** Data and metadata on disk. */
  sync(): Promise<void>;
  /** Data (and the length) on disk. */
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  chmod(mode: number): Promise<void>;
  chown(uid: number, gid: number): Promise<void>;
  stat(): Promise<Stats>;
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Flags of `fs.constants`. */
  flags: number;
  /** Permission bits of a new file, before the umask. */
  mode?: number;
  /** The file on whose behalf a temporary one is opened: what is written and synced counts as written to it. */
  target?: string;
  /** Of our own storage and in use all the time: small reads and writes make no way through the thread pool (`directFile.ts`). */
  direct?: boolean;
}

/** All paths are absolute. Every call rejects with the system's error (`code` ENOENT, EACCES …). */
export interface FsCalls {
  open(path: string, options: OpenOptions): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  /** A second name for the same file; EEXIST when the name is taken. */
  link(existing: string, name: string): Promise<void>;
  symlink(target: string | Buffer, path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  lstat(path: string): Promise<Stats>;
  stat(path: string): Promise<Stats>;
  readlink(path: string): Promise<string>;
  /** As it is, whatever bytes it holds. */
  readlinkBytes(path: string): Promise<Buffer>;
  realpath(path: string): Promise<string>;
  readdir(path: string): Promise<Dirent[]>;
  /** One folder, not its parents. */
  mkdir(path: string, mode?: number): Promise<void>;
  /** An empty folder. */
  rmdir(path: string): Promise<void>;
  /** A folder with all that is in it; nothing there is fine. */
  removeTree(path: string): Promise<void>;
  /** Rejects where this process may not write the file. */
  canWrite(path: string): Promise<void>;
}

/** The real file system. */
export const realFs: FsCalls = {
  async open(path, { flags, mode, direct }) {
    const handle = await promises.open(path, flags, mode);
    const file: OpenFile = {
      read: async (buffer, offset, length, position) => (await handle.read(buffer, offset, length, position)).bytesRead,
      write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
      sync: () => handle.sync(),
      datasync: () => handle.datasync(),
      truncate: (length) => handle.truncate(length),
      chmod: (bits) => handle.chmod(bits),
      chown: (uid, gid) => handle.chown(uid, gid),
      stat: () => handle.stat(),
      close: () => handle.close(),
    };
    return direct === true ? directly(file, handle) : file;
  },
  rename: (from, to) => promises.rename(from, to),
  link: (existing, name) => promises.link(existing, name),
  symlink: (target, path) => promises.symlink(target, path),
  unlink: (path) => promises.unlink(path),
  lstat: (path) => promises.lstat(path),
  stat: (path) => promises.stat(path),
  readlink: (path) => promises.readlink(path),
  readlinkBytes: (path) => promises.readlink(path, { encoding: 'buffer' }),
  realpath: (path) => promises.realpath(path),
  readdir: (path) => promises.readdir(path, { withFileTypes: true }),
  mkdir: async (path, mode) => void (await promises.mkdir(path, mode === undefined ? {} : { mode })),
  rmdir: (path) => promises.rmdir(path),
  removeTree: (path) => promises.rm(path, { recursive: true, force: true }),
  canWrite: (path) => promises.access(path, constants.W_OK),
};

/** The `code` of a system error, '' for anything else. */
export function errnoOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return '';
}

/** Nothing stands at the path (or something on the way to it is no folder). */
export function isMissing(error: unknown): boolean {
  const code = errnoOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Answers undefined where nothing stands at the path. */
export async function unlessMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
