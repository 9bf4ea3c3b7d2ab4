/**
 * Each file of the storage cut off, and each with one bit turned, at a sample of offsets: it loads, or says what is lost; what it
 * loads is what was there; nothing throws out of the load and nothing else is changed.
 */
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openHoldfast } from '../../../src/core/holdfast';
import { foldLoaded, summarizeLoaded } from '../../../src/core/run/load';
import { isActive, type RunState } from '../../../src/core/run/state';
import { sha256 } from '../../../src/node/hash';
import { NodeStore } from '../../../src/node/store';
import { ListBrain, type Reply } from '../../sim/model';
import { Random } from '../../sim/random';
import { SimWorld } from '../../sim/world';
import { tree, useFolder, withoutSync } from '../node/helpers';
import { LONG, SEED } from '../chance';

/** Offsets of each file at which it is damaged, besides its ends. */
const SAMPLE = LONG ? 2000 : 20;

const call = (tool: string, args: Record<string, unknown>): Reply => ({ calls: [{ tool, args }] });
const REPLIES: Reply[] = Array.from({ length: 12 }, (_, n) => [
  call('write_file', { path: `new/${n}.txt`, content: `text ${n}\n`.repeat(20) }),
  call('edit_file', { path: `new/${n}.txt`, old_text: 'x', new_text: 'y' }),
  call('read_file', { path: 'a.txt' }),
]).flat();

interface Stored {
  /** Each state that was on disk, by the number of its last record. */
  states: Map<number, string>;
  last: RunState;
  contents: Map<string, Uint8Array>;
}

/** Opens the core on a real folder; the rest of its world is simulated. */
async function world(dir: string): Promise<{ world: SimWorld; store: NodeStore }> {
  const store = new NodeStore({ dir, fs: withoutSync, summarise: summarizeLoaded });
  const made = new SimWorld({ brain: new ListBrain(REPLIES), files: { 'a.txt': 'a\n' } });
  return { world: made, store };
}

/** The simulated part of the world goes on beside the real one. */
function pump(w: SimWorld): { stop(): void } {
  let on = true;
  const turn = (): void => {
    w.turns.give();
    if (on) setImmediate(turn);
  };
  turn();
  return { stop: () => (on = false) };
}

async function fill(dir: string): Promise<Stored> {
  const { world: w, store } = await world(dir);
  const states = new Map<number, string>();
  const contents = new Map<string, Uint8Array>();
  const put = store.blobs.put.bind(store.blobs);
  store.blobs.put = async (bytes) => {
    const hash = await put(bytes);
    contents.set(hash, bytes.slice());
    return hash;
  };
  const core = await openHoldfast({ ...w.ports(), store });
  core.onDidChange((state) => void states.set(state.seq, JSON.stringify(state)));
  const go = pump(w);
  const started = await core.startRun({ goal: 'work' });
  assert.ok('runId' in started);
  const { runId } = started;
  // Stopped now and then, so that there are snapshots, one before the last.
  for (let n = 0; n < 6 && isActive(core.get(runId)?.status ?? 'running'); n += 1) {
    await core.pause();
    await core.resume();
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  await core.settled(runId);
  go.stop();
  const last = core.get(runId);
  assert.ok(last);
  await core.dispose();
  return { states, last, contents };
}

describe('storage: damaged', () => {
  const folder = useFolder();

  it(`cut off or one bit turned, every file at ${SAMPLE} offsets (seed ${SEED})`, async function () {
    this.timeout(0);
    const cpu = process.cpuUsage();
    const good = folder.at('good');
    const stored = await fill(good);
    const files = tree(good).map(([name]) => name);
    for (const kind of [/^runs\.json$/, /state\.json$/, /journal.*\.jsonl$/, /\.pack$/])
      assert.ok(
        files.some((name) => kind.test(name)),
        String(kind),
      );
    const random = new Random(SEED);
    const work = folder.at('work');
    cpSync(good, work, { recursive: true });
    let damaged = 0;
    for (const name of files) {
      const whole = readFileSync(path.join(good, name));
      for (const [how, bytes] of damages(whole, random)) {
        writeFileSync(path.join(work, name), bytes);
        const before = LONG ? tree(work) : undefined;
        await check(work, stored, `${name}: ${how}`, bytes.length < whole.length && /journal\.jsonl$/.test(name));
        if (before) assert.deepEqual(tree(work), before, `${name}: ${how}: something was changed`);
        damaged += 1;
      }
      writeFileSync(path.join(work, name), whole);
    }
    assert.deepEqual(tree(work), tree(good), 'looking changes nothing');
    const { user, system } = process.cpuUsage(cpu);
    console.log(`      ${damaged} damages of ${files.length} files, ${((user + system) / 1e6).toFixed(1)} s of CPU`);
  });

  it(`the core opens on each of them, and a run can be started (seed ${SEED})`, async function () {
    this.timeout(0);
    const good = folder.at('good');
    const stored = await fill(good);
    const random = new Random(SEED + 1);
    let n = 0;
    for (const [name] of tree(good)) {
      const all = [...damages(readFileSync(path.join(good, name)), random)];
      for (const [how, bytes] of LONG ? all : all.filter((_, i) => i % 20 === 0)) {
        const work = folder.at(`work-${(n += 1)}`);
        cpSync(good, work, { recursive: true });
        writeFileSync(path.join(work, name), bytes);
        const { world: w, store } = await world(work);
        const go = pump(w);
        const core = await openHoldfast({ ...w.ports(), store, ids: { run: () => 'run-another' } });
        const listed = core.runs().some((run) => run.runId === stored.last.runId);
        assert.ok(listed || /journal|state/.test(name), `${name}: ${how}: the run is not listed`);
        await core.load(stored.last.runId);
        const started = await core.startRun({ goal: 'once more' });
        assert.ok('runId' in started, `${name}: ${how}: ${JSON.stringify(started)}`);
        await core.dispose();
        go.stop();
        assert.ok(existsSync(path.join(work, 'runs')));
      }
    }
  });
});

/** Cut off and one bit turned, at the ends and at places in between. */
function* damages(whole: Buffer, random: Random): Generator<[string, Buffer]> {
  const places = new Set([0, 1, whole.length - 2, whole.length - 1].filter((at) => at >= 0 && at < whole.length));
  for (let n = 0; n < SAMPLE && whole.length > 0; n += 1) places.add(random.below(whole.length));
  // where a line ends, what is left looks whole
  for (let n = 0, end = whole.length; n < 5 && end > 0; n += 1)
    places.add((end = whole.lastIndexOf('\n', end - 2) + 1));
  for (const at of places) {
    yield [`cut off at ${at}`, whole.subarray(0, at)];
    const turned = Buffer.from(whole);
    turned[at] = (turned[at] ?? 0) ^ (1 << random.below(8));
    yield [`a bit of byte ${at} turned`, turned];
  }
}

async function check(dir: string, { states, last, contents }: Stored, name: string, torn: boolean): Promise<void> {
  const store = new NodeStore({ dir, fs: withoutSync, summarise: summarizeLoaded });
  const listed = await store.list();
  const loaded = await store.load(last.runId);
  const state = loaded && foldLoaded(loaded);
  if (state) {
    const shown = states.get(state.seq);
    if (shown !== undefined) assert.equal(JSON.stringify(state), shown, `${name}: it loads other than it was`);
    assert.ok(state.seq <= last.seq, name);
    if (state.seq < last.seq && !torn) assert.ok(loaded.damage.length > 0, `${name}: the loss is not said`);
    assert.ok(
      listed.some((run) => run.runId === last.runId),
      `${name}: it is not listed`,
    );
  } else assert.ok((loaded?.damage.length ?? 0) > 0 || torn, `${name}: nothing loads, and nothing is said`);
  for (const [hash, bytes] of contents) {
    const found = await store.blobs.get(hash);
    if (found) assert.deepEqual(Buffer.from(found), Buffer.from(bytes), `${name}: another content`);
    else assert.match(name, /\.pack/, `${name}: a content is gone`);
    assert.ok(!found || sha256(found) === hash);
  }
}
