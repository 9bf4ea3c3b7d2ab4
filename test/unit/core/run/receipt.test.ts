import assert from 'node:assert/strict';
import { makeReceipt } from '../../../../src/core/run/receipt';
import type { ReceiptIntent, Step } from '../../../../src/core/run/state';
import { runState, step } from '../../ui/states';

const write = (n: number, change: Partial<Step>): Step =>
  step(n, {
    tool: 'edit_file',
    title: `Edit ${n}`,
    effectKind: 'workspace',
    changes: [{ path: 'a.txt', before: 'h1', after: 'h2', size: 1 }],
    ...change,
  });
type Intent = Exclude<ReceiptIntent, 'restore' | 'undoRestore'>;
const of = (
  steps: Step[],
  intent: Intent = 'pause',
  more: { inFlight?: Step; forced?: boolean; state?: Parameters<typeof runState>[0] } = {},
) =>
  makeReceipt(runState({ steps, ...more.state }), intent, {
    at: 1,
    phase: 'committing',
    inFlight: more.inFlight,
    forced: more.forced ?? false,
  });

describe('what a receipt says', () => {
  it('stopped before any effect', () => {
    assert.equal(of([step(1, { outcome: 'notStarted' })]).message, 'Paused before any effect.');
  });

  it('stopped at a boundary after so many steps', () => {
    assert.equal(
      of([step(1), step(2), step(3, { outcome: 'notStarted' })]).message,
      'Paused at a boundary after 2 steps.',
    );
    assert.equal(of([step(1)], 'abort').message, 'Aborted at a boundary after 1 step.');
    const no = { outcome: 'skipped', reason: 'rejected' } as const;
    const receipt = of([step(1, no), step(2), step(3, no), step(4, { outcome: 'notStarted' })], 'abort');
    assert.equal(receipt.message, 'Aborted at a boundary after step 3 (1 done, 2 rejected).');
    assert.equal(receipt.boundary, 3);
  });

  it('the action had already completed', () => {
    const last = write(2, { effect: 'committed' });
    const receipt = of([step(1), last], 'pause', { inFlight: last });
    assert.match(receipt.message, /step 2 "Edit 2" had already completed/);
    assert.deepEqual(
      receipt.effects.map((e) => [e.n, e.effect]),
      [[2, 'committed']],
    );
  });

  it('unknown: human review, also for an abort, and never "cancelled"', () => {
    for (const intent of ['pause', 'steer', 'takeOver', 'abort', 'interrupted'] as const) {
      const last = write(2, { outcome: 'unknown', effect: 'unknown' });
      const receipt = of([step(1), last], intent, { inFlight: last, forced: true });
      assert.match(receipt.message, /unknown; human review needed\. It was killed\./);
      assert.equal(receipt.recovery, 'humanReview');
      assert.doesNotMatch(receipt.message, /cancel/i);
    }
  });

  it('names what is frozen, in the background, or could not be ended', () => {
    const command = step(2, { tool: 'run_command', title: 'Run tests', outcome: 'running', effect: 'requested' });
    const id = { pid: 7, startTime: '1', command: 'serve' };
    assert.match(
      of([step(1), command], 'pause', { state: { frozen: command.id } }).message,
      /step 2 "Run tests" is frozen in the middle, after 1 finished step/,
    );
    const server = step(1, { title: 'Serve', process: { id, marker: 'm', background: true } });
    assert.match(
      of([server], 'pause', { state: { background: [server.id] } }).message,
      /In the background: "Serve" \(process 7\)/,
    );
    assert.match(of([step(1)], 'abort', { state: { survivors: [id] } }).message, /Still alive: process 7 \(serve\)/);
  });

  it('has the authority and the way on of its intent', () => {
    const facts = (intent: Intent) => {
      const { authority, recovery, resume } = of([step(1)], intent);
      return [authority, recovery, resume.allowed, resume.checkpoint];
    };
    assert.deepEqual(facts('pause'), ['full', 'resume', true, 1]);
    assert.deepEqual(facts('steer'), ['full', 'resume', true, 1]);
    assert.deepEqual(facts('takeOver'), ['closing', 'resume', true, 1]);
    assert.deepEqual(facts('abort'), ['revoked', 'none', false, 1]);
    assert.deepEqual(facts('interrupted'), ['full', 'resume', true, 1]);
  });
});
