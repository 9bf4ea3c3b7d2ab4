import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { NodeFiles } from '../../../src/node/files';
import { realFs } from '../../../src/node/fs';
import { sha256 } from '../../../src/node/hash';
import { rejectsWith, useFolder } from './helpers';

const HASH = sha256('a');

describe('files: removing and moving', () => {
  const folder = useFolder();
  let files: NodeFiles;

  beforeEach(() => {
    mkdirSync(folder.at('src'));
    writeFileSync(folder.at('src/a.txt'), 'a');
    files = new NodeFiles({ roots: [{ name: 'ws', dir: folder.dir }] });
  });

  it('removes a file with the expected bytes only', async () => {
    await rejectsWith('changed', files.remove('src/a.txt', { expect: sha256('b') }));
    await rejectsWith('changed', files.remove('src/a.txt', { expect: null }));
    await rejectsWith('isDirectory', files.remove('src', { expect: null }));
    await rejectsWith('notFound', files.remove('none', { expect: HASH }));
    await files.remove('src/a.txt', { expect: HASH });
    assert.deepEqual(readdirSync(folder.at('src')), []);
  });

  it('removes a link and never what it points to', async () => {
    symlinkSync('.', folder.at('loop'));
    symlinkSync('src/a.txt', folder.at('alias'));
    await files.remove('loop', { expect: null });
    await rejectsWith('changed', files.remove('alias', { expect: sha256('b') }));
    await files.remove('alias', { expect: HASH });
    assert.deepEqual(readdirSync(folder.dir), ['src']);
    assert.equal(readFileSync(folder.at('src/a.txt'), 'utf8'), 'a');
  });

  it('moves into new folders, never onto something', async () => {
    writeFileSync(folder.at('src/b.txt'), 'b');
    await rejectsWith('exists', files.move('src/a.txt', 'src/b.txt', { expect: HASH }));
    await rejectsWith('exists', files.move('src/a.txt', 'src', { expect: HASH }));
    await rejectsWith('changed', files.move('src/a.txt', 'new/a.txt', { expect: sha256('b') }));
    await rejectsWith('notFound', files.move('none', 'new/a.txt', { expect: HASH }));
    await rejectsWith('isDirectory', files.move('src', 'new', { expect: null }));
    assert.equal(existsSync(folder.at('new')), false);
    await files.move('src/a.txt', 'new/deep/a.txt', { expect: HASH });
    assert.equal(readFileSync(folder.at('new/deep/a.txt'), 'utf8'), 'a');
    assert.deepEqual(readdirSync(folder.at('src')), ['b.txt']);
    assert.equal(lstatSync(folder.at('new/deep/a.txt')).nlink, 1);
  });

  it('moves a link as a link', async () => {
    symlinkSync('src/a.txt', folder.at('alias'));
    await files.move('alias', 'other', { expect: HASH });
    assert.equal(readlinkSync(folder.at('other')), 'src/a.txt');
    assert.equal(existsSync(folder.at('alias')), false);
  });

  it('copies where the two places are on two disks', async () => {
    const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error('EXDEV'), { code: 'EXDEV' }));
    let links = 0;
    const split = new NodeFiles({
      roots: [{ name: 'ws', dir: folder.dir }],
      // the copy's own link to its final name is on one disk again
      fs: { ...realFs, rename: refuse, link: (from, to) => (links++ === 0 ? refuse() : realFs.link(from, to)) },
    });
    await split.move('src/a.txt', 'far/a.txt', { expect: HASH });
    assert.equal(readFileSync(folder.at('far/a.txt'), 'utf8'), 'a');
    symlinkSync('a.txt', folder.at('far/l'));
    await split.move('far/l', 'src/l', { expect: null });
    assert.equal(readlinkSync(folder.at('src/l')), 'a.txt');
    assert.deepEqual([readdirSync(folder.at('src')), readdirSync(folder.at('far'))], [['l'], ['a.txt']]);
  });
});
