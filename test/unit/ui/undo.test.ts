import assert from 'node:assert/strict';
import type { Receipt } from '../../../src/core/run/state';
import { endedUndo, waitingUndo } from '../../../src/ui/render/undo';
import { decision, runState, step } from './states';

describe('an undo that waits for an answer', () => {
  const own = step(2, { compensates: 'run1/s1' });
  const compensating = { stepId: own.id, at: 1 };
  const receipt = { intent: 'compensate', message: 'Not undone.', evidence: [{ kind: 'step', stepId: own.id }] };
  const receipts = [receipt as unknown as Receipt];

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
