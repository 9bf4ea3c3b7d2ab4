import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { realFs } from '../../../src/node/fs';
import { processRow } from '../../../src/node/processes/table';
import { NodeStore } from '../../../src/node/store';
import { Layout } from '../../../src/node/store/layout';
import { type LeaseSystem, NodeLease } from '../../../src/node/store/lease';
import { useFolder } from './helpers';
import { DURABLE, record, seqs, state } from './runs';

/** Processes that live, by pid, with their start times; a clock for each. */
class Machine {
  readonly living = new Map<number, string>();
  time = 0;

  constructor(readonly host = 'here') {}

  system(pid: number): LeaseSystem {
    if (!this.living.has(pid)) this.living.set(pid, `start of ${pid}`);
    return { pid, host: this.host, startTime: (one) => this.living.get(one), monotonic: () => this.time };
  }
}

describe('store: the lease', function () {
  this.timeout(30_000);
  const folder = useFolder();
  const leases: NodeLease[] = [];
  afterEach(async () => {
    for (const lease of leases.splice(0)) await lease.release().catch(() => undefined);
  });
  const lease = (machine: Machine, pid: number, token = `token ${pid}`): NodeLease => {
    const made = new NodeLease(realFs, new Layout(folder.dir), machine.system(pid), token);
    leases.push(made);
    return made;
  };
  const files = (): string[] => readdirSync(folder.dir).filter((name) => name.startsWith('lease-'));

  it('one has it; who comes second hears who; given back it is free', async () => {
    const machine = new Machine();
    const [one, two] = [lease(machine, 1), lease(machine, 2)];
    assert.equal(await two.other(), undefined);
    assert.equal(await one.take(), undefined);
    assert.equal(await one.take(), undefined, 'again');
    for (const owner of [await two.take(), await two.other()]) assert.deepEqual([owner?.pid, owner?.host], [1, 'here']);
    await assert.rejects(two.check(), { code: 'LEASED' });
    await one.release();
    assert.equal(await two.take(), undefined);
    await assert.rejects(one.check(), { code: 'LEASED' });
    assert.equal(files().length, 1);
  });

  it('of twenty at once one gets it, also when its owner is dead', async () => {
    const machine = new Machine();
    for (let round = 0; round < 10; round += 1) {
      const all = Array.from({ length: 20 }, (_, n) => lease(machine, round * 100 + n + 1));
      const answers = await Promise.all(all.map((one) => one.take()));
      assert.equal(answers.filter((owner) => owner === undefined).length, 1, `round ${round}`);
      const others = await Promise.all(
        all.map((one) =>
          one.check().then(
            () => true,
            () => false,
          ),
        ),
      );
      assert.equal(others.filter(Boolean).length, 1, `round ${round}`);
      machine.living.clear(); // all of them die
    }
  });

  it('a dead owner keeps nobody out, nor does another program with its number', async () => {
    const machine = new Machine();
    await lease(machine, 1).take();
    machine.living.delete(1);
    assert.equal(await lease(machine, 2).take(), undefined);
    machine.living.set(2, 'another program');
    assert.equal(await lease(machine, 3).take(), undefined);
  });

  it('an owner that lives and says nothing for hours is not robbed, whatever the wall clock does', async () => {
    const machine = new Machine();
    await lease(machine, 1).take();
    machine.time += 5 * 3600 * 1000;
    assert.equal((await lease(machine, 2).take())?.pid, 1);
  });

  it('on another machine the beat tells, watched on our own clock; who lost it writes nothing more', async () => {
    const [here, there] = [new Machine('here'), new Machine('there')];
    const owner = lease(here, 1);
    const store = new NodeStore({ dir: folder.dir, lease: owner });
    const run = await store.open('r1');
    await run.append([record(1)], DURABLE);
    const far = lease(there, 1, 'far');
    assert.equal((await far.take())?.host, 'here', 'the same number elsewhere is another process');
    there.time += 29_000;
    assert.equal((await far.take())?.host, 'here');
    for (const machine of [here, there]) machine.time += 2000;
    assert.equal(await far.take(), undefined);
    await assert.rejects(run.append([record(2)], DURABLE), { code: 'LEASED' });
    await assert.rejects(store.updateIndex({ runId: 'r1' } as never), { code: 'LEASED' });
    await assert.rejects(store.remove('r1'), { code: 'LEASED' });
    assert.deepEqual(seqs((await store.load('r1'))?.tail ?? []), [1]);
    const theirs = await new NodeStore({ dir: folder.dir, lease: far }).open('r1');
    await theirs.append([record(2)], DURABLE);
    await theirs.close();
    await run.close();
    assert.deepEqual(seqs((await store.load('r1'))?.tail ?? []), [1, 2]);
  });

  it('a lease file of garbage is nobody’s', async () => {
    for (const text of ['', '{', 'null', '{"schemaVersion":1}', '{"token":5}']) {
      writeFileSync(folder.at('lease-00000007.json'), text);
      const one = lease(new Machine(), 1);
      assert.equal(await one.take(), undefined);
      assert.deepEqual(files(), ['lease-00000008.json']);
      await one.release();
      for (const name of files()) rmSync(folder.at(name));
    }
  });

  it('taken by another and given back meanwhile: what was opened before is not written any more', async () => {
    const [here, there] = [new Machine('here'), new Machine('there')];
    const [one, two] = [lease(here, 1), lease(there, 2)];
    const first = await new NodeStore({ dir: folder.dir, lease: one }).open('r1');
    await first.append([record(1)], DURABLE);
    await two.take();
    for (const machine of [here, there]) machine.time += 31_000;
    assert.equal(await two.take(), undefined);
    const store = new NodeStore({ dir: folder.dir, lease: two });
    const second = await store.open('r1');
    await second.append([record(2, 'of the second')], DURABLE);
    await second.close();
    await two.release();
    for (const sync of [true, false])
      await assert.rejects(first.append([record(2, 'of the first')], { sync, boundary: true }), { code: 'LEASED' });
    await assert.rejects(first.snapshot(state(2)), { code: 'LEASED' });
    await first.close();
    assert.deepEqual((await store.load('r1'))?.tail, [record(1), record(2, 'of the second')]);
  });

  it('a real process that is killed is gone, one that is stopped is not', async () => {
    const child = spawn('sleep', ['600']);
    await once(child, 'spawn');
    const startTime = processRow(child.pid ?? 0)?.startTime;
    const held = { schemaVersion: 1, token: 'x', pid: child.pid, startTime, host: hostname(), beat: 1 };
    writeFileSync(folder.at('lease-00000001.json'), JSON.stringify(held));
    const one = new NodeLease(realFs, new Layout(folder.dir));
    leases.push(one);
    child.kill('SIGSTOP');
    assert.equal((await one.take())?.pid, child.pid);
    const closed = once(child, 'close');
    child.kill('SIGKILL');
    await closed;
    assert.equal(await one.take(), undefined);
    assert.match(readFileSync(folder.at(files()[0] ?? ''), 'utf8'), new RegExp(`"pid":${process.pid},`));
  });
});
