import assert from 'node:assert/strict';
import { ListBrain } from '../../../sim/model';
import { SimWorld } from '../../../sim/world';

describe('the first look at a workspace', () => {
  it('cut off by a kill, it is made again, and no news of the repository is told', async () => {
    let cut = 0;
    for (let turns = 1; turns < 40; turns += 1) {
      const world = new SimWorld({ seed: turns, brain: new ListBrain([]) });
      world.git = { branch: 'main', head: 'a'.repeat(40), operation: null };
      const first = await world.open();
      void first.startRun({ goal: 'work' }).catch(() => undefined);
      await world.go(turns);
      await world.crash();
      const core = await world.open();
      const [run] = core.runs();
      const found = run && (await world.finish(core.load(run.runId)));
      if (found?.unprepared === undefined) continue;
      cut += 1;
      const resumed = await world.finish(core.resume());
      assert.ok(!('refused' in resumed));
      assert.deepEqual([resumed.waitsFor, resumed.reconcile?.git], [[], undefined], `after ${turns} turns`);
      const state = await world.finish(core.settled(found.runId));
      assert.deepEqual([state.status, state.git], ['completed', world.git]);
    }
    assert.ok(cut > 3, `${cut} cut off`);
  });
});
