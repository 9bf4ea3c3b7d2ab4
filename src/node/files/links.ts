/** Links as themselves, and empty folders. */
import path from 'node:path';
import { FileError } from '../../core/errors';
import type { Hash, Path } from '../../core/ports';
import { renameRetrying, scrapName, syncFolder } from '../atomic';
import type { FsCalls } from '../fs';
import { errnoOf, unlessMissing } from '../fs';
import { withParents } from './parents';
import type { Roots } from './roots';
import { expectHash } from './write';

/** `Files.readLink`. */
export async function readLink(fs: FsCalls, roots: Roots, given: Path): Promise<Uint8Array> {
  const { at } = await roots.place(given);
  const stat = await fs.lstat(at);
  if (!stat.isSymbolicLink()) throw new FileError('other', given, 'not a link');
  return fs.readlinkBytes(at);
}

/** `Files.makeLink`. */
export async function makeLink(
  fs: FsCalls,
  roots: Roots,
  given: Path,
  target: Uint8Array,
  expect: Hash | null,
): Promise<void> {
  const place = await roots.place(given);
  const bytes = Buffer.from(target);
  const stat = await unlessMissing(fs.lstat(place.at));
  if (stat === undefined) {
    if (expect !== null) throw new FileError('changed', given, 'nothing is there');
    // Never replaces what somebody puts there in the last moment.
    const make = (): Promise<void> => fs.symlink(bytes, place.at);
    await withParents(fs, place.parent, make).catch((error: unknown) => {
      throw errnoOf(error) === 'EEXIST' ? new FileError('changed', given, 'EEXIST') : error;
    });
  } else {
    if (!stat.isFile() || expect === null) throw new FileError('changed', given);
    const temp = path.join(place.parent, scrapName());
    await fs.symlink(bytes, temp);
    try {
      await expectHash(fs, { real: place.at, stat: await fs.lstat(place.at) }, given, expect);
      await renameRetrying(fs, temp, place.at);
    } catch (error) {
      await fs.unlink(temp).catch(() => undefined);
      throw error;
    }
  }
  await syncFolder(fs, place.parent);
}

/** Not empty; by some systems EEXIST. */
const STAYS = new Set(['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR']);

/** `Files.removeFolder`. */
export async function removeFolder(fs: FsCalls, roots: Roots, given: Path): Promise<boolean> {
  const { at, parent } = await roots.place(given);
  try {
    // By the system's own rule: it takes no folder with something in it, and no link.
    await fs.rmdir(at);
  } catch (error) {
    if (STAYS.has(errnoOf(error))) return false;
    throw error;
  }
  await syncFolder(fs, parent);
  return true;
}
