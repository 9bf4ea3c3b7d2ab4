/** Whole files of the storage: replaced in one step, the generation before kept, damaged ones set aside. */
import path from 'node:path';
import { cannotLink, syncFolder, writeAtomic } from '../atomic';
import { type FsCalls, errnoOf, unlessMissing } from '../fs';
import { readBytes } from '../files/content';
import { FILE_MODE, FOLDER_MODE } from './layout';

/** The bytes; undefined: not there. Other errors are the system's. */
export function readWhole(fs: FsCalls, file: string): Promise<Uint8Array | undefined> {
  return unlessMissing(readBytes(fs, file, file, Number.MAX_SAFE_INTEGER));
}

/** Durable and atomic; answers with the length. With `previous` the bytes there before are kept under that name; at no instant is `file` missing. */
export async function replaceFile(
  fs: FsCalls,
  file: string,
  bytes: Parameters<typeof writeAtomic>[2],
  previous?: string,
): Promise<number> {
  return writeAtomic(fs, file, bytes, {
    mode: FILE_MODE,
    beforeRename: async () => {
      if (previous !== undefined) await keepAs(fs, file, previous);
    },
  });
}

async function keepAs(fs: FsCalls, file: string, previous: string): Promise<void> {
  if ((await unlessMissing(fs.lstat(file))) === undefined) return;
  await unlessMissing(fs.unlink(previous));
  try {
    await fs.link(file, previous);
  } catch (error) {
    if (!cannotLink(error)) throw error;
    const bytes = await readWhole(fs, file);
    if (bytes !== undefined) await writeAtomic(fs, previous, bytes, { mode: FILE_MODE });
  }
}

/** Gives a damaged file another name, so that nothing overwrites what a human may still want to look at. */
export async function setAside(fs: FsCalls, file: string): Promise<void> {
  const name = await damagedName(fs, file);
  await unlessMissing(fs.rename(file, name));
}

/** Puts what is still good of a damaged file in its place; the damaged one is kept under another name. */
export async function mendFile(fs: FsCalls, file: string, good: Uint8Array): Promise<void> {
  // as a second name first: killed in between, the file is there as it was
  await replaceFile(fs, file, good, await damagedName(fs, file));
}

async function damagedName(fs: FsCalls, file: string): Promise<string> {
  for (let n = 1; ; n += 1) {
    const name = `${file}.damaged-${n}`;
    if ((await unlessMissing(fs.lstat(name))) === undefined) return name;
  }
}

/** Makes a folder and those above it, for the owner only; their names are on disk when it settles. */
export async function makeFolder(fs: FsCalls, folder: string): Promise<void> {
  try {
    await fs.mkdir(folder, FOLDER_MODE);
    await syncFolder(fs, path.dirname(folder));
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return;
    if (errnoOf(error) !== 'ENOENT' || path.dirname(folder) === folder) throw error;
    await makeFolder(fs, path.dirname(folder));
    await makeFolder(fs, folder);
  }
}
