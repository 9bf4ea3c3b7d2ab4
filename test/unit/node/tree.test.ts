import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { TreeLook } from '../../../src/core/tree';
import { realFs } from '../../../src/node/fs';
import { NodeTree } from '../../../src/node/tree';
import { findGit } from '../../../src/node/tree/program';
import { useFolder } from './helpers';

describe('the memory of a workspace', function () {
  this.timeout(30_000);
  const folder = useFolder();
  const workspace = (): string => folder.at('w');
  const never = new AbortController().signal;

  function git(dir: string, ...args: string[]): string {
    const who = ['-c', 'user.name=h', '-c', 'user.email=h@example.invalid', '-c', 'init.defaultBranch=main'];
    return execFileSync('git', [...who, '-c', 'protocol.file.allow=always', ...args], {
      cwd: dir,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  }
  function put(name: string, text: string): void {
    mkdirSync(path.dirname(path.join(workspace(), name)), { recursive: true });
    writeFileSync(path.join(workspace(), name), text);
  }
  const tree = (more: { git?: { program: undefined }; roots?: string[] } = {}): NodeTree =>
    new NodeTree({
      roots: (more.roots ?? ['w']).map((name) => ({ name, dir: folder.at(name) })),
      dir: folder.at('storage'),
      ...(more.git ? { git: more.git } : {}),
    });
  const look = (of: NodeTree, budgetMs = 20_000): Promise<TreeLook> => of.look('run', { budgetMs, signal: never });
  const short = ({ changes }: TreeLook): string[] => changes.map((c) => `${c.kind} ${c.path}`);
  /** Everything below the `.git` folders of the workspace, as one hash. */
  function gitBytes(): string {
    const sum = createHash('sha256');
    for (const name of (readdirSync(workspace(), { recursive: true }) as string[]).sort()) {
      if (!`/${name}/`.includes('/.git/')) continue;
      sum.update(name);
      try {
        sum.update(readFileSync(path.join(workspace(), name)));
      } catch {
        // a folder
      }
    }
    return sum.digest('hex');
  }
  function commitAll(dir = workspace()): void {
    git(dir, 'add', '-A');
    git(dir, 'commit', '-qm', 'all');
  }

  beforeEach(() => mkdirSync(workspace()));

  for (const kind of ['git', 'a walk'] as const) {
    const made = (): NodeTree => tree(kind === 'git' ? {} : { git: { program: undefined } });

    it(`by ${kind}: new, changed and vanished files, ignored ones left out, also after a restart`, async () => {
      put('a.txt', 'a\n');
      put('sub/b.txt', 'b\n');
      put('c.txt', 'c\n');
      put('.gitignore', 'out/\n');
      git(workspace(), 'init', '-q');
      commitAll();
      put('d.txt', 'not added\n');
      const first = await look(made());
      assert.equal(first.first, true);
      assert.deepEqual(first.changes, []);
      const again = made();
      assert.deepEqual(short(await look(again)), []);
      put('a.txt', 'A\n');
      put('d.txt', 'NOT ADDED\n');
      put('sub/new -file"\n.txt', 'n\n');
      put('out/ignored.txt', 'x');
      rmSync(path.join(workspace(), 'c.txt'));
      const seen = await look(made());
      assert.equal(seen.partial, undefined);
      assert.deepEqual(short(seen), [
        'changed a.txt',
        'deleted c.txt',
        'changed d.txt',
        'created sub/new -file"\n.txt',
      ]);
      assert.deepEqual(short(await look(made())), []);
    });

    it(`by ${kind}: what goes back to what it was is a change too`, async () => {
      put('a.txt', 'a\n');
      put('b.txt', 'b\n');
      git(workspace(), 'init', '-q');
      commitAll();
      put('a.txt', 'A2\n');
      rmSync(path.join(workspace(), 'b.txt'));
      const memory = made();
      await look(memory);
      git(workspace(), 'checkout', '-q', '.');
      assert.deepEqual(short(await look(memory)), ['changed a.txt', 'created b.txt']);
    });
  }

  it('a change made once a time has passed carries a later one, whatever clock the system stamps files from', async () => {
    const one = tree();
    for (let n = 0; n < 40; n += 1) {
      const time = one.now();
      await one.passed(time);
      put('a.txt', `${n}`);
      assert.ok(statSync(path.join(workspace(), 'a.txt')).ctimeMs >= time);
    }
  });

  it('commits, branches and a new index are no change of files; the former bytes come from the repository', async () => {
    put('a.txt', 'one\n');
    put('b.txt', 'b\n');
    git(workspace(), 'init', '-q');
    commitAll();
    put('a.txt', 'two\n');
    const memory = tree();
    await look(memory);
    commitAll();
    assert.deepEqual(short(await look(memory)), []);
    git(workspace(), 'checkout', '-q', 'HEAD~0');
    put('a.txt', 'three\n');
    put('b.txt', 'bb\n');
    const seen = await look(memory);
    assert.deepEqual(short(seen), ['changed a.txt', 'changed b.txt']);
    const before = await seen.before(['a.txt', 'b.txt', 'none.txt']);
    assert.deepEqual([...before].map(([name, bytes]) => [name, Buffer.from(bytes).toString()]).sort(), [
      ['a.txt', 'two\n'],
      ['b.txt', 'b\n'],
    ]);
  });

  it('a file that git converts has no bytes to give, and is not called changed for it', async () => {
    put('.gitattributes', '*.txt text eol=crlf\n');
    put('a.txt', 'one\r\ntwo\r\n');
    git(workspace(), 'init', '-q');
    commitAll();
    const memory = tree();
    await look(memory);
    put('a.txt', 'one\r\n');
    const seen = await look(memory);
    assert.deepEqual(short(seen), ['changed a.txt']);
    assert.equal((await seen.before(['a.txt'])).size, 0);
  });

  it('nested repositories, submodules and linked worktrees are looked into; nothing below any .git is written', async () => {
    put('a.txt', 'a\n');
    put('vendor/lib/l.txt', 'l\n');
    git(workspace(), 'init', '-q');
    git(path.join(workspace(), 'vendor/lib'), 'init', '-q');
    commitAll(path.join(workspace(), 'vendor/lib'));
    mkdirSync(folder.at('origin'));
    git(folder.at('origin'), 'init', '-q');
    writeFileSync(folder.at('origin', 's.txt'), 's\n');
    commitAll(folder.at('origin'));
    git(workspace(), 'submodule', 'add', '-q', folder.at('origin'), 'mod');
    git(workspace(), 'add', 'a.txt');
    git(workspace(), 'commit', '-qm', 'x');
    git(workspace(), 'worktree', 'add', '-q', 'tree2');
    const sum = gitBytes();
    const memory = tree();
    await look(memory);
    put('vendor/lib/l.txt', 'll\n');
    put('mod/s.txt', 'ss\n');
    put('mod/t.txt', 't\n');
    put('tree2/a.txt', 'aa\n');
    const seen = await look(memory);
    assert.equal(seen.partial, undefined);
    assert.deepEqual(short(seen), [
      'changed mod/s.txt',
      'created mod/t.txt',
      'changed tree2/a.txt',
      'changed vendor/lib/l.txt',
    ]);
    const before = await seen.before(['mod/s.txt', 'vendor/lib/l.txt', 'tree2/a.txt']);
    assert.equal(before.size, 3);
    assert.equal(gitBytes(), sum);
  });

  it('what the configuration of the repository names is not run, and its lock does not matter', async () => {
    put('a.txt', 'a\n');
    put('.gitattributes', '* filter=evil diff=evil\n');
    git(workspace(), 'init', '-q');
    commitAll();
    const evil = folder.at('evil.sh');
    writeFileSync(evil, `#!/bin/sh\necho "$@" >> ${folder.at('pwned')}\ncat\n`);
    chmodSync(evil, 0o755);
    for (const key of [
      'core.fsmonitor',
      'filter.evil.clean',
      'filter.evil.process',
      'diff.evil.textconv',
      'core.pager',
    ])
      git(workspace(), 'config', key, evil);
    mkdirSync(folder.at('hooks'));
    for (const hook of ['post-index-change', 'fsmonitor-watchman']) symlinkSync(evil, folder.at('hooks', hook));
    git(workspace(), 'config', 'core.hooksPath', folder.at('hooks'));
    writeFileSync(path.join(workspace(), '.git/index.lock'), '');
    const memory = tree();
    await look(memory);
    for (let i = 0; i < 300; i += 1) put(`f${i}.txt`, 'f');
    put('a.txt', 'b\n');
    const seen = await look(memory);
    assert.equal(seen.changes.length, 301);
    assert.ok(!readdirSync(folder.dir).includes('pwned'));
  });

  it('a git on PATH that lies in the workspace is passed over', async () => {
    put('bin/git', '#!/bin/sh\n');
    chmodSync(path.join(workspace(), 'bin/git'), 0o755);
    mkdirSync(folder.at('other'));
    writeFileSync(folder.at('other', 'git'), '#!/bin/sh\n', { mode: 0o755 });
    symlinkSync(path.join(workspace(), 'bin/git'), folder.at('git'));
    const list = ['', '.', 'bin', path.join(workspace(), 'bin'), folder.dir, folder.at('other')].join(':');
    assert.equal(await findGit(realFs, [workspace()], list), folder.at('other', 'git'));
    assert.equal(await findGit(realFs, [workspace()], '.'), undefined);
  });

  it('a damaged index, an ignored folder of a larger repository: looked at by a walk', async () => {
    put('in/a.txt', 'a\n');
    put('.gitignore', 'in/\n');
    git(workspace(), 'init', '-q');
    commitAll();
    const inner = new NodeTree({ roots: [{ name: 'in', dir: folder.at('w', 'in') }], dir: folder.at('storage') });
    await inner.look('run', { budgetMs: 20_000, signal: never });
    put('in/a.txt', 'aa\n');
    assert.deepEqual(short(await inner.look('run', { budgetMs: 20_000, signal: never })), ['changed a.txt']);

    put('top.txt', 't\n');
    writeFileSync(path.join(workspace(), '.git/index'), 'rubbish');
    const memory = tree();
    await memory.look('other', { budgetMs: 20_000, signal: never });
    put('top.txt', 'tt\n');
    assert.deepEqual(short(await memory.look('other', { budgetMs: 20_000, signal: never })), ['changed top.txt']);
  });

  it('several folders; out of time: said, and nothing is lost for the next look', async () => {
    mkdirSync(folder.at('v'));
    put('a.txt', 'a\n');
    writeFileSync(folder.at('v', 'a.txt'), 'a\n');
    git(folder.at('v'), 'init', '-q');
    const memory = tree({ roots: ['w', 'v'] });
    await look(memory);
    writeFileSync(folder.at('v', 'a.txt'), 'b\n');
    put('a.txt', 'ab\n');
    const hurried = await look(memory, 0);
    assert.match(hurried.partial ?? '', /time/);
    assert.deepEqual(hurried.changes, []);
    assert.deepEqual(short(await look(memory)), ['changed v/a.txt', 'changed w/a.txt']);
    await memory.forget('run');
    assert.equal((await look(memory)).first, true);
  });
});
