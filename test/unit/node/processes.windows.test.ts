import assert from 'node:assert/strict';
import { endTree, listTree, type Run } from '../../../src/node/processes/windows';

interface Fake {
  pid: number;
  parent: number;
  start: number;
  /** Does not close when asked. */
  stubborn?: boolean;
}

/** A system of processes behind the two programs that are called. Nothing here has run on Windows. */
class FakeSystem {
  readonly asked: string[] = [];

  constructor(private living: Fake[]) {}

  readonly run: Run = (program, args) => {
    if (program === 'powershell.exe') {
      this.asked.push('list');
      const rows = this.living.map(({ pid, parent, start }) => ({
        ProcessId: pid,
        ParentProcessId: parent,
        CommandLine: `p${pid}`,
        Start: String(start),
      }));
      return Promise.resolve(JSON.stringify(rows.length === 1 ? rows[0] : rows));
    }
    this.asked.push(args.join(' '));
    const pid = Number(args.at(-1));
    const forced = args.includes('/F');
    // links of a tree whose root has gone are lost to taskkill
    const tree = new Set(this.living.some((one) => one.pid === pid) ? [pid] : []);
    for (const one of this.living) if (tree.has(one.parent)) tree.add(one.pid);
    this.living = this.living.filter((one) => !tree.has(one.pid) || (one.stubborn === true && !forced));
    return Promise.resolve('');
  };

  get pids(): number[] {
    return this.living.map((one) => one.pid);
  }
}

const root = { pid: 10, startTime: '100', command: 'c' };

describe('process trees on Windows, against a fake system', () => {
  it('a tree is its root, by start time, and what is younger than its parent', async () => {
    const all = [
      { pid: 10, parent: 1, start: 100 },
      { pid: 11, parent: 10, start: 101 },
      { pid: 12, parent: 11, start: 102 },
      { pid: 13, parent: 10, start: 50 }, // its parent had the number 10 before
      { pid: 14, parent: 99, start: 103 },
    ];
    const { run } = new FakeSystem(all);
    assert.deepEqual(
      (await listTree(root, run)).map((one) => one.pid),
      [10, 11, 12],
    );
    assert.deepEqual(await listTree({ ...root, startTime: '99' }, run), []);
  });

  it('lists first, so that what loses its parent at the polite end is ended all the same', async () => {
    const system = new FakeSystem([
      { pid: 10, parent: 1, start: 100 },
      { pid: 11, parent: 10, start: 101, stubborn: true },
      { pid: 12, parent: 11, start: 102, stubborn: true },
      { pid: 20, parent: 1, start: 103 },
    ]);
    assert.deepEqual(await endTree(root, 50, system.run), []);
    assert.deepEqual(system.pids, [20]);
    assert.deepEqual(system.asked.slice(0, 2), ['list', '/T /PID 10']);
    assert.ok(system.asked.includes('/T /F /PID 11'));
  });

  it('another process that got the number is left alone', async () => {
    const system = new FakeSystem([{ pid: 10, parent: 1, start: 500 }]);
    assert.deepEqual(await endTree(root, 50, system.run), []);
    assert.deepEqual(system.pids, [10]);
    assert.deepEqual(system.asked, ['list']);
  });

  it('what cannot be ended is named', async () => {
    const immortal: Run = (program) =>
      Promise.resolve(
        program === 'taskkill.exe' ? '' : '{"ProcessId":10,"ParentProcessId":1,"CommandLine":"c","Start":"100"}',
      );
    assert.deepEqual(await endTree(root, 0, immortal), [root]);
  }).timeout(60_000);
});
