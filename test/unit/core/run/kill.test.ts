import assert from 'node:assert/strict';
import { call, slow, Stage } from './stage';

const server = { tool: 'run_command', args: { command: 'serve', background: true } };
const living = (stage: Stage): string[] => stage.world.processes.living().map((p) => p.marker);
const kill = (stage: Stage, n?: number) =>
  stage.world.finish(stage.core.killCommand(n === undefined ? undefined : { stepId: stage.step(n).id }));

describe('Kill This Command', function () {
  this.timeout(30_000);

  it('ends the command that runs, tells the model who did, and the run goes on', async () => {
    const stage = await Stage.open({ replies: [slow('a'), call('run_command', { command: 'echo b >> log.txt' })] });
    await stage.running(1);
    const result = await kill(stage);
    assert.deepEqual(
      { ...result, runId: '' },
      { runId: '', stepId: stage.step(1).id, outcome: 'failed', effect: 'unknown', survivors: [] },
    );
    await stage.untilStatus('completed');
    assert.equal(stage.step(1).reason, 'killed');
    assert.match(stage.lastRequest(), /The developer ended this command after .*cut by SIGTERM/);
    assert.equal(stage.world.files.text('log.txt'), 'b\n');
    assert.deepEqual(stage.state.receipts, []);
  });

  it('ends one that ignores the polite signal', async () => {
    const stage = await Stage.open({ replies: [call('run_command', { command: 'stubborn' })] });
    await stage.running(1);
    await kill(stage, 1);
    assert.deepEqual(living(stage), []);
    await stage.untilStatus('completed');
  });

  it('ends a frozen command where it stands; the run stays paused and can go on', async () => {
    const stage = await Stage.open({ replies: [slow('a')] });
    await stage.running(1);
    await stage.world.finish(stage.core.pause());
    const result = await kill(stage);
    assert.ok('effect' in result && result.effect === 'unknown');
    assert.equal(stage.state.status, 'paused');
    assert.equal(stage.state.frozen, null);
    assert.deepEqual(living(stage), []);
    await stage.world.finish(stage.core.resume());
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('log.txt'), undefined);
    assert.match(stage.lastRequest(), /The developer ended this command/);
  });

  it('ends one of several in the background: the others live, the model is told', async () => {
    const stage = await Stage.open({ replies: [{ calls: [server, server] }, slow('a')] });
    await stage.running(3);
    await kill(stage, 1);
    assert.deepEqual(stage.state.background, [stage.step(2).id]);
    assert.deepEqual(living(stage), [stage.step(2).id, stage.step(3).id]);
    await stage.untilStatus('completed');
    assert.match(stage.lastRequest(), /The developer ended the background command of step 1/);
    assert.doesNotMatch(stage.lastRequest(), /background command of step 2/);
  });

  it('a pause that meets a dying command waits for its end', async () => {
    const stage = await Stage.open({ replies: [call('run_command', { command: 'stubborn' }), slow('a')] });
    await stage.running(1);
    const killing = stage.core.killCommand();
    const pausing = stage.core.pause();
    stage.world.onState = (state) => {
      if (state.status === 'paused') assert.deepEqual(living(stage), []);
    };
    await stage.world.finish(Promise.all([killing, pausing]));
    assert.equal(stage.state.status, 'paused');
    assert.equal(stage.state.frozen, null);
    assert.equal(stage.step(1).reason, 'killed');
  });

  for (const again of [false, true])
    it(`in the first moment of a command it is not lost${again ? ', nor taken for the try before' : ''}`, async () => {
      for (let turns = 0; turns < 12; turns += 1) {
        const stage = await Stage.open({ settings: { pauseCommands: 'end' }, replies: [slow('a')] });
        const { world, core } = stage;
        if (again) {
          await stage.running(1);
          await world.finish(core.pause());
          await world.finish(core.resume());
          void core.decide({ decisionId: stage.open('unknownEffect').id, choice: 'runAgain' });
          await stage.until('again', (s) => s.inFlight?.kind === 'step' && s.steps[0]?.repeatOf === 1);
        } else await stage.until('begun', (s) => s.inFlight?.kind === 'step');
        await world.go(turns);
        const result = await kill(stage);
        if ('refused' in result) {
          assert.equal(result.code, 'noCommand');
          assert.equal(stage.step(1).effect, 'notStarted', `after ${turns}`);
          continue;
        }
        await stage.untilStatus('completed');
        assert.equal(stage.step(1).reason, 'killed', `after ${turns}`);
        assert.equal(world.files.text('log.txt'), undefined);
        assert.match(stage.lastRequest(), /The developer ended this command/);
      }
    });

  for (const by of ['Kill This Command', 'somebody else', 'a restart', 'somebody else, while the world is looked at'])
    it(`a question about a command that stood frozen, once that is over by ${by}, has no end to choose`, async () => {
      const files = { 'a.txt': 'one\n', 'b.txt': 'b\n' };
      const stage = await Stage.open({ tree: true, files, replies: [call('read_file', { path: 'a.txt' }), slow('a')] });
      const { world } = stage;
      await stage.running(2);
      await world.finish(stage.core.pause());
      world.files.put('a.txt', 'HUMAN\n');
      const die = (): void => world.processes.killFromOutside(stage.step(2).id);
      const looks = by.endsWith('looked at');
      if (looks) world.probe.hold('reconcile:beforeApply', 0);
      const resumed = stage.core.resume();
      if (looks) {
        await stage.until('looked', () => world.probe.held().length > 0);
        die();
        await stage.until('over', (s) => s.frozen === null);
        world.probe.releaseAll();
      }
      await world.finish(resumed);
      if (!looks) assert.equal(stage.open('worldChanged').title, 'The workspace changed under a frozen command');
      if (by === 'Kill This Command') await kill(stage);
      else if (by === 'a restart') await stage.restart();
      else if (!looks) die();
      await stage.until('over', (s) => s.frozen === null);
      const { title, choices, id } = stage.open('worldChanged');
      assert.equal(title, 'The workspace changed under a command that is over now');
      assert.deepEqual(
        choices.map((choice) => choice.id),
        ['continue', 'stop'],
      );
      const refused = await world.finish(stage.core.decide({ decisionId: id, choice: 'end' }));
      assert.ok('refused' in refused);
      await stage.decide('worldChanged', 'continue');
      if (by === 'a restart') await stage.decide('unknownEffect', 'happened');
      await stage.untilStatus('completed');
      assert.match(stage.lastRequest(), /a\.txt: humanEdited/);
    });

  it('a stop that has begun stays the reason', async () => {
    const stage = await Stage.open({ replies: [call('run_command', { command: 'stubborn' })] });
    await stage.running(1);
    const aborting = stage.core.abort();
    const killing = stage.core.killCommand();
    await stage.world.finish(Promise.all([aborting, killing]));
    assert.equal(stage.state.status, 'aborted');
    assert.equal(stage.step(1).outcome, 'unknown');
  });

  it('refuses where nothing runs, or what is named is no command', async () => {
    const stage = await Stage.open({ replies: [call('read_file', { path: 'x' }), slow('a')] });
    await stage.running(2);
    for (const target of [{ stepId: stage.step(1).id }, { stepId: 'none/s1' }, { stepId: 7 as unknown as string }]) {
      const answer = await stage.world.finish(stage.core.killCommand(target));
      assert.ok('refused' in answer, JSON.stringify(target));
    }
    assert.equal(stage.step(2).outcome, 'running');
    await stage.untilStatus('completed');
    const late = await kill(stage);
    assert.ok('refused' in late && late.code === 'noCommand');
  });
});
