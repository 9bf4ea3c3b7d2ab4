import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { NodeFiles } from '../../../src/node/files';
import { type FsCalls, realFs } from '../../../src/node/fs';
import { rejectsWith, useFolder } from './helpers';

describe('files: resolving', () => {
  const folder = useFolder();
  let files: NodeFiles;

  beforeEach(() => {
    for (const dir of ['ws/src', 'ws/real', 'ws/.git', 'ws/storage', 'outside'])
      mkdirSync(folder.at(dir), { recursive: true });
    writeFileSync(folder.at('ws/src/a.ts'), 'a');
    writeFileSync(folder.at('outside/secret.txt'), 's');
    files = new NodeFiles({ roots: [{ name: 'ws', dir: folder.at('ws') }], reserved: [folder.at('ws/storage')] });
  });

  it('normalises and takes what does not exist', async () => {
    assert.equal(await files.resolve('./src/../src/a.ts'), 'src/a.ts');
    assert.equal(await files.resolve('new/deep/x.ts'), 'new/deep/x.ts');
    assert.equal(await files.resolve('%2e%2e/x'), '%2e%2e/x');
  });

  it('follows the folders on the way: inside is fine, outside is not', async () => {
    symlinkSync('../outside', folder.at('ws/out'));
    symlinkSync(folder.at('outside'), folder.at('ws/outAbsolute'));
    symlinkSync('real', folder.at('ws/near'));
    symlinkSync('near', folder.at('ws/nearer'));
    symlinkSync('../outside/not-there', folder.at('ws/dangling'));
    symlinkSync('.git', folder.at('ws/g'));
    symlinkSync('storage', folder.at('ws/s'));
    await rejectsWith('outside', files.resolve('out/x'));
    await rejectsWith('outside', files.resolve('out/new/deep/x'));
    await rejectsWith('outside', files.resolve('outAbsolute/secret.txt'));
    await rejectsWith('outside', files.resolve('dangling/x'));
    await rejectsWith('reserved', files.resolve('g/config'));
    await rejectsWith('reserved', files.resolve('s/runs.json'));
    await rejectsWith('reserved', files.resolve('storage/runs.json'));
    assert.equal(await files.resolve('nearer/x'), 'nearer/x');
    // the link itself may be named, so that it can be removed
    assert.equal(await files.resolve('out'), 'out');
  });

  it('gives up on links in circles', async () => {
    symlinkSync('b', folder.at('ws/a'));
    symlinkSync('a', folder.at('ws/b'));
    await rejectsWith('loop', files.resolve('a/x'));
    assert.equal(await files.resolve('a'), 'a');
  });

  it('names the one look-alike there is', async () => {
    mkdirSync(folder.at('ws/n'));
    writeFileSync(folder.at('ws/n/re\u0301.md'), '1');
    writeFileSync(folder.at('ws/n/with\u00a0space.md'), '1');
    assert.equal((await rejectsWith('exists', files.resolve('n/r\u00e9.md'))).detail, 'n/re\u0301.md');
    assert.equal((await rejectsWith('exists', files.resolve('n/with space.md'))).detail, 'n/with\u00a0space.md');
    assert.equal(await files.resolve('n/re\u0301.md'), 'n/re\u0301.md');
    assert.equal(await files.resolve('n/other.md'), 'n/other.md');
  });

  it('names a look-alike folder with the rest of the path', async () => {
    mkdirSync(folder.at('ws/re\u0301'));
    writeFileSync(folder.at('ws/re\u0301/x.md'), '1');
    assert.equal((await rejectsWith('exists', files.resolve('r\u00e9/x.md'))).detail, 're\u0301/x.md');
    assert.equal((await rejectsWith('exists', files.resolve('r\u00e9/new.md'))).detail, 're\u0301/new.md');
    assert.deepEqual(
      readdirSync(folder.at('ws')).filter((name) => name.startsWith('r')),
      ['real', 're\u0301'],
    );
  });

  it('case: two names where the disk keeps them apart, the true name where it does not', async () => {
    writeFileSync(folder.at('ws/src/Button.tsx'), 'b');
    assert.equal(await files.resolve('src/button.tsx'), 'src/button.tsx');
    const blind = new NodeFiles({ roots: [{ name: 'ws', dir: folder.at('ws') }], fs: ignoringCase(folder.dir) });
    assert.equal(await blind.resolve('SRC/button.tsx'), 'src/Button.tsx');
    assert.equal(await blind.resolve('src/New.tsx'), 'src/New.tsx');
  });

  it('several roots: the first segment names one, else the candidates are named', async () => {
    mkdirSync(folder.at('api/src'), { recursive: true });
    mkdirSync(folder.at('web/src'), { recursive: true });
    writeFileSync(folder.at('api/src/i.ts'), '');
    const several = new NodeFiles({
      roots: ['api', 'web'].map((name) => ({ name, dir: folder.at(name) })),
    });
    assert.equal(await several.resolve('web/src/i.ts'), 'web/src/i.ts');
    assert.equal(await several.resolve('api/../web/x'), 'web/x');
    assert.equal(await several.resolve('web'), 'web');
    assert.equal((await rejectsWith('ambiguous', several.resolve('src/i.ts'))).detail, 'api/src/i.ts');
    assert.equal((await rejectsWith('ambiguous', several.resolve('x.ts'))).detail, 'api/x.ts, web/x.ts');
    await rejectsWith('outside', several.resolve('api/../../x'));
  });

  it('without a folder nothing is inside', async () => {
    await rejectsWith('outside', new NodeFiles({ roots: [] }).resolve('a'));
    assert.deepEqual((await new NodeFiles({ roots: [] }).walk(all())).entries, []);
  });

  it('a folder that is gone is not found', async () => {
    const gone = new NodeFiles({ roots: [{ name: 'gone', dir: folder.at('gone') }] });
    await rejectsWith('notFound', gone.resolve('a'));
  });
});

function all() {
  return { from: '', honourIgnore: false, maxEntries: 10, signal: new AbortController().signal };
}

/** The real file system below `dir` as a disk shows it that takes names in any case. */
function ignoringCase(dir: string): FsCalls {
  const actual = (given: string): string => {
    let here = path.parse(given).root;
    for (const name of path.relative(here, given).split(path.sep)) {
      const names = here.startsWith(path.dirname(dir)) ? readdirSync(here) : [];
      here = path.join(here, names.find((one) => one.toLowerCase() === name.toLowerCase()) ?? name);
    }
    return here;
  };
  return {
    ...realFs,
    lstat: (one) => realFs.lstat(actual(one)),
    realpath: (one) => realFs.realpath(actual(one)),
    readdir: (one) => realFs.readdir(actual(one)),
  };
}
