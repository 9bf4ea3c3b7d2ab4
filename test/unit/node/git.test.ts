import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { GitState } from '../../../src/core/ports';
import { NodeGit } from '../../../src/node/git';
import { useFolder } from './helpers';

describe('git, read from its files', function () {
  this.timeout(60_000);
  const folder = useFolder();

  function git(dir: string, ...args: string[]): string {
    const who = ['-c', 'user.name=h', '-c', 'user.email=h@example.invalid', '-c', 'init.defaultBranch=main'];
    return execFileSync('git', [...who, ...args], {
      cwd: dir,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  }
  const whole = (dir: string, files: string[] = []): Promise<GitState | undefined> =>
    new NodeGit({ roots: [{ dir }] }).state(new AbortController().signal, files);
  const state = async (dir: string): Promise<Pick<GitState, 'branch' | 'head' | 'operation'> | undefined> => {
    const found = await whole(dir);
    return found && { branch: found.branch, head: found.head, operation: found.operation };
  };
  function commit(dir: string, text: string): string {
    writeFileSync(`${dir}/f.txt`, text);
    git(dir, 'add', '.');
    git(dir, 'commit', '-qm', text);
    return git(dir, 'rev-parse', 'HEAD');
  }
  function fails(dir: string, ...args: string[]): void {
    assert.throws(() => git(dir, ...args));
  }

  it('no repository, no folder, a stopped question', async () => {
    assert.equal(await state(folder.dir), undefined);
    assert.equal(await new NodeGit({ roots: [] }).state(new AbortController().signal), undefined);
    await assert.rejects(new NodeGit({ roots: [] }).state(AbortSignal.abort()));
  });

  it('how the head was moved, what is stashed, and a repository inside of which a file is known', async () => {
    const dir = folder.dir;
    git(dir, 'init', '-q');
    commit(dir, 'one');
    writeFileSync(`${dir}/f.txt`, 'dirty');
    git(dir, 'stash', '-q');
    git(dir, 'checkout', '-q', '-b', 'other');
    mkdirSync(`${dir}/in/deep`, { recursive: true });
    git(`${dir}/in`, 'init', '-q');
    const found = await whole(dir, ['in/deep/x.txt', 'f.txt', 'none/y.txt']);
    assert.equal(found?.stashes, 1);
    assert.deepEqual(found.recent, ['commit (initial)', 'reset', 'checkout']);
    assert.equal(found.moves, 3);
    assert.deepEqual(Object.keys(found.others ?? {}), ['in']);
    assert.deepEqual(found.others?.['in']?.branch, 'main');
  });

  it('an empty branch, loose and packed refs, a detached head, a folder below', async () => {
    const dir = folder.dir;
    git(dir, 'init', '-q');
    assert.deepEqual(await state(dir), { branch: 'main', head: null, operation: null });
    const head = commit(dir, 'one');
    git(dir, 'checkout', '-qb', 'feature/x');
    assert.deepEqual(await state(dir), { branch: 'feature/x', head, operation: null });
    git(dir, 'pack-refs', '--all');
    mkdirSync(folder.at('deep/er'), { recursive: true });
    assert.deepEqual(await state(folder.at('deep/er')), { branch: 'feature/x', head, operation: null });
    git(dir, 'checkout', '-q', '--detach');
    assert.deepEqual(await state(dir), { branch: null, head, operation: null });
  });

  it('worktrees and submodule-like folders', async () => {
    const dir = folder.at('main');
    mkdirSync(dir);
    git(dir, 'init', '-q');
    const head = commit(dir, 'one');
    git(dir, 'worktree', 'add', '-q', '-b', 'other', '../tree');
    const second = commit(folder.at('tree'), 'two');
    git(dir, 'pack-refs', '--all');
    assert.deepEqual(await state(folder.at('tree')), { branch: 'other', head: second, operation: null });
    assert.deepEqual(await state(dir), { branch: 'main', head, operation: null });
    mkdirSync(folder.at('main/sub'));
    mkdirSync(folder.at('main/.git/modules'));
    git(folder.at('main/sub'), 'init', '-q', '--separate-git-dir=../.git/modules/sub');
    assert.deepEqual(await state(folder.at('main/sub')), { branch: 'main', head: null, operation: null });
  });

  it('names what is in progress', async () => {
    const dir = folder.dir;
    const operation = async (): Promise<string | null | undefined> => (await state(dir))?.operation;
    git(dir, 'init', '-q');
    const base = commit(dir, 'base');
    git(dir, 'checkout', '-qb', 'other');
    const other = commit(dir, 'other');
    git(dir, 'checkout', '-q', 'main');
    commit(dir, 'main');
    fails(dir, 'merge', 'other');
    assert.equal(await operation(), 'merge');
    git(dir, 'merge', '--abort');
    fails(dir, 'cherry-pick', other);
    assert.equal(await operation(), 'cherry-pick');
    git(dir, 'cherry-pick', '--abort');
    fails(dir, 'rebase', 'other');
    assert.equal(await operation(), 'rebase');
    git(dir, 'rebase', '--abort');
    commit(dir, 'more');
    fails(dir, 'revert', '--no-edit', 'HEAD~1');
    assert.equal(await operation(), 'revert');
    git(dir, 'revert', '--abort');
    git(dir, 'bisect', 'start', 'HEAD', base);
    assert.equal(await operation(), 'bisect');
    git(dir, 'bisect', 'reset');
    assert.equal(await operation(), null);
  });
});
