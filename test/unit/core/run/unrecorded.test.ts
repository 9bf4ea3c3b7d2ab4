/** A command has ended and what it changed cannot be stored: it is told all the same, and nothing waits for it. */
import assert from 'node:assert/strict';
import { call, MADE, Stage } from './stage';

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
        world.store.fail('blob', 0);
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
      world.store.fail('blob', 0);
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
    world.store.fail('blob', 0);
    await goesOn(stage);
  });
});
