/**
 * A git folder of our own over a repository of the user: a copy of its index, its objects to read from, none of its
 * configuration. Whatever git does here, it cannot write to the user's repository, nor run what that one's config names.
 */
import { copyFile, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type FsCalls, unlessMissing } from '../fs';
import { commonFolderOf, gitFolderOf, textOf } from '../gitFolder';
import { type GitCall, parts, runGit } from './program';

/** A working folder of a repository, as it is on disk; all absolute. */
export interface Repository {
  /** Top of the working tree. */
  top: string;
  gitFolder: string;
  common: string;
}

/** The repository a folder stands in; undefined: none. */
export async function repositoryOf(fs: FsCalls, dir: string): Promise<Repository | undefined> {
  for (let here = path.resolve(dir); ; here = path.dirname(here)) {
    const gitFolder = await gitFolderOf(fs, here);
    if (gitFolder !== undefined) return { top: here, gitFolder, common: await commonFolderOf(fs, gitFolder) };
    if (path.dirname(here) === here) return undefined;
  }
}

/** What tells one state of a repository's index from another. */
export async function indexStamp(fs: FsCalls, { gitFolder }: Repository): Promise<string> {
  const found = await unlessMissing(fs.stat(path.join(gitFolder, 'index')));
  return found === undefined ? 'none' : `${found.size}:${found.mtimeMs}:${found.ctimeMs}:${found.ino}`;
}

/** What the repository says about how its index and names are to be read; none of it names a program. */
const KEYS = 'filemode|ignorecase|precomposeunicode|symlinks|trustctime|checkstat|sparsecheckoutcone|sparsecheckout';
const PATTERN = `^(core\\.(${KEYS})|extensions\\.objectformat)$`;
const VALUES = /^(core|extensions)\.([a-z]+)\n(true|false|minimal|default|sha1|sha256)$/;

export class Shadow {
  constructor(
    private readonly fs: FsCalls,
    private readonly program: string,
    /** Ours alone. */
    readonly dir: string,
    readonly repository: Repository,
  ) {}

  /** Makes the folder, or brings what the repository says about reading it up to date. */
  async make(signal: AbortSignal): Promise<void> {
    const { common } = this.repository;
    for (const folder of ['objects', 'refs', 'info']) await mkdir(path.join(this.dir, folder), { recursive: true });
    const write = (name: string, text: string): Promise<void> => writeFile(path.join(this.dir, name), text);
    await write('HEAD', 'ref: refs/heads/none\n');
    const config = (lines: readonly string[]): string =>
      `[core]\n\trepositoryformatversion = ${lines.some((l) => l.startsWith('[ext')) ? 1 : 0}\n\tbare = false\n${lines.join('')}`;
    await write('config', config([]));
    const query = ['config', '--file', path.join(common, 'config'), '--no-includes', '-z', '--get-regexp', PATTERN];
    // Fails where none of them is set.
    const set = await runGit(this.program, query, this.call(this.dir, signal)).catch(() => Buffer.alloc(0));
    const lines = parts(set).flatMap((one) => {
      const [, section, key, value] = VALUES.exec(one.toLowerCase()) ?? [];
      return section === undefined ? [] : [`[${section}]\n\t${key} = ${value}\n`];
    });
    await write('config', config(lines));
    // Bytes as they are: no conversion of line ends, no filter program, whatever .gitattributes says.
    await write('info/attributes', '* -text -filter -ident -working-tree-encoding\n');
    await write('info/exclude', (await textOf(this.fs, path.join(common, 'info', 'exclude'))) ?? '');
  }

  /** A copy of the repository's index under `name`, its time stamp kept: git tells by it which entries it must not trust. */
  async copyIndex(name: string): Promise<void> {
    const { gitFolder } = this.repository;
    const from = path.join(gitFolder, 'index');
    const to = path.join(this.dir, name);
    const found = await unlessMissing(stat(from));
    if (found === undefined) return rm(to, { force: true }); // nothing was ever added
    await copyFile(from, to);
    // Rounded down: a stamp that is too old only makes git look closer.
    await utimes(to, found.atime, Math.floor(found.mtimeMs / 1000));
    for (const one of await readdir(gitFolder)) {
      if (one.startsWith('sharedindex.')) await copyFile(path.join(gitFolder, one), path.join(this.dir, one));
    }
  }

  /** git in `cwd` of the working tree, on the index `name`. */
  git(
    args: readonly string[],
    at: { cwd: string; index: string; signal: AbortSignal; input?: string },
  ): Promise<Buffer> {
    // Names stand for themselves; not every command knows the variable.
    const literal: Record<string, string> = args.includes('--') ? { GIT_LITERAL_PATHSPECS: '1' } : {};
    const call = this.call(at.cwd, at.signal, { GIT_INDEX_FILE: path.join(this.dir, at.index), ...literal });
    return runGit(this.program, args, at.input === undefined ? call : { ...call, input: at.input });
  }

  private call(cwd: string, signal: AbortSignal, more: Record<string, string> = {}): GitCall {
    const objects = path.join(this.repository.common, 'objects');
    const env = {
      GIT_DIR: this.dir,
      GIT_WORK_TREE: this.repository.top,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects),
      ...more,
    };
    return { cwd, env, signal };
  }
}
