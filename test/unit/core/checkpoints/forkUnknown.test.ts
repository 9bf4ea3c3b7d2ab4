import assert from 'node:assert/strict';
import type { RunState } from '../../../../src/core/run/state';
import { pendingDecisions } from '../../../../src/core/run/update';
import { call, MADE, Stage, unknownWrite } from '../run/stage';

describe('a fork at a step whose effect is unknown', function () {
  this.timeout(30_000);

  const resultsOf = (s: RunState, id: string): string[] =>
    s.transcript.flatMap((entry) => (entry.kind === 'result' && entry.stepId === id ? [entry.text] : []));

  for (const end of ['paused', 'aborted'] as const)
    for (const choice of ['happened', 'didNotHappen', 'check', 'runAgain'] as const)
      it(`of a run that is ${end} asks what it did, and "${choice}" gives the call its one result`, async () => {
        const stage = await unknownWrite();
        const { world, core } = stage;
        const source = stage.state.runId;
        if (end === 'aborted') await world.finish(core.abort());
        const answer = await world.finish(core.forkRun({ runId: source, checkpoint: 3 }));
        assert.ok('runId' in answer);
        const { runId } = answer;
        if (end === 'paused') await world.finish(core.abort({ runId: source }));
        const fork = (): RunState => core.get(runId) as RunState;
        const id = `${runId}/s3`;
        const [open] = pendingDecisions(fork());
        assert.deepEqual([open?.kind, open?.stepId, open?.id], ['unknownEffect', id, `${runId}/d1`]);
        assert.equal(fork().status, 'paused');
        assert.deepEqual(resultsOf(fork(), id), []);

        await world.finish(core.resume({ runId }));
        assert.equal(fork().status, 'needsHuman');
        await world.finish(core.decide({ decisionId: open?.id ?? '', choice }));
        await world.settle();
        assert.equal(fork().status, 'completed');
        assert.equal(resultsOf(fork(), id).length, 1);
        assert.equal(pendingDecisions(fork()).length, 0);
      });

  it('that is aborted unanswered says so once', async () => {
    const stage = await unknownWrite();
    const { world, core } = stage;
    const answer = await world.finish(core.forkRun({ runId: stage.state.runId, checkpoint: 3 }));
    assert.ok('runId' in answer);
    await world.finish(core.abort({ runId: answer.runId }));
    const fork = core.get(answer.runId) as RunState;
    assert.match(resultsOf(fork, `${answer.runId}/s3`).join('|'), /^unknown: [^|]*$/);
    assert.equal(pendingDecisions(fork)[0]?.kind, 'unknownEffect');
  });
});

describe('a step undone in another run', function () {
  this.timeout(30_000);

  const read = call('read_file', { path: 'x.txt' });

  it('is told to a fork of that run, and to the fork of the fork, truly', async () => {
    const stage = await Stage.open({
      files: { 'x.txt': 'x' },
      settings: { approvals: 'auto' },
      replies: [MADE, read, { text: 'Done.' }, read, { text: 'Done.' }],
    });
    const { world, core } = stage;
    await stage.untilStatus('completed');
    await world.finish(core.compensate({ stepId: stage.step(1).id }));
    const undo = stage.state.steps.at(-1)?.n;
    const fork = async (of: string, checkpoint: number): Promise<RunState> => {
      const answer = await world.finish(core.forkRun({ runId: of, checkpoint }));
      assert.ok('runId' in answer);
      return core.get(answer.runId) as RunState;
    };
    const told = (s: RunState): string[] =>
      s.transcript.flatMap((e) => (e.kind === 'report' && e.text.includes('was undone') ? [e.text] : []));
    const words = (whose: string): RegExp =>
      new RegExp(
        `^Step 1 .* was undone by step ${undo} \\(run_command\\) of ${whose}: its effect is not there any more\\.$`,
      );
    const parent = /the run that this one was forked from/.source;
    const older = /an earlier run that this one goes back to/.source;

    const child = await fork(stage.state.runId, 2);
    assert.equal(told(child).length, 1);
    assert.match(told(child)[0] ?? '', words(parent));
    // Goes on, so that what it was told lies before a boundary of its own.
    await world.finish(core.resume({ runId: child.runId }));
    await world.settle();
    const last = core.get(child.runId)?.steps.length ?? 0;
    for (const at of [2, last]) {
      const grandchild = await fork(child.runId, at);
      assert.equal(told(grandchild).length, 1, String(at));
      assert.match(told(grandchild)[0] ?? '', words(older));
      const again = await world.finish(core.compensate({ runId: grandchild.runId, stepId: `${grandchild.runId}/s1` }));
      assert.ok('refused' in again && again.message.includes(older), JSON.stringify(again));
    }
    assert.ok(last > 2);
  });
});
