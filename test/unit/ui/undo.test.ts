import assert from 'node:assert/strict';
import type { UndoCall } from '../../../src/core/run/compensable';
import type { Decision, Receipt, RunState } from '../../../src/core/run/state';
import { lossOf } from '../../../src/ui/decisions/choices';
import { agreement, isAgreed } from '../../../src/ui/render/agreement';
import { notedWords } from '../../../src/ui/render/noted';
import { stateLine } from '../../../src/ui/render/stateLine';
import { statusItem } from '../../../src/ui/statusText';
import { endedUndo, waitingUndo } from '../../../src/ui/render/undo';
import { decision, receipt, runState, step } from './states';

describe('an undo that waits for an answer', () => {
  const own = step(2, { compensates: 'run1/s1' });
  const compensating = { stepId: own.id, at: 1 };
  const ended = { intent: 'compensate', message: 'Not undone.', evidence: [{ kind: 'step', stepId: own.id }] };
  const receipts = [ended as unknown as Receipt];

  it('is known by its question, and over with its own receipt', () => {
    const waits = runState({ steps: [step(1), own], compensating, decisions: [decision({ stepId: own.id })] });
    assert.equal(waitingUndo(waits), own.id);
    assert.equal(endedUndo({ ...waits, receipts }, own.id), undefined);
    const over = runState({ steps: [step(1), own], receipts });
    assert.equal(waitingUndo(over), undefined);
    assert.equal(endedUndo(over, own.id)?.message, 'Not undone.');
    assert.equal(endedUndo(over, 'run1/s1'), undefined);
    assert.equal(waitingUndo(runState({ decisions: [decision()] })), undefined);
  });
});

describe('the word of the human for an undo', () => {
  const command = { tool: 'run_command', args: { command: 'npm run clean', cwd: 'docs' } };
  const choices = [
    { id: 'grant', label: 'Allow' },
    { id: 'grantForRun', label: 'Allow This Command for This Run' },
    { id: 'reject', label: 'Reject' },
  ];
  const asked = decision({ title: 'Run this command?', detail: 'npm run clean\nin docs', choices });

  it('shows the whole call, line by line', () => {
    assert.deepEqual(agreement(command), { text: 'This runs in docs:\nnpm run clean', whole: true });
    const long = { tool: 'run_command', args: { command: 'x'.repeat(5000) } };
    assert.equal(agreement(long).whole, false);
    assert.match(
      agreement({ tool: 'mcp.shop.cancel', args: { id: 7 } }).text,
      /^Call cancel of shop with:\n{\n {2}"id": 7/,
    );
    assert.equal(agreement({ tool: 'delete_file', args: { path: 'a' } }).text, 'Delete a');
  });

  it('answers an approval that asks for nothing beyond it, and no other', () => {
    assert.equal(isAgreed(asked, command), true);
    const file = { tool: 'delete_file', args: { path: 'a' } };
    const deletion = decision({ title: 'Delete a?', detail: 'Deletions are asked about (holdfast.approvals).' });
    assert.equal(isAgreed(deletion, file), true);
    const others: [Decision, UndoCall][] = [
      [{ ...asked, detail: 'npm run other\nin docs' }, command],
      [{ ...asked, choices: choices.filter(({ id }) => id !== 'grantForRun') }, command],
      [{ ...asked, state: 'granted' as const }, command],
      [{ ...asked, kind: 'unknownEffect' as const }, command],
      [{ ...deletion, detail: `${deletion.detail} a looks like it holds secrets.` }, file],
      [{ ...deletion, humanLines: [{ from: 1, to: 2 }] }, file],
      [
        decision({ title: 'Edit a?', detail: 'Edits are asked about (holdfast.approvals).' }),
        { ...file, tool: 'edit_file' },
      ],
    ];
    for (const [other, undo] of others) assert.equal(isAgreed(other, undo), false, JSON.stringify(other));
  });
});

describe('a run in which something was taken back', () => {
  const pause = receipt({ at: 10 });
  const next = step(3, { outcome: 'notStarted', title: 'Write b' });
  const s = runState({
    status: 'paused',
    reason: { code: 'playbook', text: 'The playbook waits for you before step 3: Write b' },
    steps: [step(1), step(2), next],
    receipts: [pause],
  });
  const undo = receipt({ intent: 'compensate', at: 20, message: 'Undone: step 2 "x", by step 4.' });
  const shown = (state: RunState): string[] => [statusItem(state, 0).text, stateLine(state, 0).text];

  it('is at its own turn only until the human has done so', () => {
    assert.deepEqual(shown(s), ['$(debug-pause) Your turn · agent paused · 2', 'Your turn, before step 3: Write b']);
    assert.deepEqual(shown({ ...s, receipts: [pause, undo] }), [
      '$(debug-pause) Paused · agent · 2',
      'Undone: step 2 "x", by step 4. Paused before step 3: Write b.',
    ]);
    const restore = receipt({ intent: 'restore', at: 30, message: 'Restored 1 file to the start.' });
    assert.equal(
      stateLine({ ...s, receipts: [pause, undo, restore] }, 0).text,
      'Restored 1 file to the start. Paused before step 3: Write b.',
    );
    assert.match(statusItem({ ...s, receipts: [pause, restore, receipt({ at: 40 })] }, 0).text, / Your turn /);
  });

  it('says that it undoes while it does, and that it waits', () => {
    const compensating = { stepId: 'run1/s2', at: 15 };
    const busy = { ...s, compensating, inFlight: { kind: 'step', stepId: 'run1/s2' } as const };
    assert.match(statusItem(busy, 0).text, /^\$\(loading~spin\) Undoing · agent/);
    assert.match(statusItem({ ...s, compensating }, 0).text, /^\$\(bell-dot\) Undo waits for you · agent/);
  });
});

describe('an answer about a run that has ended', () => {
  const unknown = decision({ kind: 'unknownEffect', stepId: 'run1/s1' });
  const made = step(1, {
    title: 'make',
    effect: 'committed',
    undo: { tool: 'run_command', args: { command: 'make clean' } },
  });
  const s = runState({ status: 'aborted', steps: [made] });

  it('is told with what it means', () => {
    assert.deepEqual(notedWords(s, unknown, 'happened'), {
      text: 'Noted: step 1 “make” happened. What it did stands, and can be undone. The run stays aborted; nothing more of it runs.',
      canUndo: true,
    });
    const not = { ...s, steps: [{ ...made, effect: 'failedBeforeCommit' as const }] };
    assert.equal(
      notedWords(not, unknown, 'didNotHappen')?.text,
      'Noted: step 1 “make” did not happen, so there is nothing of it to undo. The run stays aborted; nothing more of it runs.',
    );
    assert.match(notedWords(s, unknown, 'check')?.text ?? '', /^Checked: step 1 “make” \(done\)/);
    assert.equal(notedWords({ ...s, status: 'paused' }, unknown, 'happened'), undefined);
    assert.equal(notedWords(s, { ...unknown, kind: 'question' }, 'x'), undefined);
  });
});

describe('an answer that loses something', () => {
  it('says what', () => {
    assert.deepEqual(lossOf({ kind: 'unsaved', paths: ['a.ts'] }, 'discard'), {
      yes: 'Discard',
      question: 'Discard the unsaved changes in a.ts?',
      detail: 'What was typed there since the last save is lost: no copy is kept.',
    });
    const many = lossOf({ kind: 'unsaved', paths: Array.from({ length: 10 }, (_, i) => `${i}.ts`) }, 'discard');
    assert.equal(many?.question, 'Discard the unsaved changes in 10 files?');
    assert.match(many?.detail ?? '', /\n7\.ts\nand 2 more$/);
    assert.equal(lossOf({ kind: 'unsaved', paths: ['a'] }, 'save'), undefined);
    assert.equal(lossOf({ kind: 'conflict' }, 'discard'), undefined);
  });
});
