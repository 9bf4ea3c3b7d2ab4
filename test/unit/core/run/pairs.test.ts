/** Two commands in one breath: the last word of the human counts, however far the first has got. */
import assert from 'node:assert/strict';
import type { HoldfastCore } from '../../../../src/core/api';
import { SimWorld } from '../../../sim/world';
import { ListBrain } from '../../../sim/model';
import { call, slow, Stage } from './stage';

const write = (path: string) => call('write_file', { path, content: 'x\n' });
const STOPS = { pause: 'paused', takeOver: 'humanControl', abort: 'aborted' } as const;
type Stop = keyof typeof STOPS;
const stops = Object.keys(STOPS) as Stop[];

/** Stands paused, or in the human's hands, after its first step. */
async function standing(by: 'pause' | 'takeOver', seed = 1): Promise<Stage> {
  const stage = await Stage.open({ seed, replies: [write('a.txt'), { text: 'Next, ', ...write('b.txt') }] });
  await stage.until('asked again', (s) => s.inFlight?.kind === 'model' && s.steps.length === 1);
  await stage.world.finish(stage.core[by]());
  assert.equal(stage.state.status, STOPS[by]);
  return stage;
}

/** What a stop makes of a run that stands already. */
const after = (stop: Stop, stood: 'pause' | 'takeOver'): string => (stop === 'pause' ? STOPS[stood] : STOPS[stop]);

describe('two commands in one breath', function () {
  this.timeout(60_000);
  for (const [via, stood] of [
    ['resume', 'pause'],
    ['handBack', 'takeOver'],
  ] as const) {
    for (const stop of stops) {
      it(`${via}, ${stop}: it stands, and no step has started`, async () => {
        const stage = await standing(stood);
        const requests = stage.world.models.requests.length;
        const went = stage.core[via]();
        const answer = await stage.world.finish(stage.core[stop]());
        const gone = await stage.world.finish(went);
        assert.equal(stage.state.status, after(stop, stood));
        assert.ok('intent' in answer, JSON.stringify(answer));
        if ('waitsFor' in gone) assert.deepEqual(gone.waitsFor, []);
        await stage.world.settle();
        assert.equal(stage.state.status, after(stop, stood));
        assert.equal(stage.state.steps.length, 1);
        assert.equal(stage.world.models.requests.length, requests);
      });

      it(`${via}, ${stop} a few turns later: whatever it was doing, the stop wins`, async () => {
        for (let turns = 0; turns < 30; turns += 1) {
          const stage = await standing(stood, turns + 1);
          const went = stage.core[via]();
          await stage.world.go(turns);
          const answer = await stage.world.finish(stage.core[stop]());
          await stage.world.finish(went);
          await stage.world.settle();
          if (stage.state.status === 'completed') assert.ok('refused' in answer, `after ${turns} turns`);
          else assert.ok(['paused', 'humanControl', 'aborted'].includes(stage.state.status), `after ${turns} turns`);
          assert.ok(
            'refused' in answer || stage.state.status === STOPS[stop] || after(stop, stood) === stage.state.status,
          );
        }
      });

      it(`${via} that waits for its turn, ${stop}: the turn never comes`, async () => {
        const stage = await standing(stood);
        // Somebody else takes control first, and is not through with it.
        const other = stage.core.startRun({ goal: 'other' });
        const went = stage.core[via]();
        const { runId } = stage.state;
        const answer = await stage.world.finish(stage.core[stop]({ runId }));
        assert.ok('intent' in answer, JSON.stringify(answer));
        assert.equal(stage.state.status, after(stop, stood));
        await stage.world.finish(other);
        await stage.world.finish(went);
        await stage.world.settle();
        assert.equal(stage.state.status, after(stop, stood));
        assert.equal(stage.state.steps.length, 1);
      });
    }
  }

  it('the note of a hand back that a take over overtakes is kept', async () => {
    const stage = await standing('takeOver');
    void stage.core.handBack({ note: 'mind the gap' });
    await stage.world.finish(stage.core.takeOver());
    await stage.world.settle();
    assert.equal(stage.state.status, 'humanControl');
    assert.deepEqual(
      stage.state.notes.map((n) => [n.text, n.state]),
      [['mind the gap', 'queued']],
    );
    await stage.world.finish(stage.core.handBack());
    await stage.untilStatus('completed');
    assert.equal(stage.lastRequest().split('mind the gap').length - 1, 1);
  });

  it('start, and a stop before the run has a name: it is that run which is stopped', async () => {
    for (const stop of stops) {
      const world = new SimWorld({ brain: new ListBrain([write('a.txt')]) });
      const core: HoldfastCore = await world.open();
      const started = core.startRun({ goal: 'work' });
      const answer = await world.finish(core[stop]());
      assert.ok('intent' in answer, JSON.stringify(answer));
      const run = await world.finish(started);
      assert.ok('runId' in run);
      await world.settle();
      assert.equal(core.get(run.runId)?.status, STOPS[stop]);
      assert.equal(world.files.text('a.txt'), undefined);
    }
  });

  it('pause, resume: the resume says that the run still stops, it does not claim to go on', async () => {
    const stage = await Stage.open({ replies: [slow('a')] });
    await stage.running(1);
    const paused = stage.core.pause();
    const went = await stage.world.finish(stage.core.resume());
    await stage.world.finish(paused);
    assert.ok('refused' in went && went.code === 'notYet', JSON.stringify(went));
    assert.equal(stage.state.status, 'paused');
  });

  it('pause, force stop: the force stop knows of the pause', async () => {
    const stage = await Stage.open({ settings: { pauseCommands: 'finish' }, replies: [slow('a')] });
    await stage.running(1);
    const paused = stage.core.pause();
    const forced = await stage.world.finish(stage.core.forceStop());
    await stage.world.finish(paused);
    assert.ok('forced' in forced && forced.forced, JSON.stringify(forced));
    assert.deepEqual(stage.world.processes.living(), []);
  });

  it('delete and resume, either way round: one of them is refused, and nothing runs of a deleted run', async () => {
    for (const first of ['delete', 'resume'] as const) {
      const stage = await standing('pause');
      const { runId } = stage.state;
      const remove = () => stage.core.deleteRun({ runId });
      const resume = () => stage.core.resume({ runId });
      const both = first === 'delete' ? [remove(), resume()] : [resume(), remove()];
      const [one, two] = await stage.world.finish(Promise.all(both));
      assert.ok(one && !('refused' in one), JSON.stringify(one));
      assert.ok(two && 'refused' in two, JSON.stringify(two));
      await stage.world.settle();
      assert.deepEqual(stage.world.errors, []);
    }
  });
});
