/** The `Git` port by reading files: no git process, so nothing of the repository's own configuration is run. */
import path from 'node:path';
import type { Git, GitState } from '../core/ports';
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

export class NodeGit implements Git {
  private readonly fs: FsCalls;

  constructor(private readonly options: { roots: readonly { dir: string }[]; fs?: FsCalls }) {
    this.fs = options.fs ?? realFs;
  }

  /** Of the repository the first workspace folder stands in. A branch without a commit has no `head`. */
  async state(signal: AbortSignal): Promise<GitState | undefined> {
    signal.throwIfAborted();
    const first = this.options.roots[0];
    const folder = first === undefined ? undefined : await this.gitFolder(first.dir);
    if (folder === undefined) return undefined;
    const head = await firstLine(this.fs, path.join(folder, 'HEAD'));
    if (head === undefined) return undefined;
    signal.throwIfAborted();
    const name = /^ref: (.+)$/.exec(head)?.[1];
    return {
      branch: name?.replace(/^refs\/heads\//, '') ?? null,
      head: name === undefined ? sha(head) : await this.ref(folder, name, 0),
      operation: await this.operation(folder),
    };
  }

  /** Upwards from `dir`. */
  private async gitFolder(dir: string): Promise<string | undefined> {
    for (let here = path.resolve(dir); ; here = path.dirname(here)) {
      const found = await gitFolderOf(this.fs, here);
      if (found !== undefined || path.dirname(here) === here) return found;
    }
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
