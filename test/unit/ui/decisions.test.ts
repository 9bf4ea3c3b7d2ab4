import assert from 'node:assert/strict';
import { choicesOf } from '../../../src/ui/decisions/choices';
import { factsOf, messageOf } from '../../../src/ui/decisions/words';
import { decision, runState, step } from './states';

describe('a question in one line', () => {
  it('shows where the command ends', () => {
    const d = decision({ title: 'Run this command?', detail: 'echo a > b\nin the workspace folder' });
    assert.equal(messageOf(d), 'Run this command? echo a > b · in the workspace folder');
  });

  it('does not say twice what the title says, nor a full stop inside brackets', () => {
    const d = decision({ kind: 'conflict', title: 'You both changed a.ts', detail: 'Nothing was written.' });
    assert.equal(messageOf(d), 'You both changed a.ts (Nothing was written)');
    assert.equal(factsOf(decision({ title: 'Run npm test?', detail: 'npm test\nin src' })), 'in src');
    assert.equal(messageOf(decision({ title: 'Go on?', detail: '' })), 'Go on?');
  });

  it('keeps what follows a colon beside it', () => {
    assert.equal(
      factsOf(decision({ title: 'Did it?', detail: 'Output so far:\n(no output)' })),
      'Output so far: (no output)',
    );
  });
});

describe('the answers to a change', () => {
  const d = decision({ stepId: 'run1/s1', path: 'a.ts', change: { before: 'aa', after: 'bb' } });
  const s = runState({ steps: [step(1, { tool: 'edit_file' })] });
  const labels = (drafts: string[]): string[] => choicesOf(s, d, new Set(drafts)).map((choice) => choice.label);

  it('say that an own text will be written once one was begun', () => {
    assert.deepEqual(labels([]), ['Allow', 'Edit by Hand', 'Reject']);
    assert.deepEqual(labels(['run1/d2']), ['Allow', 'Edit by Hand', 'Reject']);
    assert.deepEqual(labels(['run1/d1']), ['Allow', 'Write My Version', 'Reject']);
  });
});
