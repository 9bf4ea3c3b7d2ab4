import assert from 'node:assert/strict';
import { addReceipt } from '../../../../src/core/run/flow';
import { whyNotUndone } from '../../../../src/core/run/notUndone';
import { runState, step } from '../../ui/states';

describe('why a step was not undone', () => {
  it('stands in the receipt, in words for a person', () => {
    const why = (change: Parameters<typeof step>[1]): string | undefined => {
      const own = step(2, { tool: 'write_file', compensates: 'run1/s1', ...change });
      const s = runState({
        status: 'paused',
        steps: [step(1, { title: 'Write a.txt', effect: 'committed' }), own],
        compensating: { stepId: own.id, at: 1 },
      });
      addReceipt(s, 'compensate', { at: 2, phase: null, stepId: own.id, forced: false });
      return s.receipts.at(-1)?.message;
    };
    const stands = 'Not undone: step 1 "Write a.txt" stands, nothing was done';
    assert.equal(
      why({
        outcome: 'failedBeforeEffect',
        reason: 'notRead',
        text: 'a.txt exists and this run has not read it. Nothing was written; read it first.',
      }),
      `${stands}: the file it would write was never read by the run, and is not overwritten.`,
    );
    assert.equal(why({ outcome: 'skipped', reason: 'rejected' }), `${stands}: you rejected it.`);
    assert.equal(why({ outcome: 'failedBeforeEffect' }), `${stands}.`);
  });

  it('of a code without words it says the first sentence, without the words for the agent', () => {
    const text = 'failedBeforeEffect (reason: refused): The server said no.  Use another tool.';
    assert.equal(whyNotUndone({ reason: 'refused', text }), 'The server said no');
    assert.equal(whyNotUndone({}), '');
  });
});
