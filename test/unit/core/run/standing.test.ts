import assert from 'node:assert/strict';
import { stateLine } from '../../../../src/ui/render/stateLine';
import { lastStop } from '../../../../src/core/run/stops';
import { slow, Stage } from './stage';

/** A command in the background, and one in flight. */
const open = async (): Promise<Stage> => {
  const serve = { tool: 'run_command', args: { command: 'serve', background: true } };
  const stage = await Stage.open({
    files: {},
    settings: { approvals: 'auto' },
    replies: [{ calls: [serve] }, slow('x'), { text: 'Done.' }, { text: 'Done.' }],
  });
  await stage.running(2);
  return stage;
};

const line = (stage: Stage): string => stateLine(stage.state, stage.state.updatedAt).text;

describe('how a run stands is told as of now', function () {
  this.timeout(30_000);

  for (const how of ['paused', 'running', 'taken over'] as const)
    it(`after the host died while it was ${how}: nothing that died is said to live, and the model learns of it`, async () => {
      const stage = await open();
      const { world } = stage;
      if (how === 'paused') await world.finish(stage.core.pause());
      if (how === 'taken over') await world.finish(stage.core.takeOver());
      if (how !== 'running') assert.match(line(stage), /is frozen.*In the background: "Run serve"/is);
      const before = lastStop(stage.state)?.message;
      await stage.restart();
      assert.doesNotMatch(line(stage), /frozen|In the background/);
      if (how === 'paused') {
        assert.match(line(stage), /^Paused: step 2 .* had been requested and what it did is unknown/);
        assert.equal(lastStop(stage.state)?.message, before, 'the receipt stays true of its moment');
      }
      await stage.decide('unknownEffect', 'happened');
      await world.finish(how === 'taken over' ? stage.core.handBack() : stage.core.resume());
      await stage.untilStatus('completed');
      assert.match(stage.lastRequest(), /the background command of step 1 \(Run serve\): it no longer runs/);
      assert.equal(stage.lastRequest().split('it no longer runs').length, 2, 'once');
    });

  for (const which of ['background', 'frozen'] as const)
    it(`after Kill This Command of the ${which} one on a paused run`, async () => {
      const stage = await open();
      const { world, core } = stage;
      await world.finish(core.pause());
      const [serve, cut] = [stage.step(1).id, stage.step(2).id];
      await world.finish(core.killCommand({ stepId: which === 'background' ? serve : cut }));
      await world.settle();
      if (which === 'background') assert.match(line(stage), /is frozen in the middle, after 1 finished step\.$/);
      else
        assert.match(
          line(stage),
          /^Paused at a boundary after 2 steps\. In the background: "Run serve" \(process \d+\)\.$/,
        );
    });

  it('what still lives is named wherever it stands still: after an answer, and while you have control', async () => {
    const stage = await open();
    const { world, core } = stage;
    await world.finish(core.takeOver());
    assert.match(line(stage), /^You have control.*is frozen\. In the background: "Run serve" \(process \d+\)\./);
  });
});
