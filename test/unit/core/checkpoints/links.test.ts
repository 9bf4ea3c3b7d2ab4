/** Restore of links the run deleted, and of folders it made, on a real disk. */
import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import path from 'node:path';
import { useFolder } from '../../node/helpers';
import { granted, useMachines, write, type Machine, type Step } from '../transfer/machine';

const del = (name: string): Step => ({ tool: 'delete_file', with: { path: name } });
const move = (from: string, to: string): Step => ({ tool: 'move_file', with: { from, to } });
const ODD = Buffer.from([0x2e, 0x2e, 0x2f, 0xff, 0xfe]);

describe('restore of links and folders', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const machine = useMachines(folder);
  let one: Machine;
  let runId: string;
  const at = (...names: string[]): string => path.join(one.workspace, ...names);

  async function ran(ready: () => void, steps: readonly Step[]): Promise<void> {
    one = await machine('one', { approvals: () => 'auto' });
    ready();
    const state = await one.start(steps);
    assert.equal(state.status, 'completed', state.reason?.text);
    runId = state.runId;
  }
  const restore = async (checkpoint: number | 'start' = 'start') =>
    granted(await one.core.restoreCheckpoint({ runId, checkpoint }));
  const undo = async () => granted(await one.core.undoRestore());

  it('brings back what each link held, byte for byte, wherever it leads, and the undo takes it away again', async () => {
    const links: Record<string, string | Buffer> = { alias: 'a.txt', out: '../elsewhere/x', dead: 'nowhere', odd: ODD };
    await ran(() => {
      one.put({ 'a.txt': 'a\n', '../elsewhere/x': 'x\n' });
      for (const [name, to] of Object.entries(links)) symlinkSync(to, at(name));
    }, [write('b.txt', 'b\n'), ...Object.keys(links).map(del)]);
    for (const name of Object.keys(links)) assert.equal(lstatSync(at(name), { throwIfNoEntry: false }), undefined);
    const result = await restore(1);
    assert.deepEqual(result.restored.sort(), Object.keys(links).sort());
    for (const [name, to] of Object.entries(links))
      assert.deepEqual(readlinkSync(at(name), { encoding: 'buffer' }), Buffer.from(to), name);
    assert.deepEqual((await restore(1)).restored, []);
    assert.deepEqual((await undo()).restored.sort(), Object.keys(links).sort());
    assert.deepEqual(readdirSync(one.workspace).sort(), ['a.txt', 'b.txt']);
    assert.deepEqual([readFileSync(at('a.txt'), 'utf8'), readFileSync(at('../elsewhere/x'), 'utf8')], ['a\n', 'x\n']);
  });

  it('leaves alone what stands in its place, and a link that is not the one it made', async () => {
    await ran(() => {
      one.put({ 'a.txt': 'a\n', 'c.txt': 'c\n' });
      for (const name of ['l1', 'l2', 'l3']) symlinkSync('a.txt', at(name));
    }, ['l1', 'l2', 'l3'].map(del));
    one.put({ l1: 'mine\n' });
    symlinkSync('c.txt', at('l2'));
    const result = await restore();
    assert.deepEqual(result.restored, ['l3']);
    assert.deepEqual(
      result.skipped.map((s) => [s.path, s.reason]),
      [
        ['l1', 'humanCreated'],
        ['l2', 'humanCreated'],
      ],
    );
    unlinkSync(at('l3'));
    symlinkSync('c.txt', at('l3'));
    assert.deepEqual(
      (await undo()).skipped.map((s) => [s.path, s.reason]),
      [['l3', 'typeChanged']],
    );
    assert.deepEqual(
      [readFileSync(at('l1'), 'utf8'), readlinkSync(at('l2')), readlinkSync(at('l3'))],
      ['mine\n', 'c.txt', 'c.txt'],
    );
  });

  it('a link whose place a file of the run took comes back, and the undo brings the file back', async () => {
    await ran(() => {
      one.put({ 'a.txt': 'a\n' });
      symlinkSync('a.txt', at('l'));
    }, [del('l'), write('l', 'file\n')]);
    assert.deepEqual((await restore()).restored, ['l']);
    assert.equal(readlinkSync(at('l')), 'a.txt');
    assert.deepEqual((await restore(2)).restored, ['l']);
    assert.deepEqual([lstatSync(at('l')).isFile(), readFileSync(at('l'), 'utf8')], [true, 'file\n']);
    assert.deepEqual((await undo()).restored, ['l']);
    assert.equal(readlinkSync(at('l')), 'a.txt');
    assert.equal(readFileSync(at('a.txt'), 'utf8'), 'a\n');
  });

  it('folders the run made go where nothing is in them, and come back with the undo', async () => {
    await ran(() => {
      one.put({ 'old/keep.txt': 'k\n', 'm.txt': 'm\n', 'gone/x.txt': 'x\n' });
      mkdirSync(at('empty'));
    }, [
      write('new/deep/a.txt', 'a\n'),
      write('new/b.txt', 'b\n'),
      write('old/c.txt', 'c\n'),
      write('empty/d.txt', 'd\n'),
      move('m.txt', 'moved/here/m.txt'),
      write('mine/e.txt', 'e\n'),
      del('gone/x.txt'),
    ]);
    one.put({ 'mine/human.txt': 'h\n' });
    mkdirSync(at('new/deep/human'));
    rmSync(at('gone'), { recursive: true });
    await restore();
    assert.deepEqual(readdirSync(one.workspace).sort(), ['empty', 'gone', 'm.txt', 'mine', 'new', 'old']);
    assert.deepEqual(readdirSync(at('new/deep')), ['human']);
    assert.deepEqual(
      [readdirSync(at('mine')), readdirSync(at('empty')), readdirSync(at('old'))],
      [['human.txt'], [], ['keep.txt']],
    );
    await undo();
    assert.deepEqual(
      ['new/deep/a.txt', 'new/b.txt', 'old/c.txt', 'empty/d.txt', 'moved/here/m.txt', 'mine/e.txt'].filter(
        (name) => !existsSync(at(name)),
      ),
      [],
    );
    assert.deepEqual([existsSync(at('gone')), existsSync(at('m.txt'))], [false, false]);
  });
});
