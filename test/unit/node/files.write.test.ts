import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { Faults, type FaultOp, withFaults } from '../../../src/node/faults';
import { NodeFiles } from '../../../src/node/files';
import { type FsCalls, realFs } from '../../../src/node/fs';
import { sha256 } from '../../../src/node/hash';
import { bytesOf, rejectsWith, useFolder } from './helpers';

const OLD = bytesOf('old\n');
const NEW = bytesOf('new, and longer than before\n');

describe('files: writing', () => {
  const folder = useFolder();
  const faults = new Faults();
  let files: NodeFiles;
  const on = (fs: FsCalls): NodeFiles => new NodeFiles({ roots: [{ name: 'ws', dir: folder.at('ws') }], fs });
  const text = (name: string): string => readFileSync(folder.at('ws', name), 'utf8');
  const names = (name = ''): string[] => readdirSync(folder.at('ws', name)).sort();

  beforeEach(() => {
    mkdirSync(folder.at('ws/src'), { recursive: true });
    mkdirSync(folder.at('outside'));
    writeFileSync(folder.at('ws/src/a.txt'), OLD);
    faults.clear();
    files = on(withFaults(realFs, faults));
  });

  it('replaces exactly the bytes and keeps the mode', async () => {
    const odd = new Uint8Array([0xff, 0xfe, 0, 13, 10, 0x80]);
    chmodSync(folder.at('ws/src/a.txt'), 0o755);
    await files.write('src/a.txt', odd, { expect: sha256(OLD), mode: 0o600 });
    assert.deepEqual(await files.read('src/a.txt'), Buffer.from(odd));
    assert.deepEqual(await files.hash('src/a.txt'), { hash: sha256(odd), size: 6 });
    assert.equal(statSync(folder.at('ws/src/a.txt')).mode & 0o777, 0o755);
    assert.deepEqual(names('src'), ['a.txt']);
  });

  it('makes a new file with its folders and mode', async () => {
    await files.write('deep/er/n.sh', NEW, { expect: null, mode: 0o750 });
    assert.equal(text('deep/er/n.sh'), 'new, and longer than before\n');
    assert.equal(statSync(folder.at('ws/deep/er/n.sh')).mode & 0o777, 0o750);
    await files.write('plain.txt', NEW, { expect: null });
    assert.equal(statSync(folder.at('ws/plain.txt')).mode & 0o777, 0o666 & ~process.umask());
    assert.deepEqual(names('deep/er'), ['n.sh']);
  });

  it('takes names that break maps, options and lines', async () => {
    for (const name of [
      '__proto__',
      'constructor',
      '-rf',
      'new\nline.txt',
      '\u{1f600}.md',
      'a b#c%20?.txt',
      ' lead',
      'a\\b',
    ]) {
      assert.equal(await files.resolve(name), name);
      await files.write(name, bytesOf(name), { expect: null });
      assert.equal(text(name), name);
      await files.remove(name, { expect: sha256(name) });
    }
    assert.deepEqual(names(), ['src']);
  });

  it('refuses what is not as expected', async () => {
    await rejectsWith('changed', files.write('src/a.txt', NEW, { expect: sha256('else') }));
    await rejectsWith('changed', files.write('src/a.txt', NEW, { expect: null }));
    await rejectsWith('changed', files.write('src/none.txt', NEW, { expect: sha256(OLD) }));
    await rejectsWith('isDirectory', files.write('src', NEW, { expect: null }));
    await rejectsWith('notDirectory', files.write('src/a.txt/x', NEW, { expect: null }));
    assert.equal(text('src/a.txt'), 'old\n');
    assert.deepEqual(names('src'), ['a.txt']);
  });

  it('sees a change in the last moment', async () => {
    const late = on({
      ...realFs,
      async open(path, options) {
        // when the temporary file is opened, the human saves
        if (options.target !== undefined) writeFileSync(options.target, 'human\n');
        return realFs.open(path, options);
      },
    });
    await rejectsWith('changed', late.write('src/a.txt', NEW, { expect: sha256(OLD) }));
    await rejectsWith('changed', late.write('src/n.txt', NEW, { expect: null }));
    assert.deepEqual([text('src/a.txt'), text('src/n.txt')], ['human\n', 'human\n']);
    assert.deepEqual(names('src'), ['a.txt', 'n.txt']);
  });

  it('never replaces a file made after the last look', async () => {
    const later = on({
      ...realFs,
      async link(existing, name) {
        writeFileSync(name, 'human\n');
        return realFs.link(existing, name);
      },
    });
    await rejectsWith('changed', later.write('src/n.txt', NEW, { expect: null }));
    await rejectsWith('exists', later.move('src/a.txt', 'src/m.txt', { expect: sha256(OLD) }));
    assert.deepEqual([text('src/n.txt'), text('src/m.txt'), text('src/a.txt')], ['human\n', 'human\n', 'old\n']);
    assert.deepEqual(names('src'), ['a.txt', 'm.txt', 'n.txt']);
  });

  it('refuses a file without write bits, as root too', async () => {
    chmodSync(folder.at('ws/src/a.txt'), 0o444);
    await rejectsWith('readOnly', files.write('src/a.txt', NEW, { expect: sha256(OLD) }));
    await rejectsWith('readOnly', files.remove('src/a.txt', { expect: sha256(OLD) }));
    assert.equal((await files.stat('src/a.txt')).readOnly, true);
    assert.equal(text('src/a.txt'), 'old\n');
  });

  it('writes through a link and leaves the link', async () => {
    symlinkSync('src/a.txt', folder.at('ws/alias'));
    symlinkSync('src/not-yet.txt', folder.at('ws/dangling'));
    await files.write('alias', NEW, { expect: sha256(OLD) });
    await files.write('dangling', NEW, { expect: null });
    assert.equal(lstatSync(folder.at('ws/alias')).isSymbolicLink(), true);
    assert.equal(lstatSync(folder.at('ws/dangling')).isSymbolicLink(), true);
    assert.equal(text('src/a.txt'), text('src/not-yet.txt'));
    const stat = await files.stat('alias');
    assert.deepEqual([stat.type, stat.isLink, stat.leadsOutside, stat.size], ['file', true, false, NEW.length]);
  });

  it('neither reads nor writes through a link that leads outside', async () => {
    writeFileSync(folder.at('outside/o.txt'), OLD);
    symlinkSync('../outside/o.txt', folder.at('ws/o'));
    symlinkSync('../outside/new.txt', folder.at('ws/n'));
    await rejectsWith('outside', files.write('o', NEW, { expect: sha256(OLD) }));
    await rejectsWith('outside', files.write('n', NEW, { expect: null }));
    await rejectsWith('outside', files.read('o'));
    await rejectsWith('outside', files.hash('o'));
    const stat = await files.stat('o');
    assert.deepEqual([stat.type, stat.isLink, stat.leadsOutside], ['missing', true, true]);
    await files.remove('o', { expect: null });
    assert.deepEqual(readdirSync(folder.at('outside')), ['o.txt']);
  });

  it('looks at the folder again directly before the name is taken', async () => {
    mkdirSync(folder.at('ws/build'));
    const swapped = on({
      ...realFs,
      async open(path, options) {
        const file = await realFs.open(path, options);
        if (options.target !== undefined) {
          renameSync(folder.at('ws/build'), folder.at('ws/build-before'));
          symlinkSync('../outside', folder.at('ws/build'));
        }
        return file;
      },
    });
    await rejectsWith('outside', swapped.write('build/o.js', NEW, { expect: null }));
    assert.deepEqual(readdirSync(folder.at('outside')), []);
  });

  it('a file with several names stays one file', async () => {
    linkSync(folder.at('ws/src/a.txt'), folder.at('ws/src/twin.txt'));
    await files.write('src/a.txt', NEW, { expect: sha256(OLD) });
    assert.equal(text('src/twin.txt'), 'new, and longer than before\n');
    assert.equal((await files.stat('src/a.txt')).hardLinks, 2);
    await files.write('src/twin.txt', OLD, { expect: sha256(NEW) });
    assert.equal(text('src/a.txt'), 'old\n');
    await rejectsWith('changed', files.write('src/a.txt', NEW, { expect: sha256(NEW) }));
  });

  it('writes all bytes, however few the system takes at a time', async () => {
    const stingy = on({
      ...realFs,
      async open(path, options) {
        const file = await realFs.open(path, options);
        return { ...file, write: (bytes, position) => file.write(bytes.subarray(0, 3), position) };
      },
    });
    await stingy.write('src/a.txt', NEW, { expect: sha256(OLD) });
    assert.equal(text('src/a.txt'), 'new, and longer than before\n');
  });

  for (const op of ['write', 'fsync', 'rename', 'open', 'read'] satisfies FaultOp[]) {
    for (const [error, code] of [
      ['ENOSPC', 'noSpace'],
      ['EACCES', 'permissionDenied'],
      ['EIO', 'other'],
    ] as const) {
      it(`a fault ${error} at ${op}: old bytes, no scrap, no folders`, async () => {
        faults.add({ op, path: (absolute) => absolute.endsWith('.txt'), error });
        const failed = await rejectsWith(code, files.write('src/a.txt', NEW, { expect: sha256(OLD) }));
        assert.equal(failed.detail, error);
        assert.equal(failed.message.includes(folder.dir), false);
        // a new file is not read or opened under its own name
        if (op !== 'open' && op !== 'read') {
          await rejectsWith(code, files.write('new/n.txt', NEW, { expect: null }));
        }
        assert.equal(text('src/a.txt'), 'old\n');
        assert.deepEqual([names('src'), names()], [['a.txt'], ['src']]);
      });
    }
  }

  it('a fault in the middle of an in-place write puts the old bytes back', async () => {
    linkSync(folder.at('ws/src/a.txt'), folder.at('ws/src/twin.txt'));
    for (const op of ['write', 'fsync'] satisfies FaultOp[]) {
      faults.add({ op, path: (absolute) => absolute.endsWith('a.txt'), error: 'ENOSPC', times: 1 });
      await rejectsWith('noSpace', files.write('src/a.txt', NEW, { expect: sha256(OLD) }));
      assert.equal(text('src/twin.txt'), 'old\n');
    }
    await files.write('src/a.txt', NEW, { expect: sha256(OLD) });
  });

  it('reading: too large, a folder, missing, a pipe-like thing', async () => {
    await rejectsWith('tooLarge', files.read('src/a.txt', 3));
    assert.equal((await files.read('src/a.txt', 4)).length, 4);
    await rejectsWith('isDirectory', files.read('src'));
    await rejectsWith('notFound', files.read('none/none'));
    await rejectsWith('notDirectory', files.read('src/a.txt/x'));
    assert.equal((await files.stat('src/a.txt/x')).type, 'missing');
    assert.equal((await files.stat('none/none')).type, 'missing');
    assert.equal((await files.stat('')).type, 'directory');
    const large = Buffer.alloc(3_000_000, 'x');
    writeFileSync(folder.at('ws/large'), large);
    assert.equal(Buffer.compare(await files.read('large'), large), 0);
    assert.deepEqual(await files.hash('large'), { hash: sha256(large), size: 3_000_000 });
  });

  it('stored paths are not trusted', async () => {
    writeFileSync(folder.at('outside/o.txt'), OLD);
    for (const bad of ['../outside/o.txt', folder.at('outside/o.txt')]) {
      await rejectsWith('outside', files.read(bad));
      await rejectsWith('outside', files.write(bad, NEW, { expect: sha256(OLD) }));
      await rejectsWith('outside', files.remove(bad, { expect: sha256(OLD) }));
      await rejectsWith('outside', files.move('src/a.txt', bad, { expect: sha256(OLD) }));
      await rejectsWith('outside', files.stat(bad));
    }
  });

  it('sweeps its own scraps and nothing else', async () => {
    const scrap = `.holdfast-${'0a'.repeat(12)}.tmp`;
    mkdirSync(folder.at('ws/real'));
    symlinkSync('../real/r.txt', folder.at('ws/src/r.txt'));
    for (const name of [`src/${scrap}`, `real/${scrap}`, 'src/.holdfast-mine.tmp', 'src/x.tmp'])
      writeFileSync(folder.at('ws', name), '');
    await files.sweepScraps(['src/a.txt', 'src/r.txt', 'gone/x', '../outside/x']);
    assert.deepEqual(names('src'), ['.holdfast-mine.tmp', 'a.txt', 'r.txt', 'x.tmp']);
    assert.equal(existsSync(folder.at('ws/real', scrap)), false);
  });
});
