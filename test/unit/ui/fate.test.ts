import assert from 'node:assert/strict';
import { fateOfText } from '../../../src/ui/decisions/fate';
import { decision, runState, step } from './states';

describe('a text put together by hand', () => {
  const mine = decision({ id: 'run1/d1', kind: 'conflict', stepId: 'run1/s1', path: 'a.ts' });
  const sent = { ...mine, state: 'answered', answer: { choice: 'edit', text: 'x', at: 0 } } as const;
  const again = { ...mine, id: 'run1/d2' };

  it('is open with its question', () => {
    assert.equal(fateOfText(runState({ status: 'needsHuman', decisions: [mine] }), mine), 'open');
    assert.equal(fateOfText(runState({ status: 'aborted', decisions: [mine] }), mine), 'unused');
  });

  it('is used when its step is done, not when the answer was taken', () => {
    for (const [outcome, fate] of [
      ['running', 'open'],
      ['notStarted', 'open'],
      ['done', 'used'],
      ['failed', 'unused'],
    ] as const)
      assert.equal(fateOfText(runState({ decisions: [sent], steps: [step(1, { outcome })] }), sent), fate, outcome);
  });

  it('is not used when the file changed meanwhile and the question is asked anew', () => {
    const steps = [step(1, { outcome: 'running' })];
    assert.equal(fateOfText(runState({ decisions: [sent, again], steps }), sent), 'unused');
    assert.equal(fateOfText(runState({ decisions: [sent, again], steps }), again), 'open');
  });

  it('is not used where another answer was given, or an approval became stale', () => {
    const other = { ...sent, answer: { choice: 'mine', at: 0 } };
    assert.equal(fateOfText(runState({ decisions: [other] }), other), 'unused');
    const stale = { ...sent, kind: 'approval', state: 'stale' } as const;
    assert.equal(fateOfText(runState({ decisions: [stale] }), stale), 'unused');
  });
});
