/** Files are read again only where they may have changed; on real files, with a clock of the test's own. */
import assert from 'node:assert/strict';
import { linkSync, renameSync, statSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import type { Files } from '../../../../src/core/ports';
import { CommandMemory, nothingYet } from '../../../../src/core/reconcile/commandMemory';
import { DiskMemory } from '../../../../src/core/reconcile/diskMemory';
import type { FileRecord, RunState } from '../../../../src/core/run/state';
import { NodeFiles } from '../../../../src/node/files';
import { sha256 } from '../../../../src/node/hash';
import { useFolder } from '../../node/helpers';
import { nodePorts } from '../kill/host';

const hashOf = (text: string): string => sha256(Buffer.from(text));

describe('memory of the disk', () => {
  const folder = useFolder();
  let reads: string[] = [];
  let now = 0;

  const files = (): Files => {
    const real = new NodeFiles({ roots: [{ name: 'work', dir: folder.dir }] });
    return new Proxy<Files>(real, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]): unknown => {
          if (name === 'read' || name === 'hash') reads.push(String(given[0]));
          return Reflect.apply(member, target, given);
        };
      },
    });
  };
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const memory = (): DiskMemory => new DiskMemory({ files: files(), hash: sha256, clock });

  /** Read, and looked at once more when more than a tick has passed: from then on it is known. */
  async function settled(disk: DiskMemory, ...paths: string[]): Promise<void> {
    for (const wait of [0, 2500]) {
      now += wait;
      for (const path of paths) await disk.at(path);
    }
    reads = [];
  }

  beforeEach(() => {
    reads = [];
    now = 1e12;
  });

  it('reads a file again until it has looked the same for longer than a tick, and then no more', async () => {
    writeFileSync(folder.at('a.txt'), 'one');
    const disk = memory();
    for (const wait of [0, 1, 1500, 400, 200, 1, 5000]) {
      now += wait;
      assert.equal((await disk.at('a.txt')).hash, hashOf('one'));
    }
    // At 0, 1, 1501, 1901 and 2101 ms: the last of them is the first that more than a tick lies before.
    assert.equal(reads.length, 5);
  });

  it('a clock that is set back makes it read, not believe', async () => {
    writeFileSync(folder.at('a.txt'), 'one');
    const disk = memory();
    await disk.at('a.txt');
    now -= 10_000;
    await disk.at('a.txt');
    await disk.at('a.txt');
    assert.equal(reads.length, 3);
  });

  it('sees another content of the same size whose time was put back', async () => {
    writeFileSync(folder.at('a.txt'), 'one');
    const time = 1_600_000_000;
    utimesSync(folder.at('a.txt'), time, time);
    const disk = memory();
    await settled(disk, 'a.txt');
    await new Promise((resolve) => setTimeout(resolve, 30)); // longer than a tick of the disks that tests run on
    writeFileSync(folder.at('a.txt'), 'two');
    utimesSync(folder.at('a.txt'), time, time);
    assert.equal(statSync(folder.at('a.txt')).mtimeMs, time * 1000);
    assert.equal((await disk.at('a.txt')).hash, hashOf('two'));
    assert.deepEqual(reads, ['a.txt']);
  });

  it('sees another content within the tick in which it was read first', async () => {
    writeFileSync(folder.at('a.txt'), 'one');
    const disk = memory();
    await disk.at('a.txt');
    writeFileSync(folder.at('a.txt'), 'two');
    assert.equal((await disk.at('a.txt')).hash, hashOf('two'));
  });

  it('sees another file under the same name, a link that leads elsewhere, and a file that is gone', async () => {
    for (const [name, text] of [
      ['a.txt', 'one'],
      ['b.txt', 'two'],
    ] as const)
      writeFileSync(folder.at(name), text);
    symlinkSync('a.txt', folder.at('link.txt'));
    const disk = memory();
    await settled(disk, 'a.txt', 'link.txt');
    unlinkSync(folder.at('link.txt'));
    symlinkSync('b.txt', folder.at('link.txt'));
    assert.equal((await disk.at('link.txt')).hash, hashOf('two'));
    linkSync(folder.at('b.txt'), folder.at('c.txt'));
    renameSync(folder.at('c.txt'), folder.at('a.txt'));
    assert.equal((await disk.at('a.txt')).hash, hashOf('two'));
    unlinkSync(folder.at('a.txt'));
    assert.deepEqual(await disk.at('a.txt'), { hash: null, size: 0 });
    writeFileSync(folder.at('a.txt'), 'six');
    assert.equal((await disk.at('a.txt')).hash, hashOf('six'));
  });

  it('before a command nothing is read of files that are as they were, however many the run knows', async () => {
    const names = Array.from({ length: 200 }, (_, n) => `f${n}.txt`);
    for (const name of names) writeFileSync(folder.at(name), name);
    const record = (path: string): FileRecord => ({
      ...{ path, base: hashOf(path), known: hashOf(path), knownSize: path.length, knownType: 'file', by: 'read' },
    });
    const state = { files: names.map(record) } as unknown as RunState;
    const place = { workspace: folder.dir, storage: `${folder.dir}-none` };
    const commands = new CommandMemory({ ...nodePorts(place), files: files(), clock });
    const before = async (): Promise<Map<string, string | null>> => {
      const found = nothingYet([]);
      await commands.ofFiles(state, found, new AbortController().signal);
      return found.hashes;
    };
    await before();
    assert.equal(reads.length, names.length);
    now += 2500;
    await before();
    reads = [];
    writeFileSync(folder.at('f7.txt'), 'other!');
    const hashes = await before();
    assert.equal(hashes.size, names.length);
    assert.equal(hashes.get('f7.txt'), hashOf('other!'));
    assert.equal(hashes.get('f8.txt'), hashOf('f8.txt'));
    // The one that has changed, by its bytes and for whose lines they are.
    assert.deepEqual([...new Set(reads)], ['f7.txt']);
  });
});
