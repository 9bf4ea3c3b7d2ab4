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
import path from 'node:path';
import { Faults, withFaults } from '../../../src/node/faults';
import { type FsCalls, realFs } from '../../../src/node/fs';
import { sha256 } from '../../../src/node/hash';
import { NEWER, NodeStore } from '../../../src/node/store';
import { bytesOf, useFolder, withoutSync } from './helpers';
import { DURABLE, record, seqs, started, state, summary } from './runs';

describe('store: snapshots', () => {
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

  it('both snapshots damaged: only an unbroken row of records is used', async () => {
    await sixRecords();
    writeFileSync(at('state.json'), '{');
    writeFileSync(at('state.json.prev'), '[]');
    const { snapshot, tail, damage } = await loaded();
    assert.deepEqual({ snapshot, tail }, { snapshot: undefined, tail: [] });
    assert.match(damage, /state\.json\.prev is damaged too.*record 3 follows nothing/);
  });

  it('a gap between the journals: what lies beyond it is set aside, and what is appended then is found', async () => {
    await sixRecords(); // record 3 and 4 are in the previous journal, 5 and 6 in the newest
    writeFileSync(at('state.json'), '{');
    writeFileSync(
      at('journal.prev.jsonl'),
      readFileSync(at('journal.prev.jsonl'), 'utf8').replace('result 4', 'result X'),
    );
    const before = await loaded();
    assert.deepEqual([before.snapshot, before.tail], [2, [3]]);
    assert.match(before.damage, /journal\.prev\.jsonl: line 2 is damaged.*record 5 follows 3/);
    const beyond = readFileSync(at('journal.jsonl'), 'utf8');
    const run = await open().open('r1');
    await run.append([record(4)], DURABLE);
    await run.append([record(5)], DURABLE);
    await run.close();
    assert.deepEqual((await loaded()).tail, [3, 4, 5]);
    assert.equal(readFileSync(at('journal.jsonl.damaged-1'), 'utf8'), beyond);
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
    this.timeout(10_000);
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
    for (const version of [undefined, '1', 0, -1, 1.5, null]) {
      writeFileSync(at('state.json'), JSON.stringify({ ...state(4), schemaVersion: version }));
      assert.equal((await loaded()).snapshot, 2);
    }
  });
});

describe('store: index and blobs', () => {
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

  it('keeps contents once and checks them when read', async () => {
    const store = open();
    const bytes = new Uint8Array([0, 255, 10, 13]);
    const [hash, again] = await Promise.all([store.blobs.put(bytes), store.blobs.put(bytes)]);
    assert.deepEqual([hash, again], [sha256(bytes), sha256(bytes)]);
    assert.deepEqual(await store.blobs.get(hash), Buffer.from(bytes));
    const file = folder.at('storage/blobs', hash.slice(0, 2), hash);
    assert.deepEqual(readdirSync(folder.at('storage/blobs')), [hash.slice(0, 2)]);
    writeFileSync(file, 'spoilt');
    assert.equal(await store.blobs.get(hash), undefined);
    assert.equal(await store.blobs.get('../../x'), undefined);
    // the next start puts a whole one in its place
    await open().blobs.put(bytes);
    assert.deepEqual(await store.blobs.get(hash), Buffer.from(bytes));
  });

  it('a blob that could not be written is not there, and can be written later', async () => {
    const faults = new Faults();
    const store = open(withFaults(realFs, faults));
    const bytes = bytesOf('text');
    for (const op of ['write', 'fsync', 'rename'] as const) {
      faults.add({ op, path: (one) => one.endsWith(sha256(bytes)), error: 'ENOSPC', times: 1 });
      await assert.rejects(store.blobs.put(bytes), { code: 'ENOSPC' });
      assert.equal(await store.blobs.get(sha256(bytes)), undefined);
      assert.equal(
        tree(storage()).some(([name]) => name.endsWith('.tmp')),
        false,
      );
    }
    assert.equal(await store.blobs.put(bytes), sha256(bytes));
  });
});

/** The real file system, without its syncs, until `alive` says no; from then on every call fails, as if the process had died. */
function dyingAfter(alive: () => boolean): FsCalls {
  const guard = <T extends object>(calls: T): T =>
    new Proxy(calls, {
      get(target, name, receiver) {
        const call: unknown = Reflect.get(target, name, receiver);
        if (typeof call !== 'function') return call;
        return async (...args: unknown[]): Promise<unknown> => {
          if (name !== 'close' && !alive()) throw new Error('dead');
          const result: unknown = await Reflect.apply(call, target, args);
          return name === 'open' && typeof result === 'object' && result !== null ? guard(result) : result;
        };
      },
    });
  return guard(withoutSync);
}

/** Names and contents below a folder. */
function tree(dir: string): [name: string, text: string][] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry): [string, string] => {
      const file = path.join(entry.parentPath, entry.name);
      return [path.relative(dir, file), readFileSync(file, 'latin1')];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
