/** Writing a file so that it is the old one or the new one, and only if it still is what the caller saw. */
import { constants, type Stats } from 'node:fs';
import path from 'node:path';
import { FileError } from '../../core/errors';
import type { Hash, Path, WriteOptions } from '../../core/ports';
import { type AtomicOptions, writeAll, writeAtomic } from '../atomic';
import type { FsCalls, OpenFile } from '../fs';
import { errnoOf } from '../fs';
import { sha256 } from '../hash';
import { hashBytes, readBytes } from './content';
import { withParents } from './parents';
import type { Roots } from './roots';

/** `Files.write`: throws `FileError` or the system's error. */
export async function writeFile(
  fs: FsCalls,
  roots: Roots,
  given: Path,
  bytes: Uint8Array,
  options: WriteOptions,
): Promise<void> {
  const target = await roots.target(given);
  const { real, stat } = target;
  if (stat !== undefined) refuse(stat, given);
  if (stat === undefined ? options.expect !== null : options.expect === null) throw new FileError('changed', given);
  if (stat !== undefined) await fs.canWrite(real); // a rename needs no right on the file it replaces: ask for it

  const lastCheck = async (): Promise<void> => {
    const now = await roots.target(given);
    // a folder or link on the way was swapped
    if (now.real !== real) throw new FileError('changed', given, 'leads elsewhere by now');
    if (now.stat !== undefined) refuse(now.stat, given);
    await expectHash(fs, now, given, options.expect);
  };

  if (stat !== undefined && mustStayItself(stat))
    return writeInPlace(fs, real, given, bytes, options.expect, lastCheck);
  const how: AtomicOptions = { beforeRename: lastCheck, exclusive: stat === undefined };
  if (stat !== undefined) {
    how.mode = ((options.giveMode ? options.mode : undefined) ?? stat.mode) & 0o7777;
    how.owner = { uid: stat.uid, gid: stat.gid };
  } else if (options.mode !== undefined) {
    how.mode = options.mode & 0o777;
  }
  try {
    await withParents(fs, path.dirname(real), () => writeAtomic(fs, real, bytes, how));
  } catch (error) {
    // somebody made it after the last check
    if (stat === undefined && errnoOf(error) === 'EEXIST') throw new FileError('changed', given, 'EEXIST');
    throw error;
  }
}

/** Throws `changed` unless the real file has the expected bytes; null: nothing there. */
export async function expectHash(
  fs: FsCalls,
  there: { real: string; stat: Stats | undefined },
  given: Path,
  expect: Hash | null,
): Promise<void> {
  if (there.stat === undefined) {
    if (expect !== null) throw new FileError('changed', given, 'nothing is there');
  } else if (expect === null || (await hashBytes(fs, there.real, given)).hash !== expect) {
    throw new FileError('changed', given);
  }
}

function refuse(stat: Stats, given: Path): void {
  if (stat.isDirectory()) throw new FileError('isDirectory', given);
  if (!stat.isFile()) throw new FileError('other', given, 'not a plain file');
  if ((stat.mode & 0o222) === 0) throw new FileError('readOnly', given);
}

/** A replaced file would lose its other names, or its owner where we cannot give it back. */
function mustStayItself(stat: Stats): boolean {
  const user = process.geteuid?.();
  return stat.nlink > 1 || (user !== undefined && user !== 0 && stat.uid !== user);
}

/**
 * Overwrites the same file. What goes beyond the old length is written first: where there is no room for it, the old
 * bytes have not been touched yet. A failure after that puts them back as well as it can.
 */
async function writeInPlace(
  fs: FsCalls,
  real: string,
  given: Path,
  bytes: Uint8Array,
  expect: Hash | null,
  lastCheck: () => Promise<void>,
): Promise<void> {
  const old = await readBytes(fs, real, given, Number.MAX_SAFE_INTEGER);
  if (sha256(old) !== expect) throw new FileError('changed', given);
  const noFollow = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW;
  const file = await fs.open(real, { flags: constants.O_RDWR | noFollow });
  try {
    await lastCheck();
    try {
      if (bytes.length > old.length) await writeAll(file, bytes.subarray(old.length), old.length);
      await writeAll(file, bytes.subarray(0, old.length), 0);
      await file.truncate(bytes.length);
      await file.sync();
    } catch (error) {
      await putBack(file, old);
      throw error;
    }
  } finally {
    await file.close();
  }
}

async function putBack(file: OpenFile, old: Uint8Array): Promise<void> {
  const steps = [() => file.truncate(old.length), () => writeAll(file, old, 0), () => file.sync()];
  for (const step of steps) await step().catch(() => undefined);
}
