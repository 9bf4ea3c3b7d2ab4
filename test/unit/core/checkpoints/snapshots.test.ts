import assert from 'node:assert/strict';
import { type SnapshotFacts, snapshotDue, Snapshots } from '../../../../src/core/checkpoints/snapshots';
import type { RunStore } from '../../../../src/core/ports';
import type { RunState } from '../../../../src/core/run/state';

const KIB = 1024;
const busy: SnapshotFacts = { journalBytes: 0, snapshotBytes: 0, status: 'running', inFlight: { kind: 'prepare' } };
const resting: SnapshotFacts = { ...busy, status: 'paused', inFlight: null };

describe('when a snapshot is taken', () => {
  it('at work: when the journal has grown by as much as the last one is large, half a megabyte at least', () => {
    assert.equal(snapshotDue({ ...busy, journalBytes: 511 * KIB }), false);
    assert.equal(snapshotDue({ ...busy, journalBytes: 512 * KIB }), true);
    assert.equal(snapshotDue({ ...busy, journalBytes: 900 * KIB, snapshotBytes: 1000 * KIB }), false);
    assert.equal(snapshotDue({ ...busy, journalBytes: 1000 * KIB, snapshotBytes: 1000 * KIB }), true);
  });

  it('at rest earlier, and the first and the last one at once', () => {
    assert.equal(snapshotDue({ ...resting, journalBytes: 1 }), true);
    assert.equal(snapshotDue({ ...resting, journalBytes: 1, snapshotBytes: 1000 }), false);
    assert.equal(snapshotDue({ ...resting, journalBytes: 251 * KIB, snapshotBytes: 1000 * KIB }), true);
    assert.equal(snapshotDue({ ...resting, status: 'completed', journalBytes: 1, snapshotBytes: 1000 }), true);
    assert.equal(snapshotDue({ ...resting, status: 'completed', journalBytes: 0, snapshotBytes: 1000 }), false);
  });

  it('in all, snapshots write less than three times what the journal does, and few of them', () => {
    const perStep = { journal: 3000, state: 5000 };
    let [state, journalBytes, snapshotBytes, written, count] = [0, 0, 0, 0, 0];
    const steps = 20_000;
    for (let step = 0; step < steps; step += 1) {
      state += perStep.state;
      journalBytes += perStep.journal;
      if (!snapshotDue({ ...busy, journalBytes, snapshotBytes })) continue;
      [snapshotBytes, journalBytes] = [state, 0];
      written += state;
      count += 1;
    }
    assert.ok(written < 3 * steps * perStep.journal, String(written / steps));
    assert.ok(count < 12, String(count));
  });

  it('one at a time, not waited for, and a failure is not repeated at every step', async () => {
    const state = { ...busy, seq: 1 } as unknown as RunState;
    const warnings: string[] = [];
    let [taken, journalBytes] = [0, 600 * KIB];
    let settle: (error?: Error) => void = () => undefined;
    const store = {
      get journalBytes() {
        return journalBytes;
      },
      snapshotBytes: 0,
      snapshot: () => {
        taken += 1;
        return new Promise<void>((resolve, reject) => {
          settle = (error) => (error ? reject(error) : resolve());
        });
      },
    } as unknown as RunStore;
    const nothing = (): void => undefined;
    const snapshots = new Snapshots(store, { info: nothing, error: nothing, warn: (text) => warnings.push(text) });
    for (let n = 0; n < 5; n += 1) snapshots.consider(state);
    assert.equal(taken, 1);
    settle(new Error('ENOSPC'));
    await snapshots.idle();
    assert.deepEqual(warnings, ['no snapshot: ENOSPC']);
    journalBytes += 10 * KIB;
    snapshots.consider(state);
    assert.equal(taken, 1);
    journalBytes += 512 * KIB;
    snapshots.consider(state);
    assert.equal(taken, 2);
    settle();
    await snapshots.idle();
  });
});
