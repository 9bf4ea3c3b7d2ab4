/** The host dies while a command runs: what it went over of the human's is asked about once the run goes on. */
import assert from 'node:assert/strict';
import { pendingDecisions } from '../../../../src/core/run/update';
import { call, overLine, Stage } from '../run/stage';

const CMD = 'sleep 1000; echo CMD > a.txt; sleep 60000';
/** The human has written a line, a command runs, and the host dies; `wrote`: after the command has gone over it. */
async function died(seed: number, wrote = true): Promise<Stage> {
  const stage = await overLine(CMD, seed);
  const { world } = stage;
  if (wrote) await stage.until('the command has written', () => world.files.text('a.txt') === 'CMD\n');
  world.clock.advance(100);
  await stage.restart();
  return stage;
}
async function goesOn(stage: Stage): Promise<void> {
  await stage.world.finish(stage.core.resume());
  if (pendingDecisions(stage.state)[0]?.kind === 'unknownEffect') await stage.decide('unknownEffect', 'happened');
  await stage.until('rests', (s) => stage.waiting() || s.status === 'completed');
}
const text = (stage: Stage): string | undefined => stage.world.files.text('a.txt');

describe('a command that the end of its host cut off', function () {
  this.timeout(30_000);

  it('may have gone over lines of the human: they are asked once, and have them back', async () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const stage = await died(seed);
      await goesOn(stage);
      const { title, path, stepId } = stage.open('conflict');
      assert.equal(title, 'A command that was cut off may have changed or deleted lines you wrote in a.txt');
      assert.deepEqual([path, stepId], ['a.txt', stage.step(2).id]);
      await stage.decide('conflict', 'mine');
      await stage.untilStatus('completed');
      assert.equal(text(stage), 'one\nHUMAN\n');
      assert.equal(stage.state.decisions.filter((d) => d.kind === 'conflict').length, 1);
    }
  });

  it('the question outlives a pause and another death, and is not asked again once answered', async () => {
    const stage = await died(1);
    await goesOn(stage);
    const { id } = stage.open('conflict');
    await stage.world.finish(stage.core.pause());
    await stage.restart();
    assert.equal(stage.open('conflict').id, id);
    await stage.world.finish(stage.core.resume());
    await stage.decide('conflict', 'agent');
    await stage.untilStatus('completed');
    assert.equal(text(stage), 'CMD\n');
    assert.equal(stage.state.decisions.filter((d) => d.kind === 'conflict').length, 1);
  });

  for (const where of ['there', 'under their unsaved text'])
    it(`what it made is stored before the human puts theirs over it (${where})`, async () => {
      const stage = await died(1);
      const { world } = stage;
      if (where !== 'there') world.buffers.type('a.txt', () => ['unsaved', '']);
      await goesOn(stage);
      await stage.until('asked', (s) => s.status === 'needsHuman');
      assert.match(stage.open('conflict').detail, /Both versions are kept\./);
      const made = await world.finish(world.store.blobs.get(world.ports().hash(Buffer.from('CMD\n'))));
      assert.equal(Buffer.from(made ?? []).toString(), 'CMD\n');
    });

  it('that is to run again is asked about all the same, before it does', async () => {
    const stage = await died(1);
    await stage.world.finish(stage.core.resume());
    await stage.decide('unknownEffect', 'runAgain');
    await stage.until('rests', () => stage.waiting());
    assert.match(stage.open('conflict').title, /was cut off may have changed or deleted lines/);
    await stage.decide('conflict', 'mine');
    await stage.until('runs again', (s) => s.steps[1]?.effect === 'requested');
    assert.equal(text(stage), 'one\nHUMAN\n');
  });

  it('what the human changed when it was dead is theirs, and not asked about', async () => {
    const stage = await died(1, false);
    stage.world.clock.advance(1000);
    stage.world.files.put('a.txt', 'one\nOTHERS\n');
    stage.world.clock.advance(1000);
    await goesOn(stage);
    assert.equal(stage.state.status, 'completed');
    assert.equal(text(stage), 'one\nOTHERS\n');
  });

  it('may have gone over a file the run never read, which the human changed or made while it stood', async () => {
    const asked: string[] = [];
    for (let seed = 1; seed <= 30; seed += 1) {
      const line = 'sleep 5000; echo CMD > b.txt; echo CMD > new.txt; sleep 60000';
      const replies = [call('read_file', { path: 'a.txt' }), call('run_command', { command: line })];
      const stage = await Stage.open({ tree: true, seed, files: { 'a.txt': 'one\n', 'b.txt': 'b\n' }, replies });
      const { world, core } = stage;
      await stage.running(2);
      world.clock.advance(100);
      await world.finish(core.pause());
      world.clock.advance(1000);
      world.files.put('b.txt', 'HUMAN B\n');
      world.files.put('new.txt', 'HUMAN NEW\n');
      world.clock.advance(1000);
      await world.finish(core.resume());
      await stage.decide('worldChanged', 'continue');
      await stage.until('it goes on', (s) => s.inFlight?.kind === 'step');
      if (seed % 3 === 0) await stage.until('it has written', () => world.files.text('new.txt') === 'CMD\n');
      else for (let n = 0; n < seed; n += 1) await world.turns.step();
      await stage.restart();
      await goesOn(stage);
      for (const path of ['b.txt', 'new.txt']) {
        const human = `HUMAN ${path === 'b.txt' ? 'B' : 'NEW'}\n`;
        const open = pendingDecisions(stage.state).find((d) => d.kind === 'conflict' && d.path === path);
        if (world.files.text(path) !== human) {
          assert.ok(open, `seed ${seed}: nobody asks about ${path}`);
          const kept = await world.finish(world.store.blobs.get(open.change?.before ?? ''));
          assert.equal(new TextDecoder().decode(kept), human, `seed ${seed}`);
          asked.push(path);
        } else assert.equal(open, undefined, `seed ${seed}: ${path} is as the human left it`);
      }
    }
    assert.ok(asked.includes('b.txt') && asked.includes('new.txt'));
  });

  it('is asked about though it is run again, though the run is aborted, and of an undo in a run that is over', async () => {
    const again = await died(1);
    await again.decide('unknownEffect', 'runAgain');
    assert.equal(again.open('conflict').path, 'a.txt');
    const aborted = await died(1);
    await aborted.world.finish(aborted.core.abort());
    assert.equal(aborted.open('conflict').path, 'a.txt');
    await aborted.decide('conflict', 'mine');
    await aborted.world.settle();
    assert.equal(text(aborted), 'one\nHUMAN\n');
  });
});
