/** Listing the workspace, breadth first: what lies near the top comes before what lies deep. */
import type { Dirent } from 'node:fs';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FileType, Path, WalkEntry, WalkOptions } from '../../core/ports';
import { isScrap } from '../atomic';
import type { FsCalls } from '../fs';
import { unlessMissing } from '../fs';
import { IgnoreStack } from './ignoreRules';
import { isGit } from './names';

/** `lstat` calls under way at a time: enough to keep the thread pool busy. */
const AT_ONCE = 32;

export interface WalkStart {
  /** Absolute and real. */
  folder: string;
  /** The workspace path of it; '' for the only root. */
  path: Path;
}

interface Level extends WalkStart {
  depth: number;
  rules: IgnoreStack | undefined;
}

/**
 * Entries below the starts. Links are entries and never followed; `.git`, temporary files of ours and what `skip` names
 * are left out. `complete: false` when the limit was reached, the signal fired, or a folder could not be read.
 */
export async function walkFolders(
  fs: FsCalls,
  starts: readonly WalkStart[],
  options: WalkOptions,
  skip: (real: string) => boolean,
): Promise<{ entries: WalkEntry[]; complete: boolean }> {
  const entries: WalkEntry[] = [];
  let complete = true;
  const queue: Level[] = [];
  for (const start of starts) {
    queue.push({
      ...start,
      depth: 1,
      rules: options.honourIgnore ? await IgnoreStack.at(fs, start.folder) : undefined,
    });
  }
  for (let level = queue.shift(); level !== undefined; level = queue.shift()) {
    await nextTurn(); // a stop must be heard in the middle of a large tree
    const { folder, rules, depth } = level;
    let found: Dirent[];
    try {
      found = await fs.readdir(folder);
    } catch {
      complete = false;
      continue;
    }
    const kept = found
      .filter(({ name }) => !isGit(name) && !isScrap(name) && !skip(path.join(folder, name)))
      .filter((entry) => rules?.ignores(path.join(folder, entry.name), entry.isDirectory()) !== true)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    for (let from = 0; from < kept.length; from += AT_ONCE) {
      if (options.signal.aborted) return { entries, complete: false };
      const part = kept.slice(from, from + AT_ONCE);
      const stats = await Promise.all(part.map(({ name }) => unlessMissing(fs.lstat(path.join(folder, name)))));
      for (const [index, stat] of stats.entries()) {
        const name = part[index]?.name;
        if (stat === undefined || name === undefined) continue; // gone meanwhile
        if (entries.length >= options.maxEntries) return { entries, complete: false };
        const entryPath = level.path === '' ? name : `${level.path}/${name}`;
        entries.push({ path: entryPath, type: typeOf(stat), size: stat.size, ctimeMs: stat.ctimeMs });
        if (!stat.isDirectory() || depth >= (options.depth ?? Infinity)) continue;
        const below = path.join(folder, name);
        queue.push({ folder: below, path: entryPath, depth: depth + 1, rules: await rules?.enter(below) });
      }
    }
  }
  return { entries, complete: complete && !options.signal.aborted };
}

export function typeOf(stat: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FileType {
  if (stat.isFile()) return 'file';
  if (stat.isDirectory()) return 'directory';
  return stat.isSymbolicLink() ? 'link' : 'other';
}
