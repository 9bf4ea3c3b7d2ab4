/** Following symbolic links by hand: unlike `realpath` it also says where a path leads that does not exist yet. */
import type { Stats } from 'node:fs';
import path from 'node:path';
import { FileError } from '../../core/errors';
import type { FsCalls } from '../fs';
import { unlessMissing } from '../fs';

/** Linux gives up at 40 too. */
const MOST_LINKS = 40;

export interface Followed {
  /** Absolute and free of links, as far as it exists. */
  real: string;
  /** What stands there; undefined: nothing. */
  stat: Stats | undefined;
}

/**
 * Where `segments` below `start` (absolute, free of links) lead. With `followLast: false` a link at the end stays one.
 * Throws `FileError` `loop` for links in circles and `notDirectory` for a path through a file; `given` names it.
 */
export async function follow(
  fs: FsCalls,
  start: string,
  segments: readonly string[],
  options: { given: string; followLast: boolean },
): Promise<Followed> {
  let here = start;
  let stat: Stats | undefined = segments.length === 0 ? await unlessMissing(fs.lstat(start)) : undefined;
  let links = 0;
  const queue = [...segments];
  for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      here = path.dirname(here);
      stat = await fs.lstat(here);
      continue;
    }
    const next = path.join(here, name);
    stat = await unlessMissing(fs.lstat(next));
    if (stat === undefined) return { real: path.join(next, ...queue), stat: undefined };
    if (stat.isSymbolicLink() && (queue.length > 0 || options.followLast)) {
      links += 1;
      if (links > MOST_LINKS) throw new FileError('loop', options.given, 'ELOOP');
      const target = await fs.readlink(next);
      queue.unshift(...target.split(path.sep === '\\' ? /[\\/]/ : '/'));
      if (path.isAbsolute(target)) {
        here = path.parse(target).root;
        stat = await fs.lstat(here);
        if (path.sep === '\\') queue.shift(); // the drive
      } else {
        stat = await fs.lstat(here);
      }
      continue;
    }
    if (queue.some((rest) => rest !== '' && rest !== '.') && !stat.isDirectory() && !stat.isSymbolicLink()) {
      throw new FileError('notDirectory', options.given, 'ENOTDIR');
    }
    here = next;
  }
  return { real: here, stat };
}
