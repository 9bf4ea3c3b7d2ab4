/** One part of the workspace that is looked at as a whole: a repository's working folder, or a folder without git. */
import type { TreeChange } from '../../core/tree';
import type { FsCalls } from '../fs';

/** What is remembered of one file: size and time of its last change; `oid` and `tag` where an index knows it. */
export interface Mark {
  size: number;
  ctimeMs: number;
  /** `new`: the index does not know it; `changed`, `gone`: it differs from the index. Absent outside repositories. */
  tag?: 'new' | 'changed' | 'gone';
}

/** Paths are relative to the area, with `/`. */
export type Marks = ReadonlyMap<string, Mark>;

export interface Base {
  /** Absolute and real. */
  dir: string;
  /** Workspace path of it; '' for the only root. */
  prefix: string;
  /** Complete: what is not in `marks` is as the index says, or not there. */
  marks: Marks;
}
export type Area =
  | (Base & { kind: 'walk' })
  | (Base & {
      kind: 'git';
      /** Folder of ours, and the copied index in it. */
      shadow: string;
      index: string;
      /** State of the repository's index when it was copied. */
      stamp: string;
      /** Folders it names as commits of other repositories. */
      links: readonly string[];
    });

export const under = (prefix: string, below: string): string => (prefix === '' ? below : `${prefix}/${below}`);

const same = (a: Mark, b: Mark): boolean => a.size === b.size && a.ctimeMs === b.ctimeMs;

/** What happened between two looks at one area, both against the same index. Pure. */
export function compare(before: Marks, now: Marks, prefix: string): TreeChange[] {
  const changes: TreeChange[] = [];
  const say = (below: string, kind: TreeChange['kind'], mark?: Mark): void =>
    void changes.push({
      path: under(prefix, below),
      kind,
      size: kind === 'deleted' ? 0 : (mark?.size ?? 0),
      ...(kind === 'deleted' || mark === undefined || mark.ctimeMs === 0 ? {} : { ctimeMs: mark.ctimeMs }),
    });
  for (const [below, mark] of now) {
    const was = before.get(below);
    if (was !== undefined && was.tag === mark.tag && same(was, mark)) continue;
    if (mark.tag === 'gone') {
      if (was?.tag !== 'gone') say(below, 'deleted');
    } else if (was === undefined) say(below, mark.tag === 'changed' ? 'changed' : 'created', mark);
    else if (was.tag === 'gone') say(below, 'created', mark);
    else if (!same(was, mark)) say(below, 'changed', mark);
  }
  for (const [below, was] of before) {
    if (now.has(below)) continue;
    // As the index has it again.
    if (was.tag === 'changed') say(below, 'changed');
    else if (was.tag === 'gone') say(below, 'created');
    else say(below, 'deleted');
  }
  return changes;
}

/** Sizes and times of many files; what is gone meanwhile is left out. Rejects with the signal's reason. */
export async function stats(
  fs: FsCalls,
  files: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, { size: number; ctimeMs: number; directory: boolean }>> {
  const found = new Map<string, { size: number; ctimeMs: number; directory: boolean }>();
  for (let from = 0; from < files.length; from += 64) {
    signal.throwIfAborted();
    await Promise.all(
      files.slice(from, from + 64).map(async (file) => {
        const stat = await fs.lstat(file).catch(() => undefined);
        if (stat) found.set(file, { size: stat.size, ctimeMs: stat.ctimeMs, directory: stat.isDirectory() });
      }),
    );
  }
  return found;
}
