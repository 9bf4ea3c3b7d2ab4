/** Making the folders a new file needs, and taking them back when it does not come to be. */
import path from 'node:path';
import { syncFolder } from '../atomic';
import type { FsCalls } from '../fs';
import { errnoOf, unlessMissing } from '../fs';

/**
 * Runs `work` with `folder` (absolute, real as far as it exists) there. When `work` fails, the folders made for it are
 * removed again, as long as nobody has put anything into them.
 */
export async function withParents<T>(fs: FsCalls, folder: string, work: () => Promise<T>): Promise<T> {
  const made: string[] = [];
  try {
    await make(fs, folder, made);
    const result = await work();
    for (const one of made) await syncFolder(fs, path.dirname(one));
    return result;
  } catch (error) {
    for (const one of made.reverse()) await fs.rmdir(one).catch(() => undefined);
    throw error;
  }
}

async function make(fs: FsCalls, folder: string, made: string[]): Promise<void> {
  const stat = await unlessMissing(fs.lstat(folder));
  if (stat?.isDirectory() === true) return;
  // a file on the way, or a link put there since the path was looked at
  if (stat !== undefined) throw Object.assign(new Error('ENOTDIR'), { code: 'ENOTDIR' });
  if (path.dirname(folder) === folder) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
  await make(fs, path.dirname(folder), made);
  try {
    await fs.mkdir(folder);
    made.push(folder);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
}
