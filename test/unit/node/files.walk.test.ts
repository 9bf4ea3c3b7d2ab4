import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { WalkOptions } from '../../../src/core/ports';
import { NodeFiles } from '../../../src/node/files';
import { realFs } from '../../../src/node/fs';
import { rejectsWith, useFolder } from './helpers';

describe('files: walking', () => {
  const folder = useFolder();
  let files: NodeFiles;

  function make(tree: Record<string, string>): void {
    for (const [name, text] of Object.entries(tree)) {
      mkdirSync(path.dirname(folder.at(name)), { recursive: true });
      writeFileSync(folder.at(name), text);
    }
  }
  async function walk(options: Partial<WalkOptions> = {}): Promise<{ paths: string[]; complete: boolean }> {
    const signal = new AbortController().signal;
    const found = await files.walk({ from: '', honourIgnore: true, maxEntries: 10_000, signal, ...options });
    return { paths: found.entries.map(({ path: name, type }) => `${name}:${type[0]}`), complete: found.complete };
  }

  beforeEach(() => {
    files = new NodeFiles({ roots: [{ name: 'ws', dir: folder.dir }], reserved: [folder.at('store')] });
  });

  it('goes breadth first, reports links and never follows them', async () => {
    make({ 'a/f.txt': '', 'z.txt': '', '.git/HEAD': '', 'store/runs.json': '', 'b/.GIT/x': '' });
    writeFileSync(folder.at(`.holdfast-${'00'.repeat(12)}.tmp`), '');
    symlinkSync('.', folder.at('loop'));
    symlinkSync('../a', folder.at('a/b'));
    const { paths, complete } = await walk();
    assert.deepEqual(paths, ['a:d', 'b:d', 'loop:l', 'z.txt:f', 'a/b:l', 'a/f.txt:f']);
    assert.equal(complete, true);
    assert.deepEqual((await walk({ depth: 1 })).paths, ['a:d', 'b:d', 'loop:l', 'z.txt:f']);
    assert.deepEqual((await walk({ from: 'a' })).paths, ['a/b:l', 'a/f.txt:f']);
    assert.deepEqual((await walk({ from: 'loop', depth: 1 })).paths[0], 'loop/a:d');
    await rejectsWith('notDirectory', walk({ from: 'z.txt' }));
    await rejectsWith('notFound', walk({ from: 'none' }));
    await rejectsWith('reserved', walk({ from: '.git' }));
  });

  it('ends at the limit and at the signal', async () => {
    make(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`f${n}`, ''])));
    const limited = await walk({ maxEntries: 10 });
    assert.deepEqual([limited.paths.length, limited.complete], [10, false]);
    assert.equal((await walk({ maxEntries: 50 })).complete, true);
    const stopped = await walk({ signal: AbortSignal.abort() });
    assert.deepEqual(stopped, { paths: [], complete: false });
  });

  it('hears a stop in the middle', async () => {
    make(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`d${n}/f`, ''])));
    const stop = new AbortController();
    setImmediate(() => setImmediate(() => stop.abort()));
    const { paths, complete } = await walk({ signal: stop.signal });
    assert.equal(complete, false);
    assert.ok(paths.length < 600);
  });

  it('says that a folder could not be read', async () => {
    make({ 'a/f': '', 'b/f': '' });
    files = new NodeFiles({
      roots: [{ name: 'ws', dir: folder.dir }],
      fs: {
        ...realFs,
        readdir: (one) =>
          one.endsWith('/a') ? Promise.reject(Object.assign(new Error(''), { code: 'EACCES' })) : realFs.readdir(one),
      },
    });
    assert.deepEqual(await walk(), { paths: ['a:d', 'b:d', 'b/f:f'], complete: false });
  });

  it('leaves out what git leaves out, at every level', async () => {
    make({
      '.gitignore': '\ufeff*.log\n/dist/\nnode_modules/\n!keep.log\n',
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.git/info/exclude': 'private.txt\n',
      'a.log': '',
      'keep.log': '',
      'private.txt': '',
      'dist/out.js': '',
      'src/dist/in.js': '',
      'src/.gitignore': '!b.log\ngen/\n/only-here.txt\n',
      'src/a.log': '',
      'src/b.log': '',
      'src/gen/x': '',
      'src/only-here.txt': '',
      'src/sub/only-here.txt': '',
      'src/sub/b.log': '',
      'src/sub/.gitignore': 'b.log\n',
      'node_modules/m/index.js': '',
      'Dist/x': '',
    });
    assert.deepEqual(
      (await walk()).paths.filter((one) => one.endsWith(':f')),
      gitFiles(),
    );
    assert.equal((await walk({ honourIgnore: false })).paths.includes('node_modules/m/index.js:f'), true);
    assert.deepEqual((await walk({ from: 'src' })).paths.includes('src/a.log:f'), false);

    /** What git itself says, breadth first. */
    function gitFiles(): string[] {
      execFileSync('git', ['init', '-q'], { cwd: folder.dir });
      writeFileSync(folder.at('.git/info/exclude'), 'private.txt\n');
      const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
        cwd: folder.dir,
        encoding: 'utf8',
      });
      const depth = (one: string): number => one.split('/').length;
      const paths = listed.split('\0').filter((one) => one !== '');
      return paths.sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1)).map((one) => `${one}:f`);
    }
  });

  it('a repository inside has rules of its own; a folder of a repository has those above it', async () => {
    make({
      '.gitignore': '*.o\n',
      '.git/HEAD': '',
      'lib/.git': 'gitdir: ../somewhere\n',
      'lib/.gitignore': '*.tmp\n',
      'lib/a.o': '',
      'lib/a.tmp': '',
      'app/a.o': '',
      'app/a.c': '',
    });
    assert.deepEqual(
      (await walk()).paths.filter((one) => /\.(o|tmp|c):/.test(one)),
      ['app/a.c:f', 'lib/a.o:f'],
    );
    files = new NodeFiles({ roots: [{ name: 'app', dir: folder.at('app') }] });
    assert.deepEqual((await walk()).paths, ['a.c:f']);
  });

  it('a worktree has the exclude file of its repository', async () => {
    make({
      'main/.git/HEAD': '',
      'main/.git/info/exclude': 'private.txt\n',
      'main/.git/worktrees/w/commondir': '../..\n',
      'main/.git/worktrees/w/HEAD': '',
      'w/.git': `gitdir: ${folder.at('main/.git/worktrees/w')}\n`,
      'w/private.txt': '',
      'w/a.txt': '',
    });
    files = new NodeFiles({ roots: [{ name: 'w', dir: folder.at('w') }] });
    assert.deepEqual((await walk()).paths, ['a.txt:f']);
  });

  it('several roots: each under its name', async () => {
    make({ 'api/a': '', 'web/b': '' });
    files = new NodeFiles({ roots: ['api', 'web'].map((name) => ({ name, dir: folder.at(name) })) });
    assert.deepEqual((await walk()).paths, ['api/a:f', 'web/b:f']);
    assert.deepEqual((await walk({ from: 'web' })).paths, ['web/b:f']);
  });

  it('gives sizes and change times', async () => {
    make({ a: 'four' });
    chmodSync(folder.at('a'), 0o600);
    const { entries } = await files.walk({
      from: '',
      honourIgnore: false,
      maxEntries: 5,
      signal: new AbortController().signal,
    });
    assert.equal(entries[0]?.size, 4);
    assert.equal(entries[0]?.ctimeMs, (await files.stat('a')).ctimeMs);
  });
});
