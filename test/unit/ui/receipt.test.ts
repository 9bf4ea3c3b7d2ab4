import assert from 'node:assert/strict';
import { renderReceipts } from '../../../src/ui/render/receipt';
import { receipt, runState, step } from './states';

describe('receipts', () => {
  it('hold all seven fields, newest first', () => {
    const stepDone = {
      stepId: 'run1/s1',
      n: 1,
      tool: 'edit_file',
      title: 'Edit a',
      outcome: 'done',
      effect: 'committed',
      evidence: 'a.ts: committed',
    } as const;
    const one = receipt({
      effects: [stepDone],
      evidence: [{ kind: 'file', path: 'a.ts', before: null, after: 'abcdef0123456789' }],
    });
    const text = renderReceipts(
      runState({
        status: 'paused',
        steps: [step(1, { title: 'Edit a' })],
        receipts: [receipt({ intent: 'takeOver' }), one],
      }),
    );
    assert.ok(text.indexOf('## Pause') < text.indexOf('## Take Over'));
    for (const part of [
      /^Paused at a boundary after 1 step\.\n\nResume: {4}allowed, from the checkpoint after step 1$/m,
      /^Recovery: {2}resume$/m,
      /^Phase: {5}writing$/m,
      /^Boundary: {2}after step 1$/m,
      /^Authority: full/m,
      /^Effects:\n- 1\. Edit a: done, effect committed$/m,
      /^- file a\.ts: created$/m,
    ]) {
      assert.match(text, part);
    }
  });
});

describe('receipts of stops that are past', () => {
  const receipts = [receipt(), receipt({ id: 'run1/r2', intent: 'takeOver', authority: 'closing' })];
  const parts = (change: Parameters<typeof runState>[0]): string[] =>
    renderReceipts(runState({ receipts, ...change }))
      .split('\n## ')
      .slice(1);

  it('tell what was; only the one the run still rests in tells what is', () => {
    const [now = '', past = ''] = parts({ status: 'humanControl', control: 'human' });
    assert.match(now, /boundary after 1 step\.\n\nResume: {4}allowed, from[^]*closing: it may read/);
    assert.match(past, /stood then; it has gone on since\.\n\nResume: {4}was allowed, from[^]*resume \(at that time\)/);
    assert.match(past, /full: the run could go on/);
    for (const [status, since] of [
      ['completed', 'it has completed since'],
      ['failed', 'it has failed since'],
      ['running', 'it has gone on since'],
    ] as const)
      for (const part of parts({ status })) {
        assert.ok(part.includes(`How the run stood then; ${since}.`), part);
        assert.doesNotMatch(part, /: {4}allowed|may go on/);
      }
  });

  it('say of an effect that it was undone since', () => {
    const e = { stepId: 'run1/s1', n: 1, tool: 'run_command', title: 'make', evidence: '' };
    const effects = [{ ...e, outcome: 'done', effect: 'committed' } as const];
    const told = (outcome: 'done' | 'failed'): string =>
      renderReceipts(
        runState({
          status: 'aborted',
          steps: [step(1), step(2, { compensates: 'run1/s1', outcome })],
          receipts: [receipt({ intent: 'abort', effects })],
        }),
      );
    assert.match(told('done'), /^- 1\. make: done, effect committed; undone by step 2$/m);
    assert.match(told('failed'), /^- 1\. make: done, effect committed$/m);
  });

  it('of an abort tell what is, and an undo after it too', () => {
    const ended = { allowed: false, checkpoint: 1, expiredApprovals: [] };
    const abort = receipt({ id: 'run1/r3', intent: 'abort', authority: 'revoked', resume: ended });
    const undo = receipt({ id: 'run1/r4', intent: 'compensate', authority: 'revoked', resume: ended });
    const told = parts({ status: 'aborted', receipts: [...receipts, abort, undo] });
    assert.deepEqual(
      told.map((part) => part.includes('How the run stood then; it was aborted since.')),
      [false, false, true, true],
    );
    assert.match(told[1] ?? '', /not allowed: the run has ended/);
    const late = parts({ status: 'completed', receipts: [...receipts, undo] });
    assert.deepEqual(
      late.map((part) => part.includes('stood then')),
      [false, true, true],
    );
  });
});
