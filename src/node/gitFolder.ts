/** Where git keeps a repository's files: not always in the folder called `.git`. */
import path from 'node:path';
import { readBytes } from './files/content';
import type { FsCalls } from './fs';

/** `packed-refs` of very large repositories reach some ten megabytes. */
const MOST_BYTES = 256 * 1024 * 1024;

/** The git folder of the working folder `dir`, a `.git` file (worktree, submodule) followed; undefined: it has none. */
export async function gitFolderOf(fs: FsCalls, dir: string): Promise<string | undefined> {
  const dot = path.join(dir, '.git');
  if (await isThere(fs, path.join(dot, 'HEAD'))) return dot;
  const led = /^gitdir: (.+)$/.exec((await firstLine(fs, dot)) ?? '')?.[1];
  return led === undefined ? undefined : path.resolve(dir, led);
}

/** Where a worktree's git folder keeps what it shares with the others: branches, `packed-refs`, `info/exclude`. */
export async function commonFolderOf(fs: FsCalls, gitFolder: string): Promise<string> {
  return path.resolve(gitFolder, (await firstLine(fs, path.join(gitFolder, 'commondir'))) ?? '.');
}

export async function isThere(fs: FsCalls, file: string): Promise<boolean> {
  return fs.lstat(file).then(
    () => true,
    () => false,
  );
}

export async function firstLine(fs: FsCalls, file: string): Promise<string | undefined> {
  return (await textOf(fs, file))?.split('\n')[0]?.trim();
}

/** undefined: not there, a folder, not readable. */
export async function textOf(fs: FsCalls, file: string): Promise<string | undefined> {
  return readBytes(fs, file, file, MOST_BYTES).then(
    (bytes) => Buffer.from(bytes).toString('utf8'),
    () => undefined,
  );
}
