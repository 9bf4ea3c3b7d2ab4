/** A command has ended and what it changed cannot be stored: it is told all the same, and nothing waits for it. */
import assert from 'node:assert/strict';
import { call, MADE, overLine, Stage } from './stage';

const STANDS = call('run_command', { command: 'sleep 100; echo CMD > z.txt; sleep 5000' });
const working = async (): Promise<Stage> => {
  const replies = [call('read_file', { path: 'a.txt' }), STANDS];
  const stage = await Stage.open({ tree: true, files: { 'a.txt': 'one\n' }, replies });
  await stage.running(2);
  await stage.until('wrote', () => stage.world.files.text('z.txt') !== undefined);
  return stage;
};
const told = (stage: Stage): void => {
  const { outcome, id, text: kept } = stage.step(2);
  const results = stage.state.transcript
    .flatMap((e) => (e.kind === 'result' && e.stepId === id ? [e.text] : []))
    .join();
  assert.ok(outcome === 'unknown' || outcome === 'failed' || outcome === 'done', outcome);
  // What is still asked about is not told the model yet.
  assert.match(`${kept} ${results}`, /What it changed could not be recorded \(.+\)\./);
  assert.equal(stage.state.frozen, null);
  assert.deepEqual(stage.world.processes.living(), []);
};
/** The disk has room again: nothing is left that hangs. */
const goesOn = async (stage: Stage): Promise<void> => {
  const { core, world } = stage;
  if (stage.state.status === 'paused') await world.finish(core.resume());
  if (stage.state.status === 'humanControl') await world.finish(core.handBack());
  await world.settle();
  if (stage.state.status === 'needsHuman') await world.finish(core.pause());
  if (stage.state.status !== 'completed') await world.finish(core.abort());
  assert.ok(['aborted', 'completed'].includes(stage.state.status), stage.state.status);
};

describe('what a command changed cannot be stored', function () {
  this.timeout(30_000);

  for (const how of ['kill', 'outside', 'abort'] as const)
    for (const control of ['paused', 'humanControl'] as const)
      it(`${how}, of one that is frozen (${control})`, async () => {
        const stage = await working();
        const { core, world } = stage;
        await world.finish(control === 'paused' ? core.pause() : core.takeOver());
        world.store.fail('blob', 1e6);
        if (how === 'kill') await world.finish(core.killCommand());
        if (how === 'abort') await world.finish(core.abort());
        if (how === 'outside') world.processes.killFromOutside(stage.step(2).id);
        await world.settle();
        told(stage);
        assert.equal(stage.state.status, how === 'abort' ? 'aborted' : control);
        world.store.heal();
        if (how !== 'abort') await goesOn(stage);
      });

  for (const how of ['by itself', 'pause', 'kill', 'abort'] as const)
    it(`${how}, of one that runs`, async () => {
      const stage = await working();
      const { core, world } = stage;
      world.store.fail('blob', 1e6);
      if (how === 'by itself') await stage.until('ended', (s) => s.steps[1]?.outcome !== 'running');
      if (how === 'pause') {
        stage.world.settings.pauseCommands = 'end';
        await world.finish(core.pause());
      }
      if (how === 'kill') await world.finish(core.killCommand());
      if (how === 'abort') await world.finish(core.abort());
      await world.settle();
      told(stage);
      if (how === 'abort') assert.equal(stage.state.status, 'aborted');
      else assert.equal(stage.state.status, 'paused');
      world.store.heal();
      if (how !== 'abort') await goesOn(stage);
    });

  it('of one that undoes a step', async () => {
    const stage = await Stage.open({ tree: true, files: {}, settings: { approvals: 'auto' }, replies: [MADE, STANDS] });
    const { core, world } = stage;
    await stage.running(2);
    await world.finish(core.pause());
    const undoing = core.compensate({ stepId: stage.step(1).id });
    world.store.fail('blob', 1e6);
    await world.finish(undoing);
    await world.settle();
    assert.equal(stage.state.compensating ?? null, null);
    world.store.heal();
    await goesOn(stage);
  });

  for (const how of ['by itself', 'kill', 'abort'] as const)
    it(`${how}, and it went over a line of the human: they are asked all the same`, async () => {
      const line = how === 'abort' ? 'trap echo CMD > a.txt; sleep 5000' : 'sleep 1000; echo CMD > a.txt; sleep 3000';
      const stage = await overLine(line);
      const { core, world } = stage;
      if (how !== 'abort') await stage.until('written', () => world.files.text('a.txt') === 'CMD\n');
      world.store.fail('blob', 1e6);
      if (how === 'kill') await world.finish(core.killCommand());
      if (how === 'abort') await world.finish(core.abort());
      await stage.until('rests', (s) => s.inFlight === null && s.status !== 'running');
      world.store.heal();
      assert.match(stage.open('conflict').detail, /Yours is kept; the command's is on disk only/);
      await stage.decide('conflict', 'mine');
      await world.settle();
      assert.equal(world.files.text('a.txt'), 'one\nHUMAN\n');
    });
});

describe('a file does not answer once a command has ended', function () {
  this.timeout(30_000);

  for (const when of ['running', 'frozen'] as const)
    it(`a forced stop settles (${when})`, async () => {
      const stage = await overLine('sleep 60000');
      const { world, core } = stage;
      if (when === 'frozen') await world.finish(core.pause());
      world.files.stall('stat', 'a.txt');
      const abort = core.abort();
      await world.settle();
      assert.equal(stage.state.status, 'stopping');
      await world.finish(core.forceStop());
      await world.finish(abort);
      assert.deepEqual([stage.state.status, world.processes.living()], ['aborted', []]);
      assert.deepEqual([stage.step(2).outcome, stage.step(2).effect], ['unknown', 'unknown']);
    });
});

describe('a command puts something else in the place of a file with lines of the human', function () {
  this.timeout(30_000);

  const folderThere = async (): Promise<Stage> => {
    const stage = await overLine('sleep 1000; echo CMD > z.txt; sleep 10');
    const { files } = stage.world;
    await stage.until('written', () => files.text('z.txt') === 'CMD\n');
    files.delete('a.txt');
    files.put('a.txt/x', 'CMD\n');
    await stage.untilStatus('needsHuman');
    return stage;
  };

  it('a folder: they are asked, and have theirs back once it is moved away', async () => {
    const stage = await folderThere();
    const { world } = stage;
    assert.match(
      stage.open('conflict').title,
      /^A command put something else in the place of a\.txt, which you wrote in$/,
    );
    await stage.decide('conflict', 'mine');
    await world.settle();
    assert.match(stage.open('conflict').detail, /^What stands at a\.txt now is no file of its own/);
    world.files.delete('a.txt/x');
    await stage.decide('conflict', 'mine');
    await world.settle();
    assert.equal(world.files.text('a.txt'), 'one\nHUMAN\n');
  });

  it('a folder: they may leave it', async () => {
    const stage = await folderThere();
    await stage.decide('conflict', 'agent');
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('a.txt/x'), 'CMD\n');
  });
});
