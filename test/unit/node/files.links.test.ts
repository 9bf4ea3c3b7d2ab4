import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { NodeFiles } from '../../../src/node/files';
import { sha256 } from '../../../src/node/hash';
import { rejectsWith, useFolder } from './helpers';

describe('files: links as themselves, and empty folders', () => {
  const folder = useFolder();
  let files: NodeFiles;
  const bytes = (text: string): Uint8Array => Buffer.from(text);

  beforeEach(() => {
    mkdirSync(folder.at('ws'));
    mkdirSync(folder.at('outside'));
    writeFileSync(folder.at('outside/x'), 'x');
    files = new NodeFiles({ roots: [{ name: 'ws', dir: folder.at('ws') }] });
  });

  it('reads what a link holds, leading nowhere, outside or in circles, byte for byte', async () => {
    const odd = Buffer.from([0x61, 0xff, 0xfe, 0x20, 0x62]);
    symlinkSync(odd, folder.at('ws/odd'));
    symlinkSync('../outside/x', folder.at('ws/out'));
    symlinkSync('loop', folder.at('ws/loop'));
    writeFileSync(folder.at('ws/a'), 'a');
    assert.deepEqual(Buffer.from(await files.readLink('odd')), odd);
    assert.equal(Buffer.from(await files.readLink('out')).toString(), '../outside/x');
    assert.equal(Buffer.from(await files.readLink('loop')).toString(), 'loop');
    await rejectsWith('other', files.readLink('a'));
    await rejectsWith('notFound', files.readLink('none'));
    await rejectsWith('outside', files.readLink('../outside/x'));
  });

  it('makes one where nothing is, or in the place of the expected file only, and writes through none', async () => {
    const odd = Buffer.from([0x61, 0xff, 0xfe, 0x20, 0x62]);
    await files.makeLink('deep/er/odd', odd, { expect: null });
    assert.deepEqual(readlinkSync(folder.at('ws/deep/er/odd'), { encoding: 'buffer' }), odd);
    writeFileSync(folder.at('ws/a'), 'a');
    await rejectsWith('changed', files.makeLink('a', bytes('t'), { expect: null }));
    await rejectsWith('changed', files.makeLink('a', bytes('t'), { expect: sha256('b') }));
    await rejectsWith('changed', files.makeLink('none', bytes('t'), { expect: sha256('b') }));
    assert.equal(readFileSync(folder.at('ws/a'), 'utf8'), 'a');
    await files.makeLink('a', bytes('../outside/x'), { expect: sha256('a') });
    assert.equal(readlinkSync(folder.at('ws/a')), '../outside/x');
    await rejectsWith('changed', files.makeLink('a', bytes('t'), { expect: sha256('x') }));
    symlinkSync('../outside', folder.at('ws/ln'));
    await rejectsWith('outside', files.makeLink('ln/y', bytes('t'), { expect: null }));
    await rejectsWith('reserved', files.makeLink('.git/hooks/x', bytes('t'), { expect: null }));
    assert.deepEqual(readdirSync(folder.at('outside')), ['x']);
    assert.deepEqual(readdirSync(folder.at('ws')).sort(), ['a', 'deep', 'ln']);
  });

  it('says where a path leads, links followed, in the words of the workspace', async () => {
    mkdirSync(folder.at('ws/d'));
    writeFileSync(folder.at('ws/d/a'), 'a');
    symlinkSync('d', folder.at('ws/ln'));
    symlinkSync('ln/a', folder.at('ws/alias'));
    symlinkSync('../outside/x', folder.at('ws/out'));
    symlinkSync('loop', folder.at('ws/loop'));
    const leads = (path: string, itself = false): Promise<string> => files.leadsTo(path, { itself });
    assert.deepEqual(
      await Promise.all(['d/a', 'ln/a', 'alias', 'ln/new', 'out', 'loop', '../outside/x'].map((path) => leads(path))),
      ['d/a', 'd/a', 'd/a', 'd/new', 'out', 'loop', '../outside/x'],
    );
    assert.deepEqual(await Promise.all(['alias', 'ln/a'].map((path) => leads(path, true))), ['alias', 'd/a']);
    const two = new NodeFiles({
      roots: [
        { name: 'one', dir: folder.at('ws') },
        { name: 'two', dir: folder.at('outside') },
      ],
    });
    assert.equal(await two.leadsTo('one/out', { itself: false }), 'two/x');
  });

  it('removes a folder only where nothing is in it, and follows no link', async () => {
    mkdirSync(folder.at('ws/d/e'), { recursive: true });
    symlinkSync('d/e', folder.at('ws/ln'));
    assert.equal(await files.removeFolder('d'), false);
    assert.equal(await files.removeFolder('ln'), false);
    assert.equal(await files.removeFolder('none'), false);
    assert.equal(await files.removeFolder('d/e'), true);
    assert.equal(await files.removeFolder('d'), true);
    assert.equal(existsSync(folder.at('ws/d')), false);
    await rejectsWith('outside', files.removeFolder('../outside'));
  });
});
