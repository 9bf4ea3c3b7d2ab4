import assert from 'node:assert/strict';
import type { FilePlan } from '../../../src/core/checkpoints/types';
import { choicesOf, shownWords } from '../../../src/ui/checkpoints/planWords';
import { sidesOf } from '../../../src/ui/checkpoints/words';

const plan = (path: string, change: Partial<FilePlan> = {}): FilePlan => ({
  ...{ path, action: 'restore', before: 'b', after: 'a' },
  ...change,
});

describe('what a restore shows', () => {
  const plans = [plan('a'), plan('made', { action: 'remove', after: null }), plan('both', { action: 'merge' })];

  it('has an empty side where nothing is, on the side of its time', () => {
    assert.deepEqual(sidesOf('review', { then: undefined, now: 'file' }), [undefined, 'file']);
    assert.deepEqual(sidesOf('restore', { then: undefined, now: 'file' }), ['file', undefined]);
  });

  it('says beside it how many files, that nothing has changed yet, and which are mixed', () => {
    const way = { runId: 'r', kind: 'restore', checkpoint: 2 } as const;
    assert.equal(
      shownWords(way, choicesOf(plans, true)),
      '2 files would go back to the state after step 2; you changed one more too. Nothing has changed yet.',
    );
    assert.equal(
      shownWords({ ...way, checkpoint: 0 }, choicesOf(plans.slice(0, 1), true)),
      '1 file would go back to the start. Nothing has changed yet.',
    );
    assert.equal(
      shownWords(way, choicesOf(plans.slice(2), true)),
      'You changed one of the files too. Nothing has changed yet.',
    );
    assert.equal(
      shownWords({ ...way, kind: 'review' }, choicesOf(plans, false)),
      'The run changed 3 files: before on the left, now on the right.',
    );
  });
});
