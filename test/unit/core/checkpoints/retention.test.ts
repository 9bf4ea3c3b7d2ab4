import assert from 'node:assert/strict';
import { aged, excess, removable } from '../../../../src/core/checkpoints/retention';
import type { RunStatus, RunSummary } from '../../../../src/core/run/state';

const DAY = 24 * 60 * 60 * 1000;
const run = (runId: string, updatedAt: number, more: Partial<RunSummary> = {}): RunSummary => ({
  ...{ runId, goal: 'g', status: 'completed', control: 'agent', model: 'm', createdAt: 0 },
  ...{ updatedAt, stepsDone: 0, steps: 0, live: false },
  ...more,
});

describe('what old runs may go', () => {
  it('those that are over, oldest first; never a pinned one, the one shown, or one of which something lives', () => {
    const runs = [
      run('new', 9),
      run('pinned', 1, { pinned: true }),
      run('live', 1, { live: true }),
      run('old', 2),
      run('shown', 0),
    ];
    assert.deepEqual(
      removable(runs, 'shown').map(({ runId }) => runId),
      ['old', 'new'],
    );
  });

  it('never what can be resumed, or waits for an answer', () => {
    const states: RunStatus[] = [
      'running',
      'stopping',
      'paused',
      'awaitingApproval',
      'humanControl',
      'reconciling',
      'needsHuman',
    ];
    assert.deepEqual(
      removable(
        states.map((status) => run(status, 0, { status })),
        undefined,
      ),
      [],
    );
  });

  it('by age past the limit, and none by a clock that was set back', () => {
    const limits = { maxMegabytes: 512, maxAgeDays: 30 };
    const runs = [run('a', 0), run('b', DAY)];
    assert.deepEqual(aged(runs, limits, 30 * DAY + 1), ['a']);
    assert.deepEqual(aged(runs, limits, 32 * DAY), ['a', 'b']);
    assert.deepEqual(aged(runs, limits, -365 * DAY), []);
  });

  it('by size above the limit', () => {
    assert.equal(excess(2 * 1024 * 1024, { maxMegabytes: 1, maxAgeDays: 1 }), 1024 * 1024);
    assert.equal(excess(5, { maxMegabytes: 1, maxAgeDays: 1 }), 0);
  });
});
