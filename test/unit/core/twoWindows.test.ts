import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { HoldfastCore } from '../../../src/core/api';
import { openHoldfast } from '../../../src/core/holdfast';
import { realFs } from '../../../src/node/fs';
import { NodeStore } from '../../../src/node/store';
import { parseJournal } from '../../../src/node/store/journalText';
import { Layout } from '../../../src/node/store/layout';
import { NodeLease } from '../../../src/node/store/lease';
import { until } from '../node/helpers';
import { nodePorts } from './kill/host';

describe('two windows on one storage', function () {
  this.timeout(60_000);
  let dir = '';
  let cores: HoldfastCore[] = [];
  /** Windows that live. */
  const living = new Set<number>();
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'holdfast-two-')));
    mkdirSync(path.join(dir, 'workspace'));
    living.clear();
  });
  afterEach(async () => {
    for (const core of cores.splice(0)) await core.dispose();
    rmSync(dir, { recursive: true, force: true });
    cores = [];
  });

  async function open(pid: number): Promise<HoldfastCore> {
    living.add(pid);
    const storage = path.join(dir, 'storage');
    const startTime = (one: number): string | undefined => (living.has(one) ? 's' : undefined);
    let time = 0;
    const monotonic = (): number => (time += 1000); // each look is long after the one before
    const system = { pid, host: 'here', startTime, monotonic };
    const lease = new NodeLease(realFs, new Layout(storage), system, `window ${pid}`);
    const ports = nodePorts({ workspace: path.join(dir, 'workspace'), storage });
    const core = await openHoldfast({ ...ports, store: new NodeStore({ dir: storage, lease }), lease });
    cores.push(core);
    return core;
  }

  async function start(core: HoldfastCore): Promise<string> {
    const write = (n: number): object => ({ tool: 'write_file', with: { path: `${n}.txt`, content: `${n}\n` } });
    const steps = [write(1), { ...write(2), pauseBefore: true }, { ...write(3), pauseBefore: true }];
    const source = JSON.stringify({ goal: 'Write', steps });
    const started = await core.startRun({ engine: { kind: 'playbook', label: 'p', source, format: 'json' } });
    assert.ok('runId' in started, JSON.stringify(started));
    assert.equal((await core.settled(started.runId)).status, 'paused');
    return started.runId;
  }
  const code = (answer: object): unknown => ('refused' in answer ? (answer as { code?: unknown }).code : 'done');
  const done = (core: HoldfastCore): number | undefined =>
    core.current()?.steps.filter(({ outcome }) => outcome === 'done').length;

  it('the second shows the run live, changes nothing and says who has control', async () => {
    const one = await open(1);
    const runId = await start(one);
    const two = await open(2);
    await until('it is shown', () => two.get(runId)?.status === 'paused');
    for (const answer of [
      await two.resume(),
      await two.pause(),
      await two.abort({ runId }),
      await two.steer({ text: 'x' }),
      await two.deleteRun({ runId }),
      await two.takeControlHere(),
      await two.startRun({ goal: 'x' }),
    ])
      assert.equal(code(answer), 'elsewhere', JSON.stringify(answer));
    let heard = 0;
    two.onDidChange(() => (heard += 1));
    await one.resume();
    await one.settled(runId);
    await until('what the first did is shown', () => done(two) === 2 && two.current()?.status === 'paused');
    assert.ok(heard > 0);
    assert.equal((await two.load(runId))?.seq, one.get(runId)?.seq);
    assert.deepEqual([one.heldBy(), two.heldBy()], [undefined, { pid: 1, host: 'here', gone: false }]);
  });

  it('when the owner is gone it goes on here, at a command; the numbers of the journal have no gap', async () => {
    const one = await open(1);
    const runId = await start(one);
    const two = await open(2);
    await until('it is shown', () => two.get(runId)?.status === 'paused');
    let heard = 0;
    two.onDidChange(() => (heard += 1));
    living.delete(1);
    await until('that the owner is gone is told', () => two.heldBy()?.gone === true && heard > 0);
    const went = await two.resume();
    assert.ok('runId' in went, JSON.stringify(went));
    assert.equal((await two.settled(runId)).status, 'paused');
    assert.equal(done(two), 2);
    assert.equal(two.heldBy(), undefined);
    // the first one was not dead after all: it does nothing any more
    living.add(1);
    const late = await one.resume();
    await one.settled(runId);
    assert.ok('refused' in late || one.get(runId)?.status === 'paused', JSON.stringify(late));
    assert.equal(done(two), 2);
    assert.deepEqual(await two.takeControlHere(), { taken: true });
    const again = await two.resume();
    assert.ok('runId' in again);
    assert.equal((await two.settled(runId)).status, 'completed');
    const journal = path.join(dir, 'storage', 'runs', runId, 'journal.jsonl');
    const parsed = parseJournal(readFileSync(journal), 'journal.jsonl');
    assert.equal(parsed.damage, undefined);
    assert.equal(readFileSync(path.join(dir, 'workspace', '3.txt'), 'utf8'), '3\n');
  });

  it('closed in the ordinary way it is free at once', async () => {
    const one = await open(1);
    const runId = await start(one);
    await one.dispose();
    const two = await open(2);
    assert.ok('runId' in (await two.resume({ runId })));
  });

  it('storage and workspace moved to another place: the run goes on there', async () => {
    const one = await open(1);
    const runId = await start(one);
    await one.dispose();
    const before = dir;
    dir = `${dir}-moved`;
    renameSync(before, dir);
    const two = await open(2);
    assert.deepEqual(
      two.runs().map((run) => run.runId),
      [runId],
    );
    assert.ok('runId' in (await two.resume()));
    await two.settled(runId);
    assert.equal(readFileSync(path.join(dir, 'workspace', '2.txt'), 'utf8'), '2\n');
  });
});
