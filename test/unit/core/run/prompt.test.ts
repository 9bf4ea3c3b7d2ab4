import assert from 'node:assert/strict';
import fc from 'fast-check';
import { buildRequest, replyIndex, Requests } from '../../../../src/core/run/prompt';
import type { Entry, Step, StepOutcome } from '../../../../src/core/run/state';
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

  it('request after request of a growing run is what it would be on its own (property)', () => {
    const move = fc.record({
      what: fc.constantFrom(
        'reply',
        'reply',
        'result',
        'result',
        'result',
        'note',
        'remark',
        'again',
        'change',
        'fork',
      ),
      which: fc.nat(20),
      calls: fc.nat(3),
    });
    const outcomes: readonly Partial<Step>[] = [
      { outcome: 'done' },
      { outcome: 'cancelledBeforeEffect', reason: 'stopped' },
      { outcome: 'failedBeforeEffect', reason: 'interrupted' },
      { args: { path: 'other' } },
    ];
    fc.assert(
      fc.property(fc.array(move, { maxLength: 60 }), (moves) => {
        const requests = new Requests();
        let transcript: Entry[] = [{ kind: 'goal', text: 'goal', at: 0 }];
        let steps: Step[] = [];
        for (const { what, which, calls } of moves) {
          const open = steps.filter(({ id }) => !transcript.some((e) => e.kind === 'result' && e.stepId === id));
          const added = Array.from({ length: calls }, (_, n) =>
            step(steps.length + 1 + n, { reply: transcript.length, callId: `c${steps.length + n}` }),
          );
          const [some, waiting] = [steps[which % steps.length], open[which % open.length]];
          if (what === 'reply') {
            transcript = [...transcript, reply(added.map(({ id }) => id))];
            steps = [...steps, ...added];
          } else if (what === 'result' && waiting) transcript = [...transcript, result(waiting.n)];
          else if (what === 'note')
            transcript = [...transcript, { kind: 'note', noteId: 'n', text: `${which}`, at: 0 }];
          else if (what === 'remark') transcript = [...transcript, { kind: 'remark', text: 'r', at: 0 }];
          else if (what === 'again' && some)
            transcript = [...transcript, { ...result(some.n), text: `again ${which}` }];
          else if (what === 'change' && some) steps = steps.with(some.n - 1, { ...some, ...outcomes[which % 4] });
          else if (what === 'fork') transcript = transcript.slice(0, 1 + which);
          const state = runState({ transcript, steps });
          const alone = buildRequest(state, 'q', 'sh');
          assert.deepEqual(requests.next(state, 'q', 'sh'), alone);
          assert.equal(alone.replyIndex, replyIndex(state));
        }
      }),
    );
  });

  it('what is settled is not put together again', () => {
    const requests = new Requests();
    const steps = Array.from({ length: 1000 }, (_, n) => step(n + 1));
    const transcript = steps.flatMap(({ id, n }): Entry[] => [reply([id]), result(n)]);
    const first = requests.next(runState({ transcript, steps }), 'q', 'sh').messages;
    const more = [...transcript, reply(['run1/s1001'])];
    const second = requests.next(runState({ transcript: more, steps: [...steps, step(1001)] }), 'q', 'sh').messages;
    assert.equal(second.length, first.length + 2);
    assert.ok(first.slice(1).every((message, n) => message === second[n + 1]));
  });
});
