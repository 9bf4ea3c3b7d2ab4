/** What lives on, how far a call of another system is, and what can be undone: in the line, the status bar and the tree. */
import assert from 'node:assert/strict';
import type { RunState, Step } from '../../../src/core/run/state';
import { actionsOf } from '../../../src/ui/actions';
import { progressWords } from '../../../src/ui/render/words';
import { stateLine } from '../../../src/ui/render/stateLine';
import { statusItem } from '../../../src/ui/statusText';
import { planNode } from '../../../src/ui/tree/steps';
import { runState, step } from './states';

const server = step(1, {
  tool: 'run_command',
  title: 'npm run serve',
  effect: 'committed',
  effectKind: 'process',
  process: { id: { pid: 7, startTime: '1', command: 'c' }, marker: 'm', background: true },
});
const left = (status: RunState['status']): RunState =>
  runState({
    status,
    control: 'human',
    steps: [server],
    background: [server.id],
    reason: { code: 'error', text: 'No.' },
  });

describe('a run that is over and has left a command', () => {
  for (const status of ['completed', 'failed'] as const)
    it(`says so while ${status}, counts it, and offers to end it`, () => {
      const s = left(status);
      assert.match(stateLine(s, 0).text, /1 command still runs in the background: npm run serve\.$/);
      assert.match(statusItem(s, 0).text, /· 1 running$/);
      assert.match(statusItem(s, 0).spoken, /1 command still running$/);
      assert.deepEqual(actionsOf(s, 0), ['abort']);
      const [row] = planNode(s).children;
      assert.deepEqual([row?.context, row?.description], ['holdfast.command', 'runs in the background']);
    });

  it('says nothing of it when it is gone', () => {
    const s = { ...left('completed'), background: [] };
    assert.doesNotMatch(stateLine(s, 0).text, /background/);
    assert.deepEqual(actionsOf(s, 0), []);
  });
});

describe('progress of a call', () => {
  const at = (progress: Partial<NonNullable<Step['progress']>>): Step =>
    step(1, {
      tool: 'mcp.s.copy',
      title: 'copy',
      outcome: 'running',
      effectKind: 'external',
      progress: { done: 3, at: 0, ...progress },
    });

  it('is told as far as it is known', () => {
    assert.equal(progressWords(at({})), '3');
    assert.equal(progressWords(at({ total: 10, message: 'copying\nb' })), '3 of 10: copying b');
    assert.equal(progressWords(at({ done: 40.4, total: 100 })), '40 %');
    assert.equal(progressWords({ ...at({}), outcome: 'done' }), '');
  });

  it('stands on its row and in the line', () => {
    const running = at({ total: 10, message: 'copying' });
    const s = runState({ steps: [running], inFlight: { kind: 'step', stepId: running.id } });
    assert.equal(planNode(s).children[0]?.description, 'running, 3 of 10: copying');
    assert.match(stateLine(s, 0).text, /^Step 1: copy \(3 of 10: copying\)\.$/);
    const further = runState({ ...s, steps: [at({ done: 4, total: 10 })] });
    assert.equal(planNode(further).children[0]?.description, 'running, 4 of 10');
  });
});

describe('a step that can be undone', () => {
  const made = step(1, {
    effect: 'committed',
    effectKind: 'process',
    undo: { tool: 'run_command', args: { command: 'x' } },
  });

  it('offers it on its row where the run stands, once', () => {
    const context = (change: Partial<RunState>): string | undefined =>
      planNode(runState({ steps: [made], status: 'aborted', ...change })).children[0]?.context;
    assert.equal(context({}), 'holdfast.step.undoable');
    assert.equal(context({ status: 'paused' }), 'holdfast.step.undoable');
    assert.equal(context({ status: 'running' }), undefined);
    assert.equal(context({ steps: [made, step(2, { compensates: made.id, outcome: 'done' })] }), undefined);
    assert.equal(
      context({ steps: [made, step(2, { compensates: made.id, outcome: 'failed' })] }),
      'holdfast.step.undoable',
    );
  });

  it('says while it is undone that a stop waits, and then offers the Force Stop', () => {
    const own = step(2, { compensates: made.id, title: 'Undo step 1: x', outcome: 'running' });
    const undoing = (waits?: { intent: 'abort'; at: number }): RunState =>
      runState({
        status: 'aborted',
        steps: [made, own],
        inFlight: { kind: 'step', stepId: own.id },
        compensating: { stepId: own.id, at: 0, ...(waits ? { waits } : {}) },
      });
    assert.deepEqual([stateLine(undoing(), 0).text, actionsOf(undoing(), 0)], ['Undo step 1: x.', ['abort']]);
    const waiting = undoing({ intent: 'abort', at: 0 });
    assert.equal(stateLine(waiting, 10).text, 'Undo step 1: x. Your stop waits for it.');
    assert.deepEqual(actionsOf(waiting, 10), []);
    assert.match(stateLine(waiting, 6000).text, /Force Stop kills it at once\.$/);
    assert.deepEqual(actionsOf(waiting, 6000), ['forceStop']);
  });
});
