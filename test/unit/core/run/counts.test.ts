import assert from 'node:assert/strict';
import { summarize } from '../../../../src/core/run/load';
import { runState, step } from '../../ui/states';

describe('the index of runs', () => {
  const counts = (change: Parameters<typeof runState>[0]): number[] => {
    const { stepsDone, steps } = summarize(runState(change));
    return [stepsDone, steps];
  };

  it('counts steps as the run itself shows them', () => {
    const outline = ['a', 'b', 'c'];
    assert.deepEqual(
      counts({ outline, steps: [step(1), step(2, { outcome: 'skipped', reason: 'rejected' })] }),
      [1, 3],
    );
    assert.deepEqual(counts({ steps: [step(1), step(2, { outcome: 'cancelledBeforeEffect' }), step(3)] }), [2, 2]);
    assert.deepEqual(counts({ outline, steps: [] }), [0, 3]);
  });
});
