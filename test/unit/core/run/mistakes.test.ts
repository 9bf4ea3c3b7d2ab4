/** A fault of ours in what the human asks for beside the run: it is said, it ends nothing else, and can be asked again. */
import assert from 'node:assert/strict';
import { pendingDecisions } from '../../../../src/core/run/update';
import { call, Stage } from './stage';

const UNDO = { tool: 'run_command', args: { command: 'echo undone >> log.txt' } };
const MADE = { calls: [{ tool: 'run_command', args: { command: 'echo made >> log.txt' }, undo: UNDO }] };

/** Step 3 is a write that a force stop gave up: what it did is not known, and asked. */
async function unknown(): Promise<Stage> {
  const stage = await Stage.open({
    files: { 'x.txt': 'one\n' },
    settings: { approvals: 'auto' },
    replies: [
      MADE,
      call('read_file', { path: 'x.txt' }),
      call('edit_file', { path: 'x.txt', old_text: 'one', new_text: 'uno' }),
    ],
  });
  const { world, core } = stage;
  const written = world.files.stall('write', 'x.txt');
  await stage.until('writing', (s) => s.steps[2]?.effect === 'requested');
  const pause = core.pause();
  await stage.untilStatus('stopping');
  await world.finish(core.forceStop());
  await world.finish(pause);
  written();
  await world.settle();
  return stage;
}

/** What looks at a file throws as nothing of ours should. */
function breakStat(stage: Stage): () => void {
  const { files } = stage.world;
  const stat = files.stat.bind(files);
  files.stat = () => Promise.reject(new TypeError('no such property'));
  return () => (files.stat = stat);
}

describe('a fault inside a check', () => {
  for (const over of [false, true])
    it(`of a run that ${over ? 'is over' : 'is paused'}: the question stays open, says why, and is answered by the next`, async () => {
      const stage = await unknown();
      if (over) await stage.world.finish(stage.core.abort());
      const status = over ? 'aborted' : 'paused';
      const mend = breakStat(stage);
      await stage.decide('unknownEffect', 'check');
      await stage.until('over', (s) => s.inFlight === null);
      assert.equal(stage.state.status, status);
      assert.match(
        stage.open('unknownEffect').detail,
        /could not be made: Holdfast made a mistake \(no such property\)/,
      );
      mend();
      await stage.decide('unknownEffect', 'check');
      await stage.until('over', (s) => s.inFlight === null);
      assert.deepEqual(pendingDecisions(stage.state), []);
      assert.equal(stage.state.status, status);
      assert.equal(stage.step(3).outcome, 'done');
    });

  it('beside an undo that waits for its approval: the undo is still asked, and done', async () => {
    const stage = await unknown();
    const { world, core } = stage;
    world.settings.approvals = 'ask';
    await world.finish(core.compensate({ stepId: stage.step(1).id }));
    const mend = breakStat(stage);
    await stage.decide('unknownEffect', 'check');
    await stage.until('over', (s) => s.inFlight === null);
    mend();
    assert.notEqual(stage.state.status, 'failed');
    await stage.decide('approval', 'grant');
    await stage.until('undone', (s) => s.steps[3]?.outcome === 'done');
    assert.equal(world.files.text('log.txt'), 'made\nundone\n');
    assert.deepEqual(
      stage.state.receipts.map((r) => r.intent),
      ['pause', 'compensate'],
    );
  });
});
