/** A fault of ours in what the human asks for beside the run: it is said, it ends nothing else, and can be asked again. */
import assert from 'node:assert/strict';
import { pendingDecisions } from '../../../../src/core/run/update';
import { type Stage, unknownWrite } from './stage';

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
      const stage = await unknownWrite();
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
    const stage = await unknownWrite();
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
