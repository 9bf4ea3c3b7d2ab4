/** Undoing a step beside something else that is in flight: a stop settles, and an answer given meanwhile is not lost. */
import assert from 'node:assert/strict';
import { forkOf } from '../../../../src/core/checkpoints/fork';
import { compensable } from '../../../../src/core/run/compensable';
import { pendingDecisions } from '../../../../src/core/run/update';
import { runState, step } from '../../ui/states';
import { call, MADE, Stage, UNDO, unknownWrite } from './stage';

/** Paused with an unknown effect (a write that a force stop gave up), an undo of step 1 that asks, and a check that looks. */
async function checking(): Promise<{ stage: Stage; approval: string; looked: () => void }> {
  const stage = await unknownWrite();
  const { world, core } = stage;
  world.settings.approvals = 'ask';
  await world.finish(core.compensate({ stepId: stage.step(1).id }));
  const looked = world.files.stall('stat', 'x.txt');
  const approval = stage.open('approval').id;
  void core.decide({ decisionId: stage.open('unknownEffect').id, choice: 'check' });
  await stage.until('checking', (s) => s.inFlight?.kind === 'check');
  return { stage, approval, looked };
}

describe('an undo that waits beside a check', () => {
  for (const forced of [false, true])
    it(`an abort withdraws it${forced ? ', and Force Stop gives up the check' : ''}: nothing is undone after the stop`, async () => {
      const { stage, approval, looked } = await checking();
      const { world, core } = stage;
      const abort = core.abort();
      await world.settle();
      assert.equal(stage.state.compensating, null);
      assert.equal(stage.state.status, 'stopping');
      if (forced) assert.ok(!('refused' in (await world.finish(core.forceStop()))));
      else looked();
      const receipt = await world.finish(abort);
      assert.ok('intent' in receipt && receipt.intent === 'abort', JSON.stringify(receipt));
      looked();
      await world.settle();
      const late = await world.finish(core.decide({ decisionId: approval, choice: 'grant' }));
      assert.ok('refused' in late);
      assert.equal(stage.state.status, 'aborted');
      assert.equal(stage.step(4).outcome, 'cancelledBeforeEffect');
      assert.deepEqual(
        stage.state.receipts.map((r) => r.intent),
        ['pause', 'compensate', 'abort'],
      );
      assert.equal(world.files.text('log.txt'), 'made\n');
    });

  it('starts when the check has ended, where it was granted meanwhile', async () => {
    const { stage, approval, looked } = await checking();
    await stage.world.finish(stage.core.decide({ decisionId: approval, choice: 'grant' }));
    assert.equal(stage.world.files.text('log.txt'), 'made\n');
    looked();
    await stage.until('undone', (s) => s.steps[3]?.outcome === 'done');
    assert.equal(stage.world.files.text('log.txt'), 'made\nundone\n');
    assert.equal(stage.state.compensating, null);
    assert.equal(stage.state.status, 'paused');
    assert.deepEqual(pendingDecisions(stage.state), []);
  });
});

it('an undo asked for while something of the run at rest is looked up is refused with just that', async () => {
  const stage = await unknownWrite();
  const { world, core } = stage;
  const looked = world.files.stall('stat', 'x.txt');
  void core.decide({ decisionId: stage.open('unknownEffect').id, choice: 'check' });
  await stage.until('checking', (s) => s.inFlight?.kind === 'check');
  const refused = await world.finish(core.compensate());
  assert.ok('refused' in refused && refused.code === 'busy');
  assert.equal(refused.message, 'What a step did is just being looked up. Undo when that is done.');
  looked();
  await world.settle();
  assert.ok(!('refused' in (await world.finish(core.compensate()))));
});

it('no other run begins while a step of one that is over is undone, and the refusal names that, not a run to abort', async () => {
  const stage = await Stage.open({
    settings: { approvals: 'auto' },
    replies: [MADE, { text: 'Done.' }, { text: 'Done.' }],
  });
  const { world, core } = stage;
  await stage.untilStatus('completed');
  world.settings.approvals = 'ask';
  await world.finish(core.compensate({ stepId: stage.step(1).id }));
  const approval = stage.open('approval').id;
  const refused = await world.finish(core.startRun({ goal: 'more' }));
  assert.ok('refused' in refused && refused.code === 'busy', JSON.stringify(refused));
  assert.match(refused.message, /A step of another run \("work"\) is being undone\. Wait for its receipt, or answer/);
  assert.doesNotMatch(refused.message, /abort/i);
  await world.finish(core.decide({ decisionId: approval, choice: 'grant' }));
  await stage.until('undone', (s) => s.steps[1]?.outcome === 'done');
  assert.equal(world.files.text('log.txt'), 'made\nundone\n');
  assert.ok('runId' in (await world.finish(core.startRun({ goal: 'more' }))));
});

describe('a fork of a run in which a step was undone', () => {
  const forkAt = async (stage: Stage, runId: string, checkpoint: number): Promise<string> => {
    const fork = await stage.world.finish(stage.core.forkRun({ runId, checkpoint }));
    assert.ok('runId' in fork);
    return fork.runId;
  };

  for (const checkpoint of [1, 2])
    it(`at ${checkpoint}, before the undo: it knows, does not undo again, and its model is told once`, async () => {
      const stage = await Stage.open({
        files: { 'x.txt': 'x' },
        settings: { approvals: 'auto' },
        replies: [MADE, call('read_file', { path: 'x.txt' }), { text: 'Done.' }, { text: 'Done.' }, { text: 'Done.' }],
      });
      const { world, core } = stage;
      await stage.untilStatus('completed');
      await world.finish(core.compensate({ stepId: stage.step(1).id }));
      assert.equal(world.files.text('log.txt'), 'made\nundone\n');
      const first = await forkAt(stage, stage.state.runId, checkpoint);
      for (const runId of [first, await forkAt(stage, first, 1)]) {
        assert.deepEqual(core.get(runId)?.steps[0]?.undone, {
          ...{ runId: stage.state.runId, n: 3, tool: 'run_command', known: true },
        });
        const named = await world.finish(core.compensate({ stepId: `${runId}/s1` }));
        const whose =
          runId === first ? 'the run that this one was forked from' : 'an earlier run that this one goes back to';
        assert.ok('message' in named && named.message.includes(`was undone by step 3 (run_command) of ${whose}`));
        assert.ok('refused' in (await world.finish(core.compensate({ runId }))));
        assert.equal(world.files.text('log.txt'), 'made\nundone\n');
        await world.finish(core.resume({ runId }));
        await stage.until('the fork is over', () => core.get(runId)?.status === 'completed');
        assert.equal(stage.lastRequest().split('was undone by step 3').length, 2);
      }
    });

  it('whose undo failed offers it still; what an unknown one did is called unknown', () => {
    const undone = (outcome: 'failed' | 'unknown' | 'done'): ReturnType<typeof forkOf> =>
      forkOf(
        runState({
          status: 'aborted',
          steps: [
            step(1, { effect: 'committed', undo: UNDO }),
            step(2),
            step(3, { compensates: 'run1/s1', outcome, tool: 'run_command' }),
          ],
        }),
        2,
        'run2',
        9,
      );
    assert.deepEqual(
      (['failed', 'unknown', 'done'] as const).map((outcome) => compensable(undone(outcome)).length),
      [1, 0, 0],
    );
    const told = undone('unknown').transcript.at(-1);
    assert.ok(told?.kind === 'report' && told.text.includes('may have been undone'), JSON.stringify(told));
  });
});
