import assert from 'node:assert/strict';
import { pendingDecisions } from '../../../../src/core/run/update';
import { call, Stage } from './stage';

const TREE = { tree: true, files: { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' } };
const command = (line: string): ReturnType<typeof call> => call('run_command', { command: line });
const frozenAt = async (line: string, seed = 1): Promise<Stage> => {
  const replies = [call('read_file', { path: 'a.txt' }), command(line)];
  const stage = await Stage.open({ ...TREE, seed, replies });
  await stage.running(2);
  stage.world.clock.advance(100);
  await stage.world.finish(stage.core.pause());
  assert.equal(stage.state.frozen, stage.step(2).id);
  // The human takes their time.
  stage.world.clock.advance(1000);
  return stage;
};
const goOn = async (stage: Stage): Promise<void> => {
  stage.world.clock.advance(1000);
  await stage.world.finish(stage.core.resume());
  if (stage.state.status === 'needsHuman') await stage.decide('worldChanged', 'continue');
};
const asked = (stage: Stage): (string | undefined)[] =>
  pendingDecisions(stage.state)
    .filter((d) => d.kind === 'conflict')
    .map((d) => d.path);

describe('a command that goes on after it stood', function () {
  this.timeout(30_000);

  it('asks about lines the human wrote meanwhile and it went over, and gives them back', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const stage = await frozenAt('sleep 5000; echo CMD > a.txt', seed);
      stage.world.files.put('a.txt', 'one\nHUMAN\n');
      await goOn(stage);
      await stage.untilStatus('needsHuman');
      assert.deepEqual(asked(stage), ['a.txt'], `seed ${seed}`);
      await stage.decide('conflict', 'mine');
      await stage.untilStatus('completed');
      assert.equal(stage.world.files.text('a.txt'), 'one\nHUMAN\n', `seed ${seed}`);
    }
  });

  it('asks about a file the run never read, and one that was made meanwhile', async () => {
    const stage = await frozenAt('sleep 5000; echo CMD > b.txt; echo CMD > new.txt');
    stage.world.files.put('b.txt', 'HUMAN B\n');
    stage.world.files.put('new.txt', 'HUMAN NEW\n');
    await goOn(stage);
    await stage.untilStatus('needsHuman');
    assert.deepEqual(asked(stage), ['b.txt', 'new.txt']);
    for (const d of pendingDecisions(stage.state)) assert.match(d.detail ?? '', /Both versions are kept\./);
    for (let left = 2; left > 0; left -= 1) {
      await stage.decide('conflict', 'mine');
      await stage.until('one less', () => asked(stage).length === left - 1 && stage.state.inFlight === null);
    }
    assert.equal(stage.world.files.text('b.txt'), 'HUMAN B\n');
    assert.equal(stage.world.files.text('new.txt'), 'HUMAN NEW\n');
  });

  it('asks about text that was unsaved while it stood, saved at the resume or kept so', async () => {
    for (const choice of ['save', 'keep']) {
      const stage = await frozenAt('sleep 5000; echo CMD > b.txt');
      stage.world.buffers.type('b.txt', () => ['TYPED', '']);
      stage.world.clock.advance(1000);
      await stage.world.finish(stage.core.resume());
      await stage.decide('unsaved', choice);
      await stage.until('on its way', (s) => s.inFlight?.kind === 'step' || s.status === 'needsHuman');
      if (choice === 'save') await stage.decide('worldChanged', 'continue');
      await stage.until('a conflict', () => asked(stage).length > 0);
      assert.deepEqual(asked(stage), ['b.txt'], choice);
      await stage.decide('conflict', 'mine');
      await stage.untilStatus('completed');
      assert.equal(stage.world.files.text('b.txt'), 'TYPED\n', choice);
    }
  });

  it('asks nothing where it leaves what the human wrote', async () => {
    const stage = await frozenAt('echo EARLY >> b.txt; sleep 5000; echo CMD >> a.txt; echo CMD >> b.txt');
    stage.world.files.put('a.txt', 'one\nHUMAN\n');
    await goOn(stage);
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('a.txt'), 'one\nHUMAN\nCMD\n');
    assert.deepEqual(
      stage
        .step(2)
        .changes.map((c) => c.path)
        .sort(),
      ['a.txt', 'b.txt'],
    );
  });

  it('counts what was changed after the report and before the thaw, and each time it stands', async () => {
    const stage = await frozenAt('sleep 5000; echo CMD > b.txt; sleep 5000; echo CMD > a.txt; echo LAST >> b.txt');
    stage.world.files.put('b.txt', 'HUMAN B\n');
    await goOn(stage);
    await stage.until('the first write', () => stage.world.files.text('b.txt') === 'CMD\n');
    stage.world.clock.advance(100);
    await stage.world.finish(stage.core.pause());
    stage.world.clock.advance(1000);
    assert.equal(stage.state.frozen, stage.step(2).id);
    let looks = 0;
    const { tree } = stage.world;
    assert.ok(tree);
    tree.onLook = () => {
      // The second is the one before the thaw: the report has been made.
      if ((looks += 1) === 2) stage.world.files.put('a.txt', 'LATE\n');
      return undefined;
    };
    await goOn(stage);
    await stage.untilStatus('needsHuman');
    assert.deepEqual(asked(stage), ['a.txt', 'b.txt']);
    const kept = pendingDecisions(stage.state).map((d) => d.change?.before);
    const texts = await Promise.all(kept.map((hash) => stage.world.finish(stage.world.store.blobs.get(hash ?? ''))));
    assert.deepEqual(
      texts.map((bytes) => bytes && new TextDecoder().decode(bytes)),
      ['LATE\n', 'HUMAN B\n'],
    );
  });

  it('stands on where a pause meets the look before it', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const stage = await frozenAt('sleep 5000; echo CMD > a.txt', seed);
      const { tree } = stage.world;
      assert.ok(tree);
      let looks = 0;
      let paused: Promise<unknown> | undefined;
      tree.onLook = () => {
        if ((looks += 1) === 2) paused = stage.core.pause();
        return undefined;
      };
      await stage.world.finish(stage.core.resume());
      await stage.until('paused again', (s) => looks >= 2 && s.status === 'paused');
      await stage.world.finish(paused ?? assert.fail('no pause'));
      await stage.world.settle();
      assert.equal(stage.state.frozen, stage.step(2).id, `seed ${seed}`);
      assert.equal(stage.world.files.text('a.txt'), 'one\ntwo\n', `seed ${seed}`);
      tree.onLook = undefined;
      stage.world.files.put('a.txt', 'one\nHUMAN\n');
      await goOn(stage);
      await stage.untilStatus('needsHuman');
      assert.deepEqual(asked(stage), ['a.txt'], `seed ${seed}`);
    }
  });

  it('does not go on before the bytes of the human are stored', async () => {
    const stage = await frozenAt('sleep 5000; echo CMD > b.txt');
    stage.world.files.put('b.txt', 'HUMAN B\n');
    await stage.world.finish(stage.core.resume());
    stage.world.store.fail('blob', 1);
    await stage.decide('worldChanged', 'continue');
    await stage.untilStatus('paused');
    await stage.world.settle();
    assert.equal(stage.state.frozen, stage.step(2).id);
    assert.equal(stage.world.files.text('b.txt'), 'HUMAN B\n');
    await goOn(stage);
    await stage.untilStatus('needsHuman');
    assert.deepEqual(asked(stage), ['b.txt']);
  });

  it('what was seen before the thaw is told after a crash', async () => {
    const stage = await frozenAt('sleep 5000; echo CMD > b.txt');
    const { tree } = stage.world;
    assert.ok(tree);
    let looks = 0;
    tree.onLook = () => {
      if ((looks += 1) === 2) stage.world.files.put('late.txt', 'LATE\n');
      return undefined;
    };
    await goOn(stage);
    await stage.until('thawed', (s) => (s.elsewhere ?? []).some(({ path }) => path === 'late.txt'));
    assert.equal(stage.step(2).outcome, 'running');
    await stage.restart();
    assert.ok(stage.state.elsewhere?.some(({ path }) => path === 'late.txt'));
    assert.ok(stage.state.made?.includes('late.txt'));
  });
});
