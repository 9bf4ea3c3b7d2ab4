import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { Faults, withFaults } from '../../../src/node/faults';
import { type FsCalls, realFs } from '../../../src/node/fs';
import { NEWER, NodeStore } from '../../../src/node/store';
import { tree, useFolder, dyingAfter } from './helpers';
import { DURABLE, record, seqs, started, state, summary } from './runs';

describe('store: snapshots', function () {
  this.timeout(60_000); // on a busy disk a sync takes its time
  const folder = useFolder();
  const at = (name: string): string => folder.at('runs/r1', name);
  const open = (fs?: FsCalls): NodeStore =>
    new NodeStore(fs === undefined ? { dir: folder.dir } : { dir: folder.dir, fs });
  async function loaded(): Promise<{ snapshot: number | undefined; tail: number[]; damage: string }> {
    const run = await open().load('r1');
    assert.ok(run);
    return { snapshot: run.snapshot?.seq, tail: seqs(run.tail), damage: run.damage.join('; ') };
  }
  /** Records 1-6 with snapshots at 2 and 4. */
  async function sixRecords(): Promise<void> {
    const run = await open().open('r1');
    for (const seq of [1, 2, 3, 4, 5, 6]) {
      await run.append([record(seq)], DURABLE);
      if (seq === 2 || seq === 4) await run.snapshot(state(seq));
    }
    await run.close();
  }

  it('loads the snapshot and what came after it', async () => {
    await sixRecords();
    assert.deepEqual(await loaded(), { snapshot: 4, tail: [5, 6], damage: '' });
    assert.deepEqual((await open().load('r1'))?.snapshot, state(4));
    assert.equal(statSync(at('state.json')).mode & 0o777, 0o600);
    assert.equal(statSync(folder.at('runs')).mode & 0o777, 0o700);
  });

  it('counts the bytes since the snapshot', async () => {
    const run = await open().open('r1');
    await run.append([record(1)], DURABLE);
    assert.equal(run.journalBytes, statSync(at('journal.jsonl')).size);
    await run.snapshot(state(1));
    assert.equal(run.journalBytes, 0);
    await run.close();
  });

  it('a journal file that was sealed with records past the snapshot, and is empty or cut off now: the loss is said', async () => {
    const run = await open().open('r1');
    for (const seq of [1, 2, 3]) await run.append([record(seq)], DURABLE);
    await run.snapshot(state(2)); // the third came while it was written
    await run.close();
    assert.deepEqual(await loaded(), { snapshot: 2, tail: [3], damage: '' });
    const sealed = readdirSync(folder.at('runs/r1')).find((name) => name.startsWith('journal-')) ?? '';
    const lines = readFileSync(at(sealed), 'latin1');
    const damage = 'journal.jsonl: it follows record 3, and those after 2 are missing';
    for (const length of [lines.length - 1, 0]) {
      truncateSync(at(sealed), length);
      const said = `${sealed}: lines are missing; ${damage}`;
      assert.deepEqual(await loaded(), { snapshot: 2, tail: [], damage: said });
    }
    // where a line ends the file itself is whole
    writeFileSync(at(sealed), lines.slice(0, lines.lastIndexOf('\n', lines.length - 2) + 1), 'latin1');
    assert.deepEqual(await loaded(), { snapshot: 2, tail: [], damage });
    const mended = await open().open('r1');
    await mended.append([record(3, 'once more')], DURABLE);
    await mended.close();
    assert.deepEqual(await loaded(), { snapshot: 2, tail: [3], damage: '' });
  });

  it('the first line of a new journal file that cannot be written comes with the next record', async () => {
    const faults = new Faults();
    const run = await open(withFaults(realFs, faults)).open('r1');
    for (const seq of [1, 2]) await run.append([record(seq)], DURABLE);
    faults.add({ op: 'write', path: (one) => one.endsWith('journal.jsonl'), error: 'ENOSPC', times: 1 });
    await run.snapshot(state(1));
    assert.equal(run.journalBytes, 0);
    await run.append([record(3)], DURABLE);
    await run.close();
    assert.match(readFileSync(at('journal.jsonl'), 'utf8'), /^\{"journal":2,"runId":"r1","after":2,.*\n\{"seq":3,/);
    assert.deepEqual(await loaded(), { snapshot: 1, tail: [2, 3], damage: '' });
  });

  it('a damaged newest snapshot: the one before and both journals give the same', async () => {
    await sixRecords();
    const size = statSync(at('state.json')).size;
    for (const length of [size - 1, size - 100, Math.floor(size / 2), 1, 0]) {
      truncateSync(at('state.json'), length);
      const { snapshot, tail, damage } = await loaded();
      assert.deepEqual({ snapshot, tail }, { snapshot: 2, tail: [3, 4, 5, 6] });
      assert.match(damage, /state\.json is damaged .*; the snapshot before it was used, that of record 2/);
    }
    rmSync(at('state.json'));
    assert.deepEqual((await loaded()).tail, [3, 4, 5, 6]);
  });

  it('the next snapshot keeps the damaged file under another name, and the good one before it', async () => {
    await sixRecords();
    truncateSync(at('state.json'), 10);
    const damaged = readFileSync(at('state.json'));
    const run = await open().open('r1');
    await run.append([record(7)], DURABLE);
    await run.snapshot(state(7));
    await run.append([record(8)], DURABLE);
    await run.close();
    assert.deepEqual(await loaded(), { snapshot: 7, tail: [8], damage: '' });
    assert.deepEqual(readFileSync(at('state.json.damaged-1')), damaged);
    assert.equal((JSON.parse(readFileSync(at('state.json.prev'), 'utf8')) as { seq: number }).seq, 2);
  });

  it('both snapshots damaged: the journal alone gives everything', async () => {
    await sixRecords();
    writeFileSync(at('state.json'), '{');
    writeFileSync(at('state.json.prev'), '[]');
    const { snapshot, tail, damage } = await loaded();
    assert.deepEqual({ snapshot, tail }, { snapshot: undefined, tail: [1, 2, 3, 4, 5, 6] });
    assert.match(damage, /state\.json\.prev is damaged too/);
    rmSync(at('journal-000000000001.jsonl'));
    const without = await loaded();
    assert.deepEqual([without.snapshot, without.tail], [undefined, []]);
    assert.match(without.damage, /record 3 follows nothing/);
  });

  it('a gap between the journals: what lies beyond it is set aside, and what is appended then is found', async () => {
    await sixRecords(); // 1 and 2, 3 and 4, 5 and 6 are in a file each
    writeFileSync(at('state.json'), '{');
    const damaged = 'journal-000000000003.jsonl';
    writeFileSync(at(damaged), readFileSync(at(damaged), 'utf8').replace('result 4', 'result X'));
    const before = await loaded();
    assert.deepEqual([before.snapshot, before.tail], [2, [3]]);
    assert.match(before.damage, /journal-000000000003\.jsonl: line 3 is damaged.*record 5 follows 3/);
    const beyond = readFileSync(at('journal.jsonl'), 'utf8');
    const run = await open().open('r1');
    await run.append([record(4)], DURABLE);
    await run.append([record(5)], DURABLE);
    await run.close();
    assert.deepEqual((await loaded()).tail, [3, 4, 5]);
    assert.equal(readFileSync(at('journal.jsonl.damaged-1'), 'utf8'), beyond);
    assert.match(readFileSync(at(`${damaged}.damaged-1`), 'utf8'), /result X/);
  });

  it('a snapshot whose sum does not fit is not believed', async () => {
    await sixRecords();
    writeFileSync(at('state.json'), readFileSync(at('state.json'), 'utf8').replace('goal 4', 'goal 5'));
    const { snapshot, tail, damage } = await loaded();
    assert.deepEqual({ snapshot, tail }, { snapshot: 2, tail: [3, 4, 5, 6] });
    assert.match(damage, /its sum does not fit/);
  });

  it('takes no record out of order', async () => {
    const run = await open().open('r1');
    await run.append([record(1)], DURABLE);
    await assert.rejects(run.append([record(3)], DURABLE), /record 3 cannot follow 1/);
    await assert.rejects(run.append([record(1)], DURABLE), /record 1 cannot follow 1/);
    await run.append([record(2)], DURABLE);
    await run.close();
    assert.deepEqual((await loaded()).tail, [1, 2]);
  });

  it('records appended while a snapshot of an earlier state is written stay', async () => {
    const run = await open().open('r1');
    await run.append([record(1), record(2), record(3)], DURABLE);
    const snapshot = run.snapshot(state(2));
    const appended = run.append([record(4)], DURABLE);
    await Promise.all([snapshot, appended, run.snapshot(state(2)), run.append([record(5)], DURABLE)]);
    await run.close();
    assert.deepEqual(await loaded(), { snapshot: 2, tail: [3, 4, 5], damage: '' });
  });

  it('stopped after any file-system call of a snapshot, the run loads whole', async function () {
    this.timeout(60_000);
    let outcomes = '';
    for (let allowed = 0; ; allowed += 1) {
      rmSync(folder.at('runs'), { recursive: true, force: true });
      let left = Infinity;
      const run = await open(dyingAfter(() => left-- > 0)).open('r1');
      await run.append([record(1), record(2)], DURABLE);
      await run.snapshot(state(2));
      await run.append([record(3)], DURABLE);
      left = allowed;
      const done = await run.snapshot(state(3)).then(
        () => true,
        () => false,
      );
      await run.close();
      const now = await loaded();
      assert.equal(now.damage, '', `after ${allowed} calls`);
      assert.ok(now.snapshot === 3 ? now.tail.length === 0 : now.snapshot === 2 && now.tail[0] === 3);
      outcomes += now.snapshot;
      // and with the newest lost it still does
      if (now.snapshot === 3) {
        truncateSync(at('state.json'), 5);
        const before = await loaded();
        assert.deepEqual([before.snapshot, before.tail], [2, [3]], `after ${allowed} calls`);
      }
      if (done) break;
    }
    assert.match(outcomes, /^2{5,}3{5,}$/);
  });

  it('a newer version is named and nothing is changed', async () => {
    await sixRecords();
    const text = JSON.stringify({ ...state(4), schemaVersion: 999 });
    writeFileSync(at('state.json'), text);
    const before = tree(folder.dir);
    const store = open();
    const run = await store.load('r1');
    assert.ok(run);
    assert.ok(run.damage[0]?.startsWith(NEWER));
    assert.deepEqual([run.snapshot, run.tail], [undefined, []]);
    await assert.rejects(store.open('r1'), { code: 'NEWER' });
    assert.deepEqual(tree(folder.dir), before);
  });

  it('a missing or odd version is damage', async () => {
    await sixRecords();
    for (const version of [undefined, '2', 0, -1, 2.5, null, 1e99]) {
      writeFileSync(at('state.json'), JSON.stringify({ ...state(4), schemaVersion: version }));
      assert.equal((await loaded()).snapshot, 2);
    }
  });
});

describe('store: the index', () => {
  const folder = useFolder();
  const storage = (): string => folder.at('storage');
  const open = (fs?: FsCalls): NodeStore =>
    new NodeStore(fs === undefined ? { dir: storage() } : { dir: storage(), fs });

  it('writes nothing before there is a run', async () => {
    const store = open();
    assert.deepEqual(await store.list(), []);
    assert.equal(await store.load('r1'), undefined);
    assert.equal(await store.blobs.get('0'.repeat(64)), undefined);
    await store.remove('r1');
    assert.deepEqual(readdirSync(folder.dir), []);
  });

  it('takes no id that is no folder name', async () => {
    for (const id of ['', '.', '..', '../x', 'a/b', 'a\\b', '-rf', 'x.', '\0']) {
      await assert.rejects(open().open(id));
      assert.equal(await open().load(id), undefined);
      await open().remove(id);
    }
    assert.deepEqual(readdirSync(folder.dir), []);
  });

  it('lists, updates, removes', async () => {
    const store = open();
    for (const id of ['a', 'b', 'c']) await (await store.open(id)).close();
    await Promise.all(['a', 'b', 'c'].map((id) => store.updateIndex(summary(id))));
    await store.updateIndex(summary('b', 'Else'));
    await store.remove('a');
    const goals = (await open().list()).map(({ runId, goal }) => `${runId}: ${goal}`);
    assert.deepEqual(goals.sort(), ['b: Else', 'c: Do it']);
    assert.deepEqual(readdirSync(folder.at('storage/runs')), ['b', 'c']);
  });

  it('makes the index anew from the runs when it is gone, and from the one before when it is damaged', async () => {
    const store = open();
    for (const id of ['a', 'b']) {
      const run = await store.open(id);
      await run.append([started(id)], DURABLE);
      if (id === 'b') await run.snapshot(state(1, 'b'));
      await run.close();
      await store.updateIndex(summary(id));
    }
    writeFileSync(folder.at('storage/runs.json'), '{"schemaVersion":1,');
    assert.deepEqual(
      (await open().list()).map(({ runId, status }) => `${runId} ${status}`),
      ['a paused', 'b paused'],
    );
    for (const name of ['runs.json', 'runs.json.prev']) writeFileSync(folder.at('storage', name), '');
    const anew = open();
    assert.deepEqual(
      (await anew.list()).map(({ runId, goal, status }) => `${runId} ${goal} ${status}`),
      ['a Do it running', 'b goal 1 paused'],
    );
    assert.equal(readFileSync(folder.at('storage/runs.json'), 'utf8'), '');
    await anew.updateIndex(summary('b'));
    assert.deepEqual((await open().list()).map(({ runId }) => runId).sort(), ['a', 'b']);
    assert.ok(existsSync(folder.at('storage/runs.json.damaged-1')));
  });

  it('lists a run whose entry was never written, and none whose folder is gone', async () => {
    const store = open();
    await store.updateIndex(summary('gone'));
    const run = await store.open('killed');
    await run.append([started('killed')], DURABLE);
    await run.close();
    assert.deepEqual(
      (await open().list()).map(({ runId }) => runId),
      ['killed'],
    );
  });

  it('asks the core for an entry where it is given a way to', async () => {
    await (await open().open('a')).close();
    const asked = new NodeStore({ dir: storage(), summarise: (runId) => summary(runId, 'folded') });
    assert.deepEqual(
      (await asked.list()).map(({ goal }) => goal),
      ['folded'],
    );
  });

  it('leaves the index of a newer version alone', async () => {
    mkdirSync(storage());
    const text = '{"schemaVersion":999,"runs":[]}';
    writeFileSync(folder.at('storage/runs.json'), text);
    const store = open();
    await (await store.open('a')).close();
    await store.updateIndex(summary('a'));
    assert.deepEqual(
      (await store.list()).map(({ runId }) => runId),
      ['a'],
    );
    assert.equal(readFileSync(folder.at('storage/runs.json'), 'utf8'), text);
  });
});
