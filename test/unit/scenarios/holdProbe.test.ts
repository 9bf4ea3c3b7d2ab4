import assert from 'node:assert/strict';
import { type Held, HoldProbe } from '../../../src/core/holdProbe';

/** Whether the promise has settled by now. */
async function settled(promise: Promise<void>): Promise<boolean> {
  let done = false;
  void promise.then(() => (done = true));
  await new Promise((resolve) => setImmediate(resolve));
  return done;
}

describe('HoldProbe', () => {
  it('lets everything pass that is not armed', async () => {
    const probe = new HoldProbe();
    probe.hold('tool:beforeWrite', 2);
    assert.equal(await settled(probe.at('tool:beforeWrite', 1)), true);
    assert.equal(await settled(probe.at('tool:afterEffect', 2)), true);
    assert.deepEqual(probe.held(), []);
  });

  it('holds the armed step until it is released, tells so, and holds once', async () => {
    const probe = new HoldProbe();
    const told: Held[] = [];
    probe.onHeld = (held) => told.push(held);
    probe.hold('tool:beforeWrite', 2);
    const held = probe.at('tool:beforeWrite', 2);
    assert.equal(await settled(held), false);
    assert.deepEqual(told, [{ point: 'tool:beforeWrite', step: 2 }]);
    assert.deepEqual(probe.held(), told);
    assert.equal(await settled(probe.at('tool:beforeWrite', 2)), true, 'armed once');
    probe.release('tool:beforeWrite', 3);
    assert.equal(await settled(held), false, 'another value releases nothing');
    probe.release('tool:beforeWrite', 2);
    assert.equal(await settled(held), true);
    assert.deepEqual(probe.held(), []);
  });

  it('holds any step where none is named, and the same value releases it', async () => {
    const probe = new HoldProbe();
    probe.hold('reconcile:beforeApply');
    const held = probe.at('reconcile:beforeApply', 7);
    assert.equal(await settled(held), false);
    probe.release('reconcile:beforeApply');
    assert.equal(await settled(held), true);
  });

  it('is disarmed by a release that comes first', async () => {
    const probe = new HoldProbe();
    probe.hold('model:streaming', 0);
    probe.release('model:streaming', 0);
    assert.equal(await settled(probe.at('model:streaming', 0)), true);
  });

  it('lets go and disarms everything', async () => {
    const probe = new HoldProbe();
    probe.hold('tool:beforeStart', 1);
    probe.hold('tool:beforeStart', 2);
    const held = probe.at('tool:beforeStart', 1);
    probe.releaseAll();
    assert.equal(await settled(held), true);
    assert.equal(await settled(probe.at('tool:beforeStart', 2)), true);
  });
});
