import assert from 'node:assert/strict';
import { buildRequest, replyIndex } from '../../../../src/core/run/prompt';
import type { Entry, StepOutcome } from '../../../../src/core/run/state';
import { pairingProblems } from '../../../sim/model';
import { runState, step } from '../../ui/states';

const reply = (stepIds: string[], text = ''): Entry => ({
  kind: 'assistant',
  requestId: 'q',
  text,
  stepIds,
  interrupted: false,
  at: 0,
});
const result = (n: number): Entry => ({ kind: 'result', stepId: `run1/s${n}`, text: `result ${n}`, at: 0 });
const request = (transcript: Entry[], steps = [step(1), step(2)]) =>
  buildRequest(runState({ transcript, steps }), 'q', 'sh').messages;

describe('what the model is sent', () => {
  it('each call has exactly one result, in the order of the calls, wherever the results came', () => {
    const messages = request([
      reply(['run1/s1', 'run1/s2']),
      result(2),
      { kind: 'report', text: 'news', at: 0 },
      result(1),
    ]);
    assert.deepEqual(pairingProblems(messages), []);
    assert.deepEqual(
      messages.slice(1).map((m) => m.role),
      ['assistant', 'tool', 'tool', 'user'],
    );
    assert.deepEqual(
      messages.slice(2, 4).map((m) => m.text),
      ['result 1', 'result 2'],
    );
  });

  it('a call without a result is called unknown', () => {
    const messages = request([reply(['run1/s1'])]);
    assert.deepEqual(pairingProblems(messages), []);
    assert.match(messages.at(-1)?.text ?? '', /^unknown/);
  });

  it('a reply that was cut off is sent once, marked', () => {
    const messages = request([
      { kind: 'assistant', requestId: 'q', text: 'half a sen', stepIds: [], interrupted: true, at: 0 },
    ]);
    assert.deepEqual(
      messages.slice(1).map((m) => m.role),
      ['assistant', 'user'],
    );
    assert.match(messages.at(-1)?.text ?? '', /cut off/);
  });

  it('remarks and empty replies are not sent; notes and reports are', () => {
    const messages = request([
      { kind: 'goal', text: 'goal', at: 0 },
      { kind: 'remark', text: 'for the reader', at: 0 },
      reply([]),
      { kind: 'note', noteId: 'n', text: 'note', at: 0 },
    ]);
    assert.deepEqual(
      messages.slice(1).map((m) => m.text),
      ['goal', 'note'],
    );
  });

  it('arguments that were no JSON are sent as none', () => {
    const { badArgs: _, ...plain } = step(1);
    const [, message] = request([reply(['run1/s1'])], [{ ...plain, args: undefined, badArgs: '{' }]);
    assert.ok(message?.role === 'assistant');
    assert.deepEqual(message.calls[0]?.args, {});
  });

  it('a playbook plays a step again whose call was stopped before its effect, and no other', () => {
    const index = (outcome: StepOutcome, reason?: string): number =>
      replyIndex(
        runState({
          transcript: [reply(['run1/s1'])],
          steps: [step(1, { outcome, ...(reason === undefined ? {} : { reason }) })],
        }),
      );
    assert.equal(index('cancelledBeforeEffect', 'stopped'), 0);
    assert.equal(index('cancelledBeforeEffect', 'interrupted'), 0);
    assert.equal(index('failedBeforeEffect', 'interrupted'), 0);
    for (const outcome of ['done', 'failed', 'skipped', 'unknown', 'notStarted'] as const)
      assert.equal(index(outcome), 1, outcome);
    assert.equal(index('failedBeforeEffect', 'noMatch'), 1);
  });
});
