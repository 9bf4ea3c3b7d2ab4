/** What was seen while a command stood is never lost before it is told, and nothing of the command runs before it is remembered. */
import assert from 'node:assert/strict';
import type { Decision } from '../../../../src/core/run/state';
import { pendingDecisions } from '../../../../src/core/run/update';
import type { SimTree } from '../../../sim/tree';
import { call, Stage } from './stage';

const command = (line: string): ReturnType<typeof call> => call('run_command', { command: line });

/** A command stands, and later another one goes over late.txt. */
async function standing(line = 'sleep 5000; echo CMD >> z.txt'): Promise<{ stage: Stage; tree: SimTree }> {
  const replies = [call('read_file', { path: 'a.txt' }), command(line), command('echo X > late.txt')];
  const stage = await Stage.open({ tree: true, files: { 'a.txt': 'one\n', 'b.txt': 'b\n' }, replies });
  await stage.running(2);
  stage.world.clock.advance(100);
  await stage.world.finish(stage.core.pause());
  stage.world.clock.advance(1000);
  return { stage, tree: stage.world.tree ?? assert.fail('no tree') };
}
const conflicts = (stage: Stage): (string | undefined)[] =>
  pendingDecisions(stage.state)
    .filter((d: Decision) => d.kind === 'conflict')
    .map((d) => d.path);
const rests = (stage: Stage): Promise<void> =>
  stage.until('rests', (s) => stage.waiting() || s.status === 'completed' || s.status === 'paused');
/** On to the command that goes over what the human made. */
async function untilAsked(stage: Stage): Promise<void> {
  await rests(stage);
  for (let i = 0; i < 4 && conflicts(stage).length === 0; i += 1) {
    if (stage.state.status === 'paused') await stage.world.finish(stage.core.resume());
    const [open] = pendingDecisions(stage.state);
    if (open?.kind === 'worldChanged') await stage.decide('worldChanged', 'continue');
    if (open?.kind === 'unknownEffect') await stage.decide('unknownEffect', 'didNotHappen');
    await rests(stage);
  }
  assert.deepEqual(conflicts(stage), ['late.txt']);
  const { change } = stage.open('conflict');
  const kept = await stage.world.finish(stage.world.store.blobs.get(change?.before ?? ''));
  assert.equal(new TextDecoder().decode(kept), 'HUMAN\n');
}
const told = (stage: Stage): number => stage.lastRequest().split('- created: late.txt').length - 1;

describe('what was seen while a command stood', function () {
  this.timeout(30_000);

  it('is told and theirs where the command is ended instead of going on', async () => {
    const { stage } = await standing();
    stage.world.files.put('b.txt', 'HUMAN B\n');
    stage.world.clock.advance(1000);
    await stage.world.finish(stage.core.resume());
    stage.world.files.put('late.txt', 'HUMAN\n');
    stage.world.clock.advance(1000);
    await stage.decide('worldChanged', 'end');
    await untilAsked(stage);
    assert.equal(told(stage), 1);
  });

  for (const how of ['a pause', 'a full disk'] as const)
    it(`is told and theirs where ${how} cuts the look before the thaw`, async () => {
      const { stage, tree } = await standing();
      const { world } = stage;
      let looks = 0;
      tree.onLook = () => {
        if ((looks += 1) !== 2) return undefined;
        world.files.put('late.txt', 'HUMAN\n');
        if (how === 'a full disk') world.store.fail('blob', 1);
        return undefined;
      };
      tree.afterLook = () => {
        if (looks === 2 && how === 'a pause') void stage.core.pause();
      };
      await world.finish(stage.core.resume());
      await stage.until('paused again', (s) => looks >= 2 && s.status === 'paused');
      await world.settle();
      assert.equal(stage.state.frozen, stage.step(2).id);
      world.clock.advance(1000);
      await untilAsked(stage);
      assert.equal(told(stage), 1);
    });

  it('is told and theirs where a pause cuts the reconcile', async () => {
    const { stage, tree } = await standing();
    stage.world.files.put('late.txt', 'HUMAN\n');
    tree.afterLook = () => {
      tree.afterLook = undefined;
      void stage.core.pause();
    };
    await stage.world.finish(stage.core.resume());
    await stage.world.settle();
    assert.equal(stage.state.status, 'paused');
    await untilAsked(stage);
    assert.equal(told(stage), 1);
  });

  it('is theirs where the host dies while it stands', async () => {
    const { stage } = await standing();
    stage.world.files.put('late.txt', 'HUMAN\n');
    stage.world.clock.advance(1000);
    await stage.restart();
    await untilAsked(stage);
  });
});

describe('a command that stands is asked to end', function () {
  this.timeout(30_000);

  const cases = [
    ...(['abort', 'kill'] as const).map((act) => ({ act, when: 'while it stands' })),
    ...(['abort', 'steer now', 'pause', 'kill'] as const).map((act) => ({
      act,
      when: 'in the look before it goes on',
    })),
  ];
  for (const { act, when } of cases)
    it(`${act} ${when}: what the human wrote meanwhile is remembered first`, async () => {
      const { stage, tree } = await standing('trap echo CMD > b.txt; sleep 5000');
      const { core, world } = stage;
      world.files.put('b.txt', 'HUMAN B\n');
      world.clock.advance(1000);
      const acts = {
        abort: () => core.abort(),
        'steer now': () => core.steer({ text: 'Stop that.', now: true }),
        kill: () => core.killCommand(),
        pause: () => {
          world.settings.pauseCommands = 'end';
          return core.pause();
        },
      };
      let done: Promise<unknown> | undefined;
      if (when === 'while it stands') done = acts[act]();
      else {
        await world.finish(core.resume());
        let looks = 0;
        tree.onLook = () => {
          if ((looks += 1) === 2) done = acts[act]();
          return undefined;
        };
        if (stage.waiting()) await stage.decide('worldChanged', 'continue');
        await stage.until('met', () => looks >= 2);
      }
      await world.finish(done ?? assert.fail('it was not met'));
      await world.settle();
      assert.deepEqual(world.processes.living(), []);
      if (act === 'kill') {
        assert.equal(world.files.text('b.txt'), 'HUMAN B\n', 'killed where it stands');
        return;
      }
      assert.equal(world.files.text('b.txt'), 'CMD\n');
      assert.deepEqual(conflicts(stage), ['b.txt']);
      await stage.decide('conflict', 'mine');
      await world.settle();
      assert.equal(world.files.text('b.txt'), 'HUMAN B\n');
    });

  it('is killed where it stands where what the human wrote cannot be stored', async () => {
    const { stage } = await standing('trap echo CMD > b.txt; sleep 5000');
    const { core, world } = stage;
    world.files.put('b.txt', 'HUMAN B\n');
    world.clock.advance(1000);
    world.store.fail('blob', 1e6);
    await world.finish(core.abort());
    assert.equal(stage.state.status, 'aborted');
    assert.deepEqual(world.processes.living(), []);
    assert.equal(world.files.text('b.txt'), 'HUMAN B\n');
  });

  for (const act of ['pause', 'takeOver'] as const)
    it(`${act} meets the look before it is asked to end: nobody is told that it stands`, async () => {
      const { stage, tree } = await standing('trap echo CMD > b.txt; sleep 5000');
      const { core, world } = stage;
      world.files.put('b.txt', 'HUMAN B\n');
      world.clock.advance(1000);
      await world.finish(core.resume());
      let done: Promise<unknown> | undefined;
      tree.afterLook = () => {
        done ??= core[act]();
      };
      await stage.decide('worldChanged', 'end');
      await stage.until('met', () => done !== undefined);
      await world.finish(done ?? assert.fail());
      assert.equal(stage.state.status, act === 'pause' ? 'paused' : 'humanControl');
      assert.equal(stage.state.frozen, null);
      assert.deepEqual(world.processes.living(), []);
      assert.doesNotMatch(stage.state.receipts.at(-1)?.message ?? '', /frozen/);
      assert.deepEqual(conflicts(stage), ['b.txt']);
    });

  it('is killed where it stands where not all can be looked at', async () => {
    for (const what of ['the tree', 'a file'] as const) {
      const { stage, tree } = await standing('trap echo CMD > b.txt; sleep 5000');
      const { core, world } = stage;
      world.files.put('b.txt', 'HUMAN B\n');
      world.files.put('a.txt', 'one\nHUMAN\n');
      world.clock.advance(1000);
      if (what === 'a file') world.files.fail('read', 'a.txt', 'other');
      else tree.partial = 'there was no time to look at all of it';
      await world.finish(core.abort());
      assert.equal(stage.state.status, 'aborted');
      assert.deepEqual(world.processes.living(), []);
      assert.equal(world.files.text('b.txt'), 'HUMAN B\n', what);
    }
  });
});
