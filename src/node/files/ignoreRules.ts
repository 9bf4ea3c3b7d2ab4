/** What git would leave out: `.gitignore` files at every level, and `info/exclude` of the repository. */
import path from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { FsCalls } from '../fs';
import { commonFolderOf, gitFolderOf, isThere } from '../gitFolder';
import { readBytes } from './content';

const MOST_BYTES = 1024 * 1024;

/** Rules of one folder; `base` is absolute. */
interface Rules {
  base: string;
  matcher: Ignore;
}

/** The rules that hold in one folder, those of the deepest folder last. Immutable: each folder gets its own. */
export class IgnoreStack {
  private constructor(
    private readonly fs: FsCalls,
    private readonly rules: readonly Rules[],
  ) {}

  static empty(fs: FsCalls): IgnoreStack {
    return new IgnoreStack(fs, []);
  }

  /** The rules above a folder: from the top of the repository it lies in, the folder's own file included. */
  static async at(fs: FsCalls, folder: string): Promise<IgnoreStack> {
    const above: string[] = [];
    for (let here = folder; ; here = path.dirname(here)) {
      above.unshift(here);
      if (await isRepository(fs, here)) break;
      // no repository at all: only the folder's own rules and those below it
      if (path.dirname(here) === here) {
        above.splice(0, above.length, folder);
        break;
      }
    }
    let stack = new IgnoreStack(fs, []);
    for (const one of above) {
      // Opened or asked for by itself, a folder that the repository around it ignores counts for what it holds.
      if (one === folder && stack.ignores(folder, true)) stack = new IgnoreStack(fs, []);
      stack = await stack.enter(one);
    }
    return stack;
  }

  /** The rules inside a sub-folder. A repository of its own starts afresh, as git does. */
  async enter(folder: string): Promise<IgnoreStack> {
    const own: Rules[] = [];
    const repository = await isRepository(this.fs, folder);
    if (repository) {
      const gitFolder = (await gitFolderOf(this.fs, folder)) ?? path.join(folder, '.git');
      const shared = await commonFolderOf(this.fs, gitFolder);
      const exclude = await this.load(path.join(shared, 'info', 'exclude'), folder);
      if (exclude !== undefined) own.push(exclude);
    }
    const here = await this.load(path.join(folder, '.gitignore'), folder);
    if (here !== undefined) own.push(here);
    if (own.length === 0 && !repository) return this;
    return new IgnoreStack(this.fs, repository ? own : [...this.rules, ...own]);
  }

  /** The deepest folder with a word on it decides. */
  ignores(absolute: string, isDirectory: boolean): boolean {
    for (const { base, matcher } of [...this.rules].reverse()) {
      const below = path.relative(base, absolute).split(path.sep).join('/');
      const verdict = matcher.test(isDirectory ? `${below}/` : below);
      if (verdict.ignored) return true;
      if (verdict.unignored) return false;
    }
    return false;
  }

  private async load(file: string, base: string): Promise<Rules | undefined> {
    try {
      const bytes = await readBytes(this.fs, file, file, MOST_BYTES);
      const text = new TextDecoder().decode(bytes); // takes a BOM off, as git does
      return { base, matcher: ignore({ ignorecase: false }).add(text) };
    } catch {
      return undefined; // missing, a link, unreadable: git goes on without it too
    }
  }
}

function isRepository(fs: FsCalls, folder: string): Promise<boolean> {
  return isThere(fs, path.join(folder, '.git'));
}

/** One file below the workspace folder `top`, by the rules of the folders above it up to its repository, else up to `top`. */
export async function isIgnored(fs: FsCalls, top: string, absolute: string): Promise<boolean> {
  let above: string[] = [];
  for (let here = path.dirname(absolute); ; here = path.dirname(here)) {
    above.unshift(here);
    if (await isRepository(fs, here)) break;
    if (path.dirname(here) === here) {
      above = above.filter((folder) => folder === top || folder.startsWith(`${top}${path.sep}`));
      break;
    }
  }
  let stack = IgnoreStack.empty(fs);
  for (const [n, folder] of above.entries()) {
    // What lies in an ignored folder is ignored, whatever is said below.
    if (n > 0 && stack.ignores(folder, true)) return true;
    stack = await stack.enter(folder);
  }
  return stack.ignores(absolute, false);
}
