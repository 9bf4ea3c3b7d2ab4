import assert from 'node:assert/strict';
import { realClock, ShiftedClock } from '../../../src/node/clock';
import { sha256 } from '../../../src/node/hash';
import { nodeIds } from '../../../src/node/ids';

describe('clock, ids, hash', () => {
  const never = new AbortController().signal;

  it('sleeps in real time and stops with the reason of the signal', async () => {
    const before = performance.now();
    await realClock.sleep(20, never);
    assert.ok(performance.now() - before >= 19);
    const stop = new AbortController();
    const reason = new Error('enough');
    const sleeping = realClock.sleep(60_000, stop.signal);
    stop.abort(reason);
    await assert.rejects(sleeping, reason);
    await assert.rejects(realClock.sleep(60_000, AbortSignal.abort(reason)), reason);
    const from = Date.now();
    const now = realClock.now();
    assert.ok(from <= now && now <= Date.now());
  });

  it('moved forward, what sleeps wakes in time; moved back, only the time of day changes', async () => {
    const clock = new ShiftedClock();
    let awake = false;
    const hour = clock.sleep(3_600_000, never).then(() => (awake = true));
    const twoWeeks = clock.sleep(40 * 86_400_000, never);
    clock.advance(-10_000);
    const from = Date.now();
    const now = clock.now() + 10_000;
    assert.ok(from <= now && now <= Date.now());
    clock.advance(3_500_000);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(awake, false);
    clock.advance(100_000);
    await hour;
    clock.advance(40 * 86_400_000);
    await twoWeeks;
    const short = clock.sleep(10, never);
    clock.advance(-3_600_000);
    await short;
  });

  it('ids are unique and sorted; the hash is that of the bytes', () => {
    const ids = Array.from({ length: 1000 }, () => nodeIds.run());
    assert.deepEqual([...new Set(ids)].sort(), ids);
    assert.match(ids[0] ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.equal(sha256('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    assert.equal(sha256(new Uint8Array()), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});
