/** The wait before the model is asked again: kept over the death of its process, ended by the resume and by any stop. */
import assert from 'node:assert/strict';
import { statusItem } from '../../../../src/ui/statusText';
import { stateLine } from '../../../../src/ui/render/stateLine';
import { redrawIn } from '../../../../src/ui/render/retry';
import { Stage } from './stage';

const limited = { code: 'rateLimited' as const, message: 'slow down', retryAfterMs: 90_000 };

describe('the wait of a rate limit', () => {
  it('is shown with its time after the process was lost in it, and the resume asks at once', async () => {
    const stage = await Stage.open({ replies: [{ error: limited }, { text: 'Done.' }] });
    await stage.until('waits', (s) => s.inFlight?.kind === 'retry');
    const until = stage.state.retry?.until ?? 0;
    const now = until - 30_000;
    assert.match(stateLine(stage.state, now).text, /slow down.*Asking again in 30 s/);
    await stage.restart();
    assert.equal(stage.state.status, 'paused');
    assert.equal(stage.state.retry?.until, until);
    assert.match(stateLine(stage.state, now).text, /slow down.*in 30 s; Resume asks at once/);
    assert.match(statusItem(stage.state, now).text, /waits 30 s$/);
    assert.equal(redrawIn(stage.state, now), 1000);
    assert.match(stateLine(stage.state, until + 1).text, /The wait it asked for is over/);
    assert.equal(redrawIn(stage.state, until + 1), undefined);
    const asked = stage.world.models.requests.length;
    const before = stage.world.clock.now();
    await stage.world.finish(stage.core.resume());
    await stage.untilStatus('completed');
    assert.equal(stage.world.models.requests.length, asked + 1);
    assert.ok(stage.world.clock.now() < Math.max(until, before + 60_000), 'it did not wait');
    assert.equal(stage.state.retry, null);
  });

  for (const stop of ['pause', 'takeOver', 'abort'] as const)
    it(`is over with ${stop}`, async () => {
      const stage = await Stage.open({ replies: [{ error: limited }] });
      await stage.until('waits', (s) => s.inFlight?.kind === 'retry');
      await stage.world.finish(stage.core[stop]());
      assert.equal(stage.state.retry, null);
      assert.equal(redrawIn(stage.state, stage.world.clock.now()), undefined);
    });
});
