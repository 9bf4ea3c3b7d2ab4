/** Replacing a file in one step: a reader, or the next start after a kill, finds the old bytes or the new ones. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';
import type { FsCalls, OpenFile } from './fs';
import { errnoOf } from './fs';

/** Names of our temporary files; nothing else is ever swept. */
const SCRAP = /^\.holdfast-[0-9a-f]{24}\.tmp$/;

/** Windows answers these while a virus scanner or an indexer holds the file; a moment later the same call works. */
const BUSY = new Set(['EPERM', 'EBUSY', 'EACCES']);
const RENAME_TRIES = process.platform === 'win32' ? 12 : 1;

export interface AtomicOptions {
  /** Permission bits, set exactly; default: those of a new file (0666 less the umask). */
  mode?: number;
  /** Owner to keep; tried, not insisted on. */
  owner?: { uid: number; gid: number };
  /** The last check, made when the new bytes are ready on disk and directly before they take the name. */
  beforeRename?: () => Promise<void>;
  /** false: the bytes may still be in the system's memory when it settles. Default true. */
  fsync?: boolean;
  /** Folder of the temporary file, on the same file system; default: the target's. */
  tmpDir?: string;
  /** Rejects with EEXIST rather than replace what stands there. */
  exclusive?: boolean;
}

export function isScrap(name: string): boolean {
  return SCRAP.test(name);
}

export function scrapName(): string {
  return `.holdfast-${randomBytes(12).toString('hex')}.tmp`;
}

/**
 * Writes `bytes`, or pieces made one by one, to a temporary file and gives it the name `target` (no link: the real file).
 * Answers with the length. When it rejects, with the system's error or with what `beforeRename` threw, the old file is
 * untouched and no temporary file is left.
 */
export async function writeAtomic(
  fs: FsCalls,
  target: string,
  bytes: Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  options: AtomicOptions = {},
): Promise<number> {
  const fsync = options.fsync ?? true;
  const temp = path.join(options.tmpDir ?? path.dirname(target), scrapName());
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
  const file = await fs.open(temp, { flags, target, mode: options.mode === undefined ? 0o666 : 0o600 });
  let length = 0;
  try {
    try {
      for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) {
        await writeAll(file, piece, length);
        length += piece.length;
      }
      if (options.owner !== undefined) await file.chown(options.owner.uid, options.owner.gid).catch(() => undefined);
      // after chown, which clears the set-user and set-group bits
      if (options.mode !== undefined) await file.chmod(options.mode);
      if (fsync) await file.sync();
    } finally {
      await file.close();
    }
    await options.beforeRename?.();
    if (options.exclusive === true) await takeName(fs, temp, target);
    else await renameRetrying(fs, temp, target);
  } catch (error) {
    await fs.unlink(temp).catch(() => undefined);
    throw error;
  }
  if (fsync) await syncFolder(fs, path.dirname(target));
  return length;
}

/** Writes all bytes from `position` on (null: at the end), however few each call takes. */
export async function writeAll(file: OpenFile, bytes: Uint8Array, position: number | null): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const count = await file.write(bytes.subarray(done), position === null ? null : position + done);
    if (count === 0) throw Object.assign(new Error('ENOSPC: nothing was written'), { code: 'ENOSPC' });
    done += count;
  }
}

/** Makes names made or removed in a folder durable, where the system can do that. Refused once, it is tried once more. */
export async function syncFolder(fs: FsCalls, folder: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened there
  // some network file systems refuse it; the rename has happened, so this is no failure of the write
  if (!(await isSynced(fs, folder))) await isSynced(fs, folder);
}

async function isSynced(fs: FsCalls, folder: string): Promise<boolean> {
  let handle: OpenFile | undefined;
  try {
    handle = await fs.open(folder, { flags: constants.O_RDONLY });
    await handle.sync();
    return true;
  } catch {
    return false;
  } finally {
    await handle?.close().catch(() => undefined);
  }
}

/** Rename; on Windows tried again for about a second while something else holds the file. */
export async function renameRetrying(fs: FsCalls, from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await fs.rename(from, to);
    } catch (error) {
      if (tries >= RENAME_TRIES || !BUSY.has(errnoOf(error))) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10 * tries));
    }
  }
}

/**
 * Gives a file a name only if the name is free, which `rename` cannot say. A kill in between leaves the temporary name
 * beside the new one: a scrap, swept at the next start. File systems without hard links: rename.
 */
async function takeName(fs: FsCalls, temp: string, target: string): Promise<void> {
  try {
    await fs.link(temp, target);
  } catch (error) {
    if (!cannotLink(error)) throw error;
    if (await exists(fs, target)) throw Object.assign(new Error(`EEXIST: '${target}'`), { code: 'EEXIST' });
    return renameRetrying(fs, temp, target);
  }
  // the new name stands: a second name that cannot be removed is a scrap, not a failure
  await fs.unlink(temp).catch(() => undefined);
}

/** The file system has no hard links. */
export function cannotLink(error: unknown): boolean {
  return ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error));
}

async function exists(fs: FsCalls, target: string): Promise<boolean> {
  return fs.lstat(target).then(
    () => true,
    () => false,
  );
}
