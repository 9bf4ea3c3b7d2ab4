/** A full disk: no effect starts, a stop still counts, the words of the human are taken whole or refused, nothing is dropped. */
import assert from 'node:assert/strict';
import { StorageError } from '../../../../src/core/errors';
import { SimStore } from '../../../sim/store';
import { call, slow, Stage } from './stage';

const full = (stage: Stage): void => stage.world.store.fail('append', 1e6);
const refusedFor = (answer: unknown): unknown => (answer as { code?: string }).code;
const thinking = async (): Promise<Stage> => {
  const stage = await Stage.open({ replies: [call('write_file', { path: 'a.txt', content: 'A\n' }), slow('a')] });
  await stage.running(2);
  return stage;
};

describe('on a slow disk', () => {
  it('a stop is heard before it is written, and is on disk with its receipt', async () => {
    let store: SimStore | undefined;
    const stage = await Stage.open({
      replies: [slow('a')],
      store: (turns, random) => (store = new SimStore(turns, random)),
    });
    await stage.running(1);
    const release = store?.stallAppends();
    const pausing = stage.core.pause();
    await stage.world.settle();
    assert.equal(stage.state.status, 'running', 'what is shown is what is stored');
    assert.deepEqual(
      stage.world.processes.living().map((p) => p.frozen),
      [true],
    );
    release?.();
    await stage.world.finish(pausing);
    assert.equal(stage.state.status, 'paused');
    await stage.restart();
    assert.equal(stage.state.receipts.at(-1)?.intent, 'pause');
  });
});

describe('on a full disk', function () {
  this.timeout(60_000);

  it('what is left of a reconcile that it cut off has no word in the next one', async () => {
    let paused = 0;
    for (let seed = 1; seed <= 120; seed += 1) {
      const stage = await Stage.open({
        seed,
        replies: [call('read_file', { path: 'a.txt' }), call('read_file', { path: 'b.txt' })],
      });
      await stage.world.finish(stage.core.pause());
      for (let n = 0; n < 3; n += 1) void stage.core.resume();
      await stage.world.go(seed % 8);
      stage.world.store.fail('append', 1);
      for (let n = 0; n < 12; n += 1) {
        await stage.world.go(1);
        if (stage.state.reason?.code === 'storage') void stage.core.resume();
        if (stage.state.reason?.code === 'storage') paused += 1;
      }
      await stage.world.settle();
      assert.ok(['paused', 'completed'].includes(stage.state.status), `seed ${seed}: it hangs, ${stage.state.status}`);
    }
    assert.ok(paused > 0);
  });

  it('an abort is an abort at any moment; with room again it is on disk, unasked', async () => {
    for (let turns = 0; turns < 24; turns += 1) {
      const stage = await Stage.open({
        seed: turns + 1,
        replies: [call('write_file', { path: 'a.txt', content: 'A\n' }), slow('a'), slow('b')],
      });
      await stage.world.go(turns * 2);
      full(stage);
      const wasOver = stage.state.status === 'completed';
      const answer = await stage.world.finish(stage.core.abort());
      if (wasOver) continue;
      assert.ok('intent' in answer && answer.intent === 'abort', `after ${turns}: ${JSON.stringify(answer)}`);
      assert.equal(stage.state.status, 'aborted', `after ${turns}`);
      assert.equal(stage.state.reason?.code, 'storage');
      assert.match(stage.state.reason.text, /not on disk yet \(ENOSPC/);
      assert.match(answer.message, /Not on disk yet/);
      assert.deepEqual(stage.world.processes.living(), []);
      const files = stage.world.files.paths();
      await stage.world.settle();
      assert.deepEqual(stage.world.files.paths(), files, 'no effect starts');
      stage.world.store.heal();
      await stage.world.settle();
      assert.equal(stage.state.unstored, undefined);
      assert.equal(stage.state.reason.code, 'human');
      await stage.restart();
      assert.equal(stage.state.status, 'aborted', `after ${turns}, restarted`);
    }
  });

  it('killed while the disk is full, the run is interrupted and offered; the index does not say otherwise', async () => {
    const stage = await thinking();
    full(stage);
    await stage.world.finish(stage.core.abort());
    await stage.world.settle();
    await stage.world.crash();
    stage.world.store.heal();
    await stage.world.open();
    assert.equal(stage.state.status, 'paused');
    assert.equal(stage.state.reason?.code, 'interrupted');
    assert.equal(stage.core.runs()[0]?.status, 'paused');
  });

  it('pause and take over stand as they were asked for, and say so', async () => {
    for (const [stop, status] of [
      ['pause', 'paused'],
      ['takeOver', 'humanControl'],
    ] as const) {
      const stage = await thinking();
      full(stage);
      await stage.world.finish(stage.core[stop]());
      assert.equal(stage.state.status, status);
      assert.equal(stage.state.reason?.code, 'storage');
      assert.deepEqual(
        stage.world.processes.living().map((p) => p.frozen),
        [true],
      );
      stage.world.store.heal();
      await stage.world.settle();
      await stage.world.finish(stop === 'pause' ? stage.core.resume() : stage.core.handBack());
      await stage.untilStatus('completed');
      assert.equal(stage.world.files.text('log.txt'), 'a\n');
    }
  });

  it('an abort ends background commands, too', async () => {
    const stage = await Stage.open({
      replies: [call('run_command', { command: 'serve', background: true }), slow('a')],
    });
    await stage.running(2);
    full(stage);
    await stage.world.finish(stage.core.abort());
    assert.equal(stage.state.status, 'aborted');
    assert.deepEqual(stage.world.processes.living(), []);
  });

  it('Steer Now does not let the run go on', async () => {
    const stage = await thinking();
    await stage.world.finish(stage.core.steer({ text: 'other way' }));
    const requests = stage.world.models.requests.length;
    const steered = stage.core.steer({ text: 'now', now: true });
    await stage.world.go(3);
    full(stage);
    await stage.world.finish(steered);
    await stage.world.settle();
    assert.equal(stage.state.status, 'paused');
    assert.equal(stage.world.models.requests.length, requests);
  });

  it('a note, an answer and a resume are refused with the reason, and taken once there is room', async () => {
    const stage = await Stage.open({ replies: [call('ask_human', { question: 'Which?' })] });
    await stage.until('asked', () => stage.waiting());
    full(stage);
    const { id } = stage.open('question');
    assert.equal(refusedFor(await stage.world.finish(stage.core.steer({ text: 'mind the gap' }))), 'storage');
    assert.equal(refusedFor(await stage.world.finish(stage.core.decide({ decisionId: id, choice: 'x' }))), 'storage');
    assert.equal(stage.state.notes.length, 0);
    assert.equal(stage.state.decisions[0]?.state, 'pending');
    assert.equal(stage.state.status, 'needsHuman');
    await stage.world.finish(stage.core.pause());
    assert.equal(refusedFor(await stage.world.finish(stage.core.resume())), 'storage');
    assert.equal(stage.state.status, 'paused');
    stage.world.store.heal();
    const noted = await stage.world.finish(stage.core.steer({ text: 'mind the gap' }));
    assert.ok('noteId' in noted);
    await stage.restart();
    assert.deepEqual(
      stage.state.notes.map((n) => n.text),
      ['mind the gap'],
    );
  });

  it('closing writes what was not written, when there is room by then', async () => {
    const stage = await thinking();
    full(stage);
    await stage.world.finish(stage.core.abort());
    stage.world.store.heal();
    await stage.world.finish(stage.core.dispose());
    await stage.restart();
    assert.equal(stage.state.status, 'aborted');
  });

  it('a blob that cannot be kept while a stop waits: the stop settles, the step did nothing', async () => {
    for (let turns = 0; turns < 20; turns += 1) {
      const stage = await Stage.open({
        seed: turns,
        files: { 'a.txt': 'a\n' },
        replies: [call('read_file', { path: 'a.txt' }), call('write_file', { path: 'a.txt', content: 'A\n' })],
      });
      await stage.until('first step', (s) => s.steps.length > 0);
      stage.world.store.fail('blob', 1e6);
      await stage.world.go(turns);
      const answer = await stage.world.finish(stage.core.pause());
      assert.ok('intent' in answer);
      assert.equal(stage.state.status, 'paused', `after ${turns}`);
      assert.ok(!stage.state.steps.some((s) => s.outcome === 'running'), `after ${turns}`);
    }
  });
});

it('two equal notes in one breath are two notes', async () => {
  const stage = await thinking();
  const [one, two] = await stage.world.finish(
    Promise.all([stage.core.steer({ text: 'n' }), stage.core.steer({ text: 'n' })]),
  );
  assert.ok('noteId' in one && 'noteId' in two);
  assert.notEqual(one.noteId, two.noteId);
  assert.equal(stage.state.notes.length, 2);

  for (const times of [1, 2, 3])
    it(`an undo that has begun comes to its end, though ${times} of its records cannot be written`, async () => {
      const undo = { tool: 'run_command', args: { command: 'sleep 300; echo undone >> log.txt' } };
      const made = { tool: 'run_command', args: { command: 'echo made >> log.txt' }, undo };
      const stage = await Stage.open({ files: {}, replies: [{ calls: [made] }, slow('x')] });
      const { core, world } = stage;
      await stage.running(2);
      await world.finish(core.pause());
      await world.finish(core.killCommand());
      world.processes.onSpawn = () => world.store.fail('append', times);
      await world.finish(core.compensate());
      assert.equal(world.files.text('log.txt'), 'made\nundone\n');
      assert.deepEqual(world.processes.living(), []);
      assert.equal(stage.state.frozen, null);
      await world.finish(core.abort());
      assert.equal(stage.state.status, 'aborted');
    });
});

describe('what is stored cannot be read now', () => {
  it('the run pauses, says so, and goes on when it can', async () => {
    let store: SimStore | undefined;
    const stage = await Stage.open({
      replies: [call('read_file', { path: 'a.txt' }), slow('a')],
      files: { 'a.txt': 'one\n' },
      store: (turns, random) => (store = new SimStore(turns, random)),
    });
    await stage.running(2);
    await stage.world.finish(stage.core.pause());
    stage.world.files.put('a.txt', 'human\n');
    assert.ok(store);
    const get = store.blobs.get.bind(store.blobs);
    store.blobs.get = () => Promise.reject(new StorageError('EMFILE: too many open files', 'read'));
    await stage.world.finish(stage.core.resume());
    assert.equal(stage.state.status, 'paused');
    assert.equal(stage.state.reason?.code, 'storage');
    assert.match(stage.state.reason.text, /cannot be read now \(EMFILE/);
    store.blobs.get = get;
    await stage.world.finish(stage.core.resume());
    await stage.decide('worldChanged', 'continue');
    await stage.untilStatus('completed');
  });
});
