/** The `Git` port by reading files: no git process, so nothing of the repository's own configuration is run. */
import path from 'node:path';
import type { Git, GitState, Repository } from '../core/git';
import type { Path } from '../core/ports';
import { type FsCalls, realFs } from './fs';
import { commonFolderOf, firstLine, gitFolderOf, isThere, textOf } from './gitFolder';

/** What git keeps in its folder while something is in progress; the first that is there names it. */
const OPERATIONS: readonly (readonly [file: string, operation: string])[] = [
  ['rebase-merge', 'rebase'],
  ['rebase-apply/applying', 'am'],
  ['rebase-apply', 'rebase'],
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['BISECT_LOG', 'bisect'],
];

/** The verb of a reflog entry: `<old> <new> <who> <time>\t<verb> <more>: <words>`; more and words are the human's. */
const ACTION = /\t([a-z][a-z-]{0,20}(?: \([a-z -]{1,20}\))?)/;
const RECENT = 20;

export class NodeGit implements Git {
  private readonly fs: FsCalls;

  constructor(private readonly options: { roots: readonly { dir: string; name?: string }[]; fs?: FsCalls }) {
    this.fs = options.fs ?? realFs;
  }

  /** A branch without a commit has no `head`. */
  async state(signal: AbortSignal, files: readonly Path[] = []): Promise<GitState | undefined> {
    signal.throwIfAborted();
    const [first, ...roots] = this.options.roots;
    if (first === undefined) return undefined;
    const mainFolder = await this.gitFolder(first.dir);
    const main = mainFolder === undefined ? undefined : await this.repository(mainFolder);
    const others: Record<Path, Repository> = Object.create(null) as Record<Path, Repository>;
    const seen = new Set([mainFolder]);
    const add = async (name: Path, folder: string | undefined): Promise<void> => {
      signal.throwIfAborted();
      if (folder === undefined || seen.has(folder)) return;
      seen.add(folder);
      const found = await this.repository(folder);
      if (found) others[name] = found;
    };
    for (const root of roots) await add(root.name ?? root.dir, await this.gitFolder(root.dir));
    for (const [name, dir] of this.foldersOf(files)) await add(name, await gitFolderOf(this.fs, dir));
    const more = Object.keys(others).length > 0 ? { others: { ...others } } : {};
    if (main) return { ...main, ...more };
    return more.others ? { branch: null, head: null, operation: null, none: true, ...more } : undefined;
  }

  /** Upwards from `dir`. */
  private async gitFolder(dir: string): Promise<string | undefined> {
    for (let here = path.resolve(dir); ; here = path.dirname(here)) {
      const found = await gitFolderOf(this.fs, here);
      if (found !== undefined || path.dirname(here) === here) return found;
    }
  }

  /** Each folder that holds one of the files, and those above it in the workspace: outermost first. */
  private foldersOf(files: readonly Path[]): Map<Path, string> {
    const found = new Map<Path, string>();
    const { roots } = this.options;
    for (const file of files) {
      const segments = file.split('/').slice(0, -1);
      const root = roots.length > 1 ? roots.find((one) => one.name === segments[0]) : roots[0];
      const skip = roots.length > 1 ? 1 : 0;
      if (root === undefined) continue;
      for (let n = skip + 1; n <= segments.length; n += 1)
        found.set(segments.slice(0, n).join('/'), path.join(root.dir, ...segments.slice(skip, n)));
    }
    return found;
  }

  /** undefined: it has no readable head. */
  private async repository(folder: string): Promise<Repository | undefined> {
    const head = await firstLine(this.fs, path.join(folder, 'HEAD'));
    const name = /^ref: (.+)$/.exec(head ?? '')?.[1];
    if (head === undefined || (name === undefined && sha(head) === null)) return undefined;
    const common = await commonFolderOf(this.fs, folder);
    const log = await this.log(path.join(folder, 'logs', 'HEAD'));
    return {
      branch: name?.replace(/^refs\/heads\//, '') ?? null,
      head: name === undefined ? sha(head) : await this.ref(folder, name, 0),
      operation: await this.operation(folder),
      stashes: (await this.log(path.join(common, 'logs', 'refs', 'stash'))).length,
      moves: log.length,
      recent: log.slice(-RECENT).map((line) => ACTION.exec(line)?.[1] ?? 'a move'),
    };
  }

  /** Lines of a reflog, oldest first. */
  private async log(file: string): Promise<string[]> {
    return ((await textOf(this.fs, file)) ?? '').split('\n').filter((line) => line !== '');
  }

  private async ref(folder: string, name: string, depth: number): Promise<string | null> {
    // worktrees keep HEAD to themselves and share branches
    const common = await commonFolderOf(this.fs, folder);
    for (const one of [folder, common]) {
      const value = await firstLine(this.fs, path.join(one, ...name.split('/')));
      const further = /^ref: (.+)$/.exec(value ?? '')?.[1];
      if (further !== undefined && depth < 5) return this.ref(folder, further, depth + 1);
      if (value !== undefined && sha(value) !== null) return sha(value);
    }
    const packed = (await textOf(this.fs, path.join(common, 'packed-refs'))) ?? '';
    return (
      packed
        .split('\n')
        .find((line) => line.endsWith(` ${name}`))
        ?.split(' ')[0] ?? null
    );
  }

  private async operation(folder: string): Promise<string | null> {
    for (const [file, operation] of OPERATIONS) if (await isThere(this.fs, path.join(folder, file))) return operation;
    return null;
  }
}

function sha(text: string): string | null {
  return /^[0-9a-f]{40,64}$/.test(text) ? text : null;
}
