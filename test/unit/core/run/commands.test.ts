import assert from 'node:assert/strict';
import { call, slow, Stage } from './stage';

const server = { tool: 'run_command', args: { command: 'serve', background: true } };
const living = (stage: Stage): string[] =>
  stage.world.processes.living().map((p) => `${p.marker}${p.frozen ? ' frozen' : ''}`);

describe('commands: stops, freezes and ends', function () {
  this.timeout(30_000);
  it('a pause freezes a command, a resume lets it go on to its end', async () => {
    const stage = await Stage.open({ replies: [slow('a')] });
    await stage.running(1);
    await stage.world.finish(stage.core.pause());
    assert.equal(stage.state.status, 'paused');
    assert.equal(stage.state.frozen, stage.step(1).id);
    assert.deepEqual(living(stage), [`${stage.step(1).id} frozen`]);
    await stage.world.settle();
    assert.equal(stage.world.files.text('log.txt'), undefined);
    await stage.world.finish(stage.core.resume());
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('log.txt'), 'a\n');
  });

  it('a pause that meets a thaw leaves the command frozen', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const stage = await Stage.open({ seed, replies: [slow('a')] });
      await stage.running(1);
      await stage.world.finish(stage.core.pause());
      // As soon as it goes on, in the middle of the signals.
      let again: Promise<unknown> | undefined;
      stage.world.onState = (state) => {
        if (state.status === 'running') again ??= stage.core.pause();
      };
      await stage.world.finish(stage.core.resume());
      await stage.world.finish(again ?? assert.fail('it never went on'));
      assert.equal(stage.state.frozen, stage.step(1).id, `seed ${seed}`);
      assert.deepEqual(living(stage), [`${stage.step(1).id} frozen`], `seed ${seed}`);
    }
  });

  it('a background command is not frozen in its first second', async () => {
    const stage = await Stage.open({ replies: [{ calls: [server] }] });
    await stage.running(1);
    await stage.world.finish(stage.core.pause());
    assert.deepEqual(living(stage), [stage.step(1).id]);
    assert.deepEqual(stage.state.background, [stage.step(1).id]);
    await stage.world.finish(stage.core.resume());
    await stage.untilStatus('completed');
    assert.equal(stage.step(1).outcome, 'done');
  });

  it('an abort waits until the last of several background commands has ended', async () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const stage = await Stage.open({
        seed,
        replies: [
          { calls: [server, { ...server, args: { command: 'stubborn', background: true } }, server] },
          slow('a'),
        ],
      });
      await stage.running(4);
      stage.world.onState = (state) => {
        if (state.status === 'aborted') assert.deepEqual(living(stage), [], `seed ${seed}`);
      };
      await stage.world.finish(stage.core.abort());
      assert.equal(stage.state.status, 'aborted');
    }
  });

  it('a background command that fails at once is not listed as living', async () => {
    const stage = await Stage.open({
      replies: [call('run_command', { command: 'exit 3', background: true }), slow('a')],
    });
    await stage.running(2);
    assert.equal(stage.step(1).outcome, 'failed');
    assert.deepEqual(stage.state.background, []);
  });

  it('a frozen command that something else kills is settled, and a resume goes on', async () => {
    const stage = await Stage.open({ replies: [slow('a'), call('run_command', { command: 'echo b >> log.txt' })] });
    await stage.running(1);
    await stage.world.finish(stage.core.pause());
    stage.world.processes.killFromOutside(stage.step(1).id);
    await stage.world.settle();
    assert.equal(stage.state.frozen, null);
    assert.notEqual(stage.step(1).outcome, 'running');
    await stage.world.finish(stage.core.resume());
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('log.txt'), 'b\n');
  });

  it('"End the Command" is not at rest before the command is dead', async () => {
    const stage = await Stage.open({
      replies: [call('read_file', { path: 'x.txt' }), slow('a')],
      files: { 'x.txt': 'one\n' },
    });
    await stage.running(2);
    await stage.world.finish(stage.core.pause());
    stage.world.files.put('x.txt', 'two\n');
    await stage.world.finish(stage.core.resume());
    stage.world.onState = (state) => {
      if (state.status === 'needsHuman' && state.frozen === null) assert.deepEqual(living(stage), []);
    };
    await stage.decide('worldChanged', 'end');
    await stage.until('unknown', (s) => s.status === 'needsHuman' && s.steps[1]?.outcome === 'unknown');
    await stage.decide('unknownEffect', 'didNotHappen');
    await stage.untilStatus('completed');
    assert.match(stage.lastRequest(), /x\.txt: humanEdited/);
  });

  it('a repeat that the human asked for is not cancelled because the workspace changed', async () => {
    const stage = await Stage.open({
      settings: { pauseCommands: 'end' },
      replies: [call('read_file', { path: 'x.txt' }), slow('a')],
      files: { 'x.txt': 'one\n' },
    });
    await stage.running(2);
    await stage.world.finish(stage.core.pause());
    stage.world.files.put('x.txt', 'two\n');
    await stage.world.finish(stage.core.resume());
    await stage.decide('unknownEffect', 'runAgain');
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('log.txt'), 'a\n');
  });

  it('a command whose start meets a stop between intent and start is not started', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const stage = await Stage.open({ seed, replies: [slow('a')] });
      await stage.until('requested', (s) => s.steps[0]?.outcome === 'running' || s.steps[0]?.effect === 'requested');
      const abort = stage.core.abort();
      await stage.world.finish(abort);
      assert.equal(stage.state.status, 'aborted');
      assert.deepEqual(living(stage), [], `seed ${seed}`);
    }
  });

  it('the run does not rest while a command runs, also when its own state cannot be written', async () => {
    const stage = await Stage.open({ replies: [slow('a')] });
    await stage.running(1);
    stage.world.onState = (state) => {
      if (state.status === 'paused' && state.frozen === null) assert.deepEqual(living(stage), []);
    };
    stage.world.store.fail('append', 1000);
    await stage.world.finish(stage.core.pause());
    await stage.world.settle();
    assert.equal(stage.state.status, 'paused');
    stage.world.store.heal();
    await stage.world.finish(stage.core.resume());
    await stage.until('over', (s) => s.status === 'completed' || s.status === 'needsHuman');
    assert.notEqual(stage.step(1).outcome, 'running');
  });
});
