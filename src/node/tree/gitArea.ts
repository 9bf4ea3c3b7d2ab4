/** Looking at a repository's working folder: what differs from a copy of its index, found by git, told by stat data. */
import path from 'node:path';
import { isScrap } from '../atomic';
import type { FsCalls } from '../fs';
import { type Mark, type Marks, stats } from './area';
import { parts } from './program';
import type { Shadow } from './shadow';

/** So many entries that only look changed are worth one reading of their content. */
const REFRESH_FROM = 200;

export interface GitFound {
  marks: Marks;
  /** Folders below that are repositories of their own; relative, with `/`. */
  nested: string[];
}

export interface GitLook {
  /** Absolute; in the working tree. */
  dir: string;
  index: string;
  signal: AbortSignal;
  /** Absolute folders that are left out: the extension's storage. */
  skip: readonly string[];
}

/** Everything below `dir` that the index does not say: new, changed and vanished files, ignored ones left out. */
export async function differences(fs: FsCalls, shadow: Shadow, look: GitLook): Promise<GitFound> {
  const at = { cwd: look.dir, index: look.index, signal: look.signal };
  const [raw, others] = await Promise.all([
    shadow.git(
      ['diff-files', '--raw', '-z', '--no-abbrev', '--no-renames', '--relative', '--ignore-submodules=all'],
      at,
    ),
    shadow.git(['ls-files', '-z', '--others', '--exclude-standard'], at),
  ]);
  const tags = new Map<string, NonNullable<Mark['tag']>>();
  const nested: string[] = [];
  const fields = parts(raw);
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const state = fields[i]?.slice(-1);
    const below = fields[i + 1];
    if (below !== undefined) tags.set(below, state === 'D' ? 'gone' : 'changed');
  }
  for (const below of parts(others)) {
    if (below.endsWith('/')) nested.push(below.slice(0, -1));
    else if (!isScrap(path.basename(below))) tags.set(below, 'new');
  }
  const place = (below: string): string => path.join(look.dir, ...below.split('/'));
  const skipped = (file: string): boolean => look.skip.some((dir) => file === dir || file.startsWith(dir + path.sep));
  const wanted = [...tags].filter(([below]) => !skipped(place(below)));
  const found = await stats(
    fs,
    wanted.map(([below]) => place(below)),
    look.signal,
  );
  const marks = new Map<string, Mark>();
  for (const [below, tag] of wanted) {
    const stat = found.get(place(below));
    // A folder stands where the index has a file: the file is gone.
    if (stat && !stat.directory)
      marks.set(below, { size: stat.size, ctimeMs: stat.ctimeMs, tag: tag === 'gone' ? 'changed' : tag });
    else if (tag !== 'new') marks.set(below, { size: 0, ctimeMs: 0, tag: 'gone' });
  }
  return { marks, nested: nested.filter((below) => !skipped(place(below))) };
}

/** Copies the index anew; where much of it only looks changed (a copied checkout), its stat data are brought up to date in the copy. */
export async function takeIndex(fs: FsCalls, shadow: Shadow, look: GitLook): Promise<GitFound> {
  await shadow.copyIndex(look.index);
  const found = await differences(fs, shadow, look);
  if ([...found.marks.values()].filter((m) => m.tag === 'changed').length < REFRESH_FROM) return found;
  const at = { cwd: look.dir, index: look.index, signal: look.signal };
  // Exits 1 where something really differs.
  await shadow.git(['update-index', '-q', '--refresh'], at).catch(() => undefined);
  return differences(fs, shadow, look);
}

/** Submodules and the like: folders the index names as commits of another repository. */
export async function gitLinks(shadow: Shadow, look: GitLook): Promise<string[]> {
  const listed = await shadow.git(['ls-files', '-z', '--stage'], {
    cwd: look.dir,
    index: look.index,
    signal: look.signal,
  });
  const links: string[] = [];
  // a list of a whole index: only the lines that are looked for become text
  const mode = Buffer.from('160000 ');
  for (let at = listed.indexOf(mode); at >= 0; at = listed.indexOf(mode, at + 1)) {
    if (at > 0 && listed[at - 1] !== 0) continue;
    const name = listed.indexOf(9, at) + 1;
    links.push(listed.toString('utf8', name, listed.indexOf(0, name)));
  }
  return links;
}

/** Bytes of files as the index has them: only where they are the file's own bytes, which a conversion would have changed in length. */
export async function indexed(
  shadow: Shadow,
  look: GitLook,
  paths: readonly string[],
  maxBytes: number,
): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  if (paths.length === 0) return found;
  const at = { cwd: look.dir, index: look.index, signal: look.signal };
  const listed = (await shadow.git(['ls-files', '-z', '--stage', '--debug', '--', ...paths], at)).toString('utf8');
  // `<mode> <oid> 0\t<path>\0` and five lines of stat data, one of them `  size: N\tflags: F`
  const entry = /(?:100644|100755|120000) ([0-9a-f]{40,64}) 0\t([^\0]+)\0[^\0]*?size: (\d+)\tflags/g;
  const wanted = [...listed.matchAll(entry)].flatMap(([, oid = '', below = '', size = '0']) =>
    Number(size) <= maxBytes ? [{ oid, below, size: Number(size) }] : [],
  );
  if (wanted.length === 0) return found;
  const output = await shadow.git(['cat-file', '--batch'], { ...at, input: wanted.map((w) => `${w.oid}\n`).join('') });
  let from = 0;
  for (const { below, size } of wanted) {
    const end = output.indexOf(10, from);
    if (end < 0) break;
    const head = output.toString('utf8', from, end).split(' ');
    from = end + 1;
    if (head[1] !== 'blob') continue;
    const length = Number(head[2]);
    if (length === size) found.set(below, new Uint8Array(output.subarray(from, from + length)));
    from += length + 1;
  }
  return found;
}
