import assert from 'node:assert/strict';
import { call, slow, Stage } from './stage';

const files = { 'x.txt': 'one\n' };
const read = call('read_file', { path: 'x.txt' });
const edit = call('edit_file', { path: 'x.txt', old_text: 'one', new_text: 'uno' });
const write = call('write_file', { path: 'x.txt', content: 'uno\n' });

/** A stop that waits, then the force that ends the wait. */
async function forced(stage: Stage, stop: 'pause' | 'abort' | 'takeOver'): Promise<void> {
  const stopping = stage.core[stop]();
  await stage.until('stopping', (s) => s.status === 'stopping');
  await stage.world.settle();
  assert.equal(stage.state.status, 'stopping');
  await stage.world.finish(stage.core.forceStop());
  await stage.world.finish(stopping);
}

describe('Force Stop reaches whatever is in flight', function () {
  this.timeout(30_000);

  for (const stop of ['pause', 'takeOver', 'abort'] as const) {
    it(`the first look at the files: ${stop}`, async () => {
      const info = { fixed: true, files: ['x.txt'] };
      const stage = await Stage.open({ files, info, replies: [write], stalled: ['read', 'x.txt'] });
      await forced(stage, stop);
      assert.equal(stage.state.status, { pause: 'paused', takeOver: 'humanControl', abort: 'aborted' }[stop]);
      stage.release();
      await stage.world.settle();
      if (stop === 'abort') return;
      await stage.world.finish(stop === 'pause' ? stage.core.resume() : stage.core.handBack());
      await stage.untilStatus('completed');
      assert.equal(stage.world.files.text('x.txt'), 'uno\n');
    });
  }

  it('a check of an unknown effect', async () => {
    const stage = await Stage.open({ files, replies: [read, edit, { text: 'Done.' }] });
    const release = stage.world.files.stall('write', 'x.txt');
    await stage.until('writing', (s) => s.steps[1]?.effect === 'requested');
    await forced(stage, 'pause');
    assert.equal(stage.step(2).outcome, 'unknown');
    release();
    await stage.world.settle();
    await stage.world.finish(stage.core.resume());
    const again = stage.world.files.stall('stat', 'x.txt');
    void stage.core.decide({ decisionId: stage.open('unknownEffect').id, choice: 'check' });
    await stage.until('checking', (s) => s.inFlight?.kind === 'check');
    await forced(stage, 'pause');
    assert.equal(stage.state.status, 'paused');
    assert.equal(stage.open('unknownEffect').state, 'pending');
    again();
    await stage.world.settle();
    assert.equal(stage.open('unknownEffect').state, 'pending');
  });

  it('the end of background commands: killed without the rest of their grace', async () => {
    const replies = [call('run_command', { command: 'stubborn', background: true }), { text: 'x' }, read];
    const stage = await Stage.open({ files, replies });
    const release = stage.world.files.stall('stat', 'x.txt');
    await stage.until('done', (s) => s.steps[0]?.outcome === 'done');
    const aborting = stage.core.abort();
    await stage.until('ending', (s) => s.inFlight?.kind === 'endBackground');
    const from = stage.world.clock.now();
    await stage.world.finish(stage.core.forceStop());
    assert.equal(stage.world.clock.now() - from, 0);
    await stage.world.finish(aborting);
    release();
  });

  it('a reconcile: what it still says does not end the next one', async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const stage = await Stage.open({ seed, files, replies: [read, slow('a')] });
      await stage.running(2);
      await stage.world.finish(stage.core.takeOver());
      const back = stage.core.handBack();
      await stage.until('reconciling', (s) => s.inFlight?.kind === 'reconcile');
      const pausing = stage.core.pause();
      await stage.world.go(2 + (seed % 4));
      const forcing = stage.core.forceStop();
      await stage.until('at rest', (s) => s.status === 'paused');
      const resuming = stage.core.resume();
      for (const one of [back, pausing, forcing, resuming]) await stage.world.finish<unknown>(one);
      for (; stage.waiting(); await stage.world.settle()) await stage.decide('worldChanged', 'continue');
      await stage.untilStatus('completed');
    }
  });

  for (const stop of ['pause', 'forceStop'] as const) {
    it(`unsaved text that is being discarded: what was not yet stays (${stop})`, async () => {
      const names = ['a.txt', 'b.txt', 'c.txt'];
      const stage = await Stage.open({
        files: Object.fromEntries(names.map((name) => [name, 'one\n'])),
        replies: [slow('a')],
      });
      const { buffers } = stage.world;
      await stage.running(1);
      await stage.world.finish(stage.core.pause());
      for (const name of names) buffers.type(name, () => ['typed', '']);
      await stage.world.finish(stage.core.resume());
      void stage.core.decide({ decisionId: stage.open('unsaved').id, choice: 'discard' });
      while (buffers.dirty().length === 3) assert.ok(await stage.world.turns.step());
      const pausing = stage.core.pause();
      const forcing = stop === 'forceStop' ? stage.core.forceStop() : undefined;
      await stage.world.finish(pausing);
      await stage.world.finish(Promise.resolve(forcing));
      await stage.world.settle();
      assert.equal(stage.state.status, 'paused');
      assert.deepEqual(buffers.dirty(), ['b.txt', 'c.txt']);
    });
  }

  it('a step that has not asked for its effect did nothing, and says so', async () => {
    const stage = await Stage.open({ files, replies: [read, edit] });
    await stage.until('read', (s) => s.steps[0]?.outcome === 'done');
    const release = stage.world.files.stall('stat', 'x.txt');
    await stage.until('planning', (s) => s.inFlight?.kind === 'step' && s.inFlight.stepId.endsWith('s2'));
    await stage.world.settle();
    await forced(stage, 'pause');
    assert.equal(stage.step(2).outcome, 'cancelledBeforeEffect');
    assert.deepEqual(stage.state.decisions, []);
    release();
    await stage.world.settle();
    assert.equal(stage.world.files.text('x.txt'), 'one\n');
  });

  it('a command that is being frozen is killed, and nothing says that it stands', async () => {
    for (let seed = 1; seed <= 80; seed += 1) {
      const stage = await Stage.open({ seed, replies: [slow('a')] });
      await stage.running(1);
      const stopping = stage.core.pause();
      await stage.until('stopping', (s) => s.status === 'stopping' || s.status === 'paused');
      if (stage.state.status === 'paused') continue;
      await stage.world.finish(Promise.all([stopping, stage.core.forceStop()]));
      if (stage.state.receipts.at(-1)?.forced !== true) continue;
      assert.equal(stage.step(1).outcome, 'unknown', `seed ${seed}`);
      assert.doesNotMatch(stage.state.receipts.at(-1)?.message ?? '', /frozen/);
      assert.deepEqual(stage.world.processes.living(), []);
    }
  });

  it('what was given up and answers late is not taken for its repeat', async () => {
    const stage = await Stage.open({ files, replies: [read, edit, { text: 'Done.' }] });
    const first = stage.world.files.stall('write', 'x.txt');
    await stage.until('writing', (s) => s.steps[1]?.effect === 'requested');
    await forced(stage, 'pause');
    const second = stage.world.files.stall('write', 'x.txt');
    await stage.decide('unknownEffect', 'runAgain');
    void stage.core.resume();
    await stage.until('again', (s) => s.steps[1]?.effect === 'requested');
    first();
    await stage.world.settle();
    assert.equal(stage.step(2).outcome, 'running');
    assert.equal(stage.world.files.text('x.txt'), 'uno\n');
    second();
    await stage.untilStatus('completed');
  });
});

describe('what cuts the first look off: a pause, the end of the host', function () {
  this.timeout(30_000);
  for (const cut of ['pause', 'end'] as const)
    it(`keeps no file that a playbook names from being read: ${cut}`, async () => {
      for (let turns = 0; turns < 12; turns += 1) {
        const info = { fixed: true, files: ['a.txt', 'b.txt', 'x.txt'] };
        const stage = await Stage.open({
          files: { ...files, 'a.txt': 'a\n', 'b.txt': 'b\n' },
          info,
          replies: [write],
        });
        await stage.world.go(turns);
        if (cut === 'pause') await stage.world.finish(stage.core.pause());
        else await stage.restart();
        await stage.world.finish(stage.core.resume());
        await stage.until('over', (s) => s.status === 'completed' || s.status === 'paused');
        assert.equal(stage.world.files.text('x.txt'), 'uno\n', `after ${turns} turns`);
      }
    });
});
