/** Each line of a receipt's evidence leads somewhere; what it leads to says what it is about. */
import assert from 'node:assert/strict';
import { receiptLinks, renderReceipts } from '../../../src/ui/render/receipt';
import { renderApproval, renderStep } from '../../../src/ui/render/step';
import { decision, receipt, runState, step } from './states';

const command = step(1, {
  tool: 'run_command',
  args: { command: 'make' },
  title: 'make',
  effect: 'committed',
  effectKind: 'process',
  process: { id: { pid: 4711, startTime: '1', command: 'sh -c make' }, marker: 'm', background: false },
  exit: { code: 2, signal: null },
  text: 'exit code 2\nno rule to make target',
  undo: { tool: 'run_command', args: { command: 'make clean' } },
});
const asked = decision({
  id: 'run1/d1',
  kind: 'approval',
  stepId: command.id,
  state: 'granted',
  title: 'Run make?',
  answer: { choice: 'grant', at: 5 },
});
const abort = receipt({
  intent: 'abort',
  recovery: 'compensate',
  evidence: [
    { kind: 'step', stepId: command.id },
    { kind: 'file', path: 'a.txt', before: null, after: 'ab'.repeat(32) },
    { kind: 'process', pid: 4711, exit: 'exit code 2' },
    { kind: 'approval', decisionId: asked.id },
  ],
});
const state = runState({
  status: 'aborted',
  steps: [command],
  decisions: [asked],
  receipts: [receipt({ evidence: [{ kind: 'step', stepId: command.id }] }), abort],
});

describe('links of a receipt', () => {
  it('lead from span, file, process and approval to what they name, and to the undoing', () => {
    const text = renderReceipts(state);
    const links = receiptLinks(state, text).map(({ start, end, target }) => [text.slice(start, end), target]);
    assert.deepEqual(links, [
      ['step 1', { to: 'step', n: 1 }],
      ['file a.txt', { to: 'file', path: 'a.txt', before: null, after: 'ab'.repeat(32) }],
      ['process 4711', { to: 'step', n: 1 }],
      ['approval 1', { to: 'approval', n: 1 }],
      ['Undo step 1', { to: 'undo', stepId: 'run1/s1' }],
      // Of the receipt before.
      ['step 1', { to: 'step', n: 1 }],
    ]);
    assert.match(text, /^- Undo step 1: Run make clean$/m);
    assert.match(text, /^- step 1: make$/m);
  });

  it('are left out where the text is older than the state', () => {
    assert.deepEqual(receiptLinks(state, '# Receipts\n'), []);
  });

  it('the step tells call, process, exit and output; the approval what was shown and answered', () => {
    const told = renderStep(state, 1);
    for (const part of [
      'Does: Run make',
      'Process: 4711 (sh -c make)',
      'Exit: exit code 2',
      'no rule to make target',
      'Command: make',
    ])
      assert.ok(told.includes(part), part);
    const answered = renderApproval(state, 1);
    for (const part of ['Run make?', 'State: granted', 'Step: 1. make']) assert.ok(answered.includes(part), part);
    assert.match(renderStep(state, 9), /not known/);
    assert.match(renderApproval(state, 9), /not known/);
  });
});
