import assert from 'node:assert/strict';
import { call, Stage } from './stage';

const files = { 'x.txt': 'one\ntwo\n' };
const read = call('read_file', { path: 'x.txt' });

describe('who is told of a run', function () {
  this.timeout(30_000);
  it('finds a new run, and a fork that stands paused, as the current one', async () => {
    const stage = await Stage.open({ files, replies: [read] });
    await stage.untilStatus('completed');
    const told: unknown[] = [];
    stage.core.onDidChange((state) => told.push([state.runId, stage.core.current()?.runId]));
    const fork = await stage.world.finish(stage.core.forkRun({}));
    assert.ok('runId' in fork);
    assert.deepEqual(told, [[fork.runId, fork.runId]]);
    await stage.world.finish(stage.core.abort({ runId: fork.runId }));
    told.length = 0;
    const run = await stage.world.finish(stage.core.startRun({ goal: 'again' }));
    assert.ok('runId' in run);
    assert.deepEqual(told[0], [run.runId, run.runId]);
  });
});
