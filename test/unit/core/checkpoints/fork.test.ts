import assert from 'node:assert/strict';
import { forkOf } from '../../../../src/core/checkpoints/fork';
import { transcriptProblems, stepProblems } from '../../../scenarios/invariants';
import { runState, step } from '../../ui/states';

const source = runState({
  status: 'aborted',
  steps: [
    step(1, {
      reply: 1,
      seq: 9,
      seen: [{ path: 'a', hash: 'h1', size: 2, owned: { of: 'h1', ranges: [{ from: 1, to: 1 }] } }],
    }),
    step(2, {
      reply: 1,
      seq: 12,
      tool: 'edit_file',
      effect: 'committed',
      changes: [{ path: 'a', before: 'h1', after: 'h2', size: 2 }],
    }),
    step(3, { reply: 1, outcome: 'notStarted' }),
  ],
  transcript: [
    { kind: 'goal', text: 'g', at: 1 },
    {
      kind: 'assistant',
      requestId: 'run1/q1',
      text: '',
      stepIds: ['run1/s1', 'run1/s2', 'run1/s3'],
      interrupted: false,
      at: 2,
    },
    { kind: 'result', stepId: 'run1/s1', text: 'one', at: 3 },
    { kind: 'result', stepId: 'run1/s2', text: 'two', at: 4 },
    { kind: 'result', stepId: 'run1/s3', text: 'notStarted: the run was aborted before this call.', at: 5 },
  ],
  grants: ['command::x'],
  guards: [{ id: 'run1/g1', kind: 'protect', value: 'b/**', state: 'active', at: 1, heldAt: 'run1/s2' }],
});

describe('a fork', () => {
  it('stands where the run stood, with its planned calls and the bases of then', () => {
    const fork = forkOf(source, 1, 'run2', 99, 'mind the gap');
    assert.deepEqual(transcriptProblems(fork), []);
    assert.deepEqual(stepProblems(fork), []);
    assert.equal(fork.status, 'paused');
    assert.deepEqual(
      fork.steps.map((one) => [one.id, one.outcome]),
      [
        ['run2/s1', 'done'],
        ['run2/s2', 'notStarted'],
        ['run2/s3', 'notStarted'],
      ],
    );
    const file = fork.files.find((one) => one.path === 'a');
    assert.equal(file?.base, 'h1');
    assert.deepEqual(file.owned?.ranges, [{ from: 1, to: 1 }], 'the lines of the human stay theirs');
    assert.deepEqual(
      fork.notes.map((note) => [note.id, note.text, note.state]),
      [['run2/n1', 'mind the gap', 'queued']],
    );
  });

  it('keeps the guards, and no permission', () => {
    const fork = forkOf(source, 2, 'run2', 99);
    assert.deepEqual(fork.guards, [
      { id: 'run2/g1', kind: 'protect', value: 'b/**', state: 'active', at: 1, heldAt: 'run2/s2' },
    ]);
    assert.deepEqual(fork.grants, []);
    assert.equal(fork.files.find((file) => file.path === 'a')?.base, 'h2');
  });

  it('at the start has heard the goal alone', () => {
    const fork = forkOf(source, 0, 'run2', 99);
    assert.deepEqual(
      fork.transcript.map((entry) => entry.kind),
      ['goal', 'remark'],
    );
    assert.deepEqual([fork.steps, fork.files], [[], []]);
  });
});
