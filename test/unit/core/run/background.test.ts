import assert from 'node:assert/strict';
import { call, slow, Stage } from './stage';

const server = { tool: 'run_command', args: { command: 'serve', background: true } };
const living = (stage: Stage): string[] => stage.world.processes.living().map((p) => p.marker);

describe('a background command of a run that is over', function () {
  this.timeout(30_000);

  const over = async (command = 'serve'): Promise<Stage> => {
    const stage = await Stage.open({ replies: [{ calls: [{ ...server, args: { command, background: true } }] }] });
    await stage.untilStatus('completed');
    assert.deepEqual(living(stage), [stage.step(1).id]);
    return stage;
  };

  it('is ended by Kill This Command', async () => {
    const stage = await over();
    const answer = await stage.world.finish(stage.core.killCommand());
    assert.ok('outcome' in answer);
    assert.deepEqual(living(stage), []);
    assert.deepEqual(stage.state.background, []);
    assert.equal(stage.state.status, 'completed');
  });

  it('is ended by an abort, which says so and changes nothing else', async () => {
    for (const command of ['serve', 'stubborn']) {
      const stage = await over(command);
      const answer = await stage.world.finish(stage.core.abort());
      assert.ok('refused' in answer);
      assert.match(answer.message, /already completed/);
      assert.match(answer.message, /ended/);
      assert.deepEqual(living(stage), []);
      assert.deepEqual(stage.state.background, []);
      assert.equal(stage.state.status, 'completed');
      assert.deepEqual(stage.state.receipts, []);
      const again = await stage.world.finish(stage.core.abort());
      assert.ok('refused' in again);
      assert.doesNotMatch(again.message, /ended/);
    }
  });

  it('is ended with its host', async () => {
    const stage = await over();
    await stage.world.finish(stage.core.dispose());
    assert.deepEqual(living(stage), []);
  });
});

describe('a background command that the human ends', function () {
  this.timeout(30_000);
  it('is told to the model, whoever notices its end first', async () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const stage = await Stage.open({ seed, replies: [{ calls: [server] }, slow('a')] });
      await stage.running(2);
      await stage.world.finish(stage.core.killCommand({ stepId: stage.step(1).id }));
      await stage.untilStatus('completed');
      const told = stage.lastRequest().split('The developer ended the background command of step 1').length - 1;
      assert.equal(told, 1, `seed ${seed}`);
    }
  });

  it('lives on without its shell until the last of it is gone', async () => {
    const stage = await Stage.open({ replies: [{ calls: [server] }, slow('a'), slow('b')] });
    await stage.running(2);
    stage.world.processes.leaveBehind(stage.step(1).id);
    await stage.running(3);
    assert.deepEqual(stage.state.background, [stage.step(1).id]);
    stage.world.processes.killFromOutside(stage.step(1).id);
    await stage.untilStatus('completed');
    await stage.world.settle();
    assert.deepEqual(stage.state.background, []);
  });
});

describe('a command that nothing can end', function () {
  this.timeout(30_000);
  for (const [stop, status] of [
    ['pause', 'paused'],
    ['takeOver', 'humanControl'],
    ['abort', 'aborted'],
  ] as const)
    it(`${stop}, with force where it is wanted: the stop settles and names it`, async () => {
      const stage = await Stage.open({ replies: [call('run_command', { command: 'undying' })] });
      await stage.running(1);
      const stopping = stage.core[stop]();
      if (stop !== 'abort') {
        await stage.until('stopping', (s) => s.status === 'stopping');
        await stage.world.finish(stage.core.forceStop());
      }
      await stage.world.finish(stopping);
      assert.equal(stage.state.status, status);
      assert.equal(stage.step(1).outcome, 'unknown');
      assert.match(stage.step(1).text ?? '', /could not be ended.* Still alive: process 1000 \(undying\)/s);
      assert.match(stage.state.receipts.at(-1)?.message ?? '', /Still alive: process 1000/);
    });

  it('its time limit: the step fails, says so, and the run goes on', async () => {
    const stage = await Stage.open({ replies: [call('run_command', { command: 'undying', timeout_s: 5 })] });
    await stage.untilStatus('completed');
    assert.equal(stage.step(1).outcome, 'failed');
    assert.match(stage.step(1).text ?? '', /could not be ended.* Still alive: process 1000/s);
  });

  it('Kill This Command answers with it as a survivor', async () => {
    const stage = await Stage.open({ replies: [call('run_command', { command: 'undying' }), slow('a')] });
    await stage.running(1);
    const answer = await stage.world.finish(stage.core.killCommand());
    assert.ok('survivors' in answer);
    assert.deepEqual(
      answer.survivors.map((p) => p.pid),
      [1000],
    );
    await stage.untilStatus('completed');
  });

  it('stays named when the next command ends, for as long as it lives', async () => {
    const replies = [call('run_command', { command: 'undying' }), slow('a'), slow('b')];
    const stage = await Stage.open({ replies });
    await stage.running(1);
    await stage.world.finish(stage.core.killCommand());
    await stage.running(3);
    assert.deepEqual(
      stage.state.survivors.map((p) => p.pid),
      [1000],
    );
    stage.world.processes.killFromOutside(stage.step(1).id);
    await stage.untilStatus('completed');
    assert.deepEqual(stage.state.survivors, []);
  });
});
