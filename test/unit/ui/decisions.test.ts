import assert from 'node:assert/strict';
import { choicesOf, draftTitle, lookLabel, lossOf } from '../../../src/ui/decisions/choices';
import { boxTitle, factsOf, messageOf } from '../../../src/ui/decisions/words';
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

  it('says above the box of a reason that it rejects, and what', () => {
    const d = decision({ title: 'Run this command?', detail: 'rm a' });
    assert.equal(boxTitle(d, 'reject'), 'Reject: Run this command? rm a');
    assert.equal(boxTitle(d, ''), 'Run this command?');
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
  const labels = (drafts: string[], differs = false): string[] =>
    choicesOf(s, d, new Map(drafts.map((id) => [id, differs]))).map((choice) => choice.label);

  it('say that an own text will be written once one was begun', () => {
    assert.deepEqual(labels([]), ['Allow', 'Edit by Hand', 'Reject']);
    assert.deepEqual(labels(['run1/d2']), ['Allow', 'Edit by Hand', 'Reject']);
    assert.deepEqual(labels(['run1/d1']), ['Allow', 'Write My Version', 'Reject']);
  });

  it('stay where they are, and ask before the agent’s text is written instead of an own one', () => {
    assert.deepEqual(labels(['run1/d1'], true), ['Allow', 'Write My Version', 'Reject']);
    assert.equal(lossOf(d, 'grant', true)?.question, 'Write the agent’s text to a.ts instead of yours?');
    assert.match(lossOf(d, 'grantForRun', true)?.detail ?? '', /stays open/);
    assert.equal(lossOf(d, 'grant', false), undefined);
    for (const choice of ['edit', 'reject']) assert.equal(lossOf(d, choice, true), undefined);
    assert.equal(draftTitle('src/greeting.js', false), 'greeting.js: what will be written (right side)');
    assert.equal(draftTitle('src/greeting.js', true), 'greeting.js: your version, not used');
  });
});

describe('an unknown effect', () => {
  it('is not offered again once the run is over: nothing of it runs then', () => {
    const choices = ['happened', 'didNotHappen', 'runAgain', 'check'].map((id) => ({ id, label: id }));
    const d = decision({ kind: 'unknownEffect', choices });
    const offered = (status: 'paused' | 'aborted'): string[] =>
      choicesOf(runState({ status }), d, new Map()).map(({ id }) => id);
    assert.deepEqual(offered('paused'), ['happened', 'didNotHappen', 'runAgain', 'check']);
    assert.deepEqual(offered('aborted'), ['happened', 'didNotHappen', 'check']);
  });
});

describe('what is asked about', () => {
  it('can be looked at: its change, or on purpose a text that looks secret', () => {
    const s = runState({ steps: [step(1, { tool: 'edit_file' }), step(2, { tool: 'run_command' })] });
    const change = { before: 'aa', after: 'bb' };
    assert.equal(lookLabel(s, decision({ stepId: 'run1/s1', path: 'a.ts', change })), 'Show Change');
    assert.equal(lookLabel(s, decision({ stepId: 'run1/s1', path: '.env' })), 'Show Secret Text');
    assert.equal(lookLabel(s, decision({ stepId: 'run1/s2' })), undefined);
    assert.equal(lookLabel(s, decision({ kind: 'question', stepId: 'run1/s1', path: 'a.ts' })), undefined);
  });
});
