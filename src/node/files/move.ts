/** Removing and moving single files and links. */
import type { Stats } from 'node:fs';
import path from 'node:path';
import { FileError } from '../../core/errors';
import type { Hash, Path } from '../../core/ports';
import { cannotLink, renameRetrying, syncFolder, writeAtomic } from '../atomic';
import type { FsCalls } from '../fs';
import { errnoOf, unlessMissing } from '../fs';
import { readBytes } from './content';
import { lookAlikeKey } from '../../core/paths';
import { withParents } from './parents';
import type { Place, Roots } from './roots';
import { expectHash } from './write';

/** `Files.remove`. */
export async function removeFile(fs: FsCalls, roots: Roots, given: Path, expect: Hash | null): Promise<void> {
  const place = await roots.place(given);
  const stat = await sourceStat(fs, roots, place, expect);
  if (stat.isFile() && (stat.mode & 0o222) === 0) throw new FileError('readOnly', given);
  await fs.unlink(place.at);
  await syncFolder(fs, place.parent);
}

/** `Files.move`. */
export async function moveFile(fs: FsCalls, roots: Roots, from: Path, to: Path, expect: Hash | null): Promise<void> {
  const source = await roots.place(from);
  const goal = await roots.place(to);
  const stat = await sourceStat(fs, roots, source, expect);
  const taken = await unlessMissing(fs.lstat(goal.at));
  const respelled = taken !== undefined && isRespelling(source, goal, stat, taken);
  if (taken !== undefined && !respelled) throw new FileError('exists', to);
  await withParents(fs, goal.parent, async () => {
    if (respelled || stat.isSymbolicLink()) await renameOrCopy(fs, source, goal, stat);
    else await takeOver(fs, source, goal, stat);
  });
  await syncFolder(fs, goal.parent);
  if (source.parent !== goal.parent) await syncFolder(fs, source.parent);
}

/** What stands at the source, checked: `notFound`, `isDirectory`, `other`, `changed`. A link with `expect` null passes. */
async function sourceStat(fs: FsCalls, roots: Roots, place: Place, expect: Hash | null): Promise<Stats> {
  const stat = await unlessMissing(fs.lstat(place.at));
  if (stat === undefined) throw new FileError('notFound', place.path);
  if (stat.isDirectory()) throw new FileError('isDirectory', place.path);
  if (stat.isSymbolicLink()) {
    if (expect !== null) await expectHash(fs, await roots.target(place.path), place.path, expect);
    return stat;
  }
  if (!stat.isFile()) throw new FileError('other', place.path, 'not a plain file');
  await expectHash(fs, { real: place.at, stat }, place.path, expect);
  return stat;
}

/** The same file under another spelling of its name, on a disk that takes both for one. */
function isRespelling(source: Place, goal: Place, one: Stats, other: Stats): boolean {
  if (source.name === goal.name || source.parent !== goal.parent) return false;
  const same = one.ino === other.ino && one.dev === other.dev && one.nlink === 1;
  return same && lookAlikeKey(source.name, true) === lookAlikeKey(goal.name, true);
}

/** Never replaces what somebody puts at the goal in the last moment: the new name is made first, then the old one goes. */
async function takeOver(fs: FsCalls, source: Place, goal: Place, stat: Stats): Promise<void> {
  try {
    await fs.link(source.at, goal.at);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw new FileError('exists', goal.path);
    if (errnoOf(error) !== 'EXDEV' && !cannotLink(error)) throw error;
    return renameOrCopy(fs, source, goal, stat);
  }
  try {
    await fs.unlink(source.at);
  } catch (error) {
    await fs.unlink(goal.at).catch(() => undefined);
    throw error;
  }
}

async function renameOrCopy(fs: FsCalls, source: Place, goal: Place, stat: Stats): Promise<void> {
  try {
    return await renameRetrying(fs, source.at, goal.at);
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
  }
  // two workspace folders on two disks
  if (stat.isSymbolicLink()) {
    await fs.symlink(await fs.readlinkBytes(source.at), goal.at);
  } else {
    const bytes = await readBytes(fs, source.at, source.path, Number.MAX_SAFE_INTEGER);
    const mode = stat.mode & 0o7777;
    await writeAtomic(fs, path.join(goal.parent, goal.name), bytes, { mode, exclusive: true });
  }
  await fs.unlink(source.at);
}
