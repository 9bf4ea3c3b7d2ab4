import assert from 'node:assert/strict';
import type { RunState, RunSummary, Step } from '../../../src/core/run/state';
import { markOf } from '../../../src/ui/fileMark';
import { changedSince, hashAt } from '../../../src/ui/documents/hashAt';
import { checkpointRows } from '../../../src/ui/tree/checkpoints';
import { clock } from '../../../src/ui/render/words';
import { historyRows } from '../../../src/ui/tree/history';
import { file, runState, step, steps } from './states';

const wrote = (n: number, path: string, before: string | null, after: string | null): Step =>
  step(n, {
    tool: 'write_file',
    title: `Write ${path}`,
    effect: 'committed',
    effectKind: 'workspace',
    endedAt: n * 1000,
    changes: [{ path, before, after, size: 1 }],
  });

const s: RunState = runState({
  steps: [wrote(1, 'src/a.ts', 'a0', 'a1'), step(2), wrote(3, 'src/a.ts', 'a1', 'a2'), wrote(4, 'b.ts', null, 'b1')],
  files: [
    file('src/a.ts', { by: 'agent', original: 'a0', written: 'a2' }),
    file('b.ts', { by: 'agent', original: null, written: 'b1' }),
    file('read.ts', { base: 'r' }),
  ],
});

describe('what a checkpoint holds', () => {
  it('is the last write up to it, else what was there before the next one, else what was read', () => {
    assert.deepEqual(
      [0, 1, 2, 3, 4].map((n) => hashAt(s, 'src/a.ts', n)),
      ['a0', 'a1', 'a1', 'a2', 'a2'],
    );
    assert.deepEqual(
      [0, 3, 4].map((n) => hashAt(s, 'b.ts', n)),
      [null, null, 'b1'],
    );
    assert.equal(hashAt(s, 'read.ts', 2), 'r');
    assert.equal(hashAt(s, 'never.ts', 2), undefined);
  });

  it('differs from now in what was written later, and in what the human changed', () => {
    assert.deepEqual(changedSince(s, 2), [
      { path: 'src/a.ts', then: 'a1' },
      { path: 'b.ts', then: null },
    ]);
    assert.deepEqual(changedSince(s, 4), []);
    const human = { ...s, files: [...s.files.slice(0, 2), file('read.ts', { base: 'r', by: 'human' })] };
    assert.deepEqual(changedSince(human, 4), [{ path: 'read.ts', then: 'r' }]);
  });
});

describe('what a checkpoint holds, where more than steps changed a file', () => {
  const restored = (change: object): RunState => ({
    ...s,
    restores: [
      {
        ...{ id: 'run1/u1', kind: 'restore', checkpoint: 2, at: 9, state: 'settled', seq: 99, skipped: [] },
        files: [{ path: 'src/a.ts', before: 'a2', after: 'a1', done: true, ...change }],
      },
    ],
  });

  it('is the same as now once a restore has brought it back', () => {
    assert.deepEqual(changedSince(restored({}), 2), [{ path: 'b.ts', then: null }]);
    assert.deepEqual(
      changedSince(restored({}), 0).map((one) => one.path),
      ['src/a.ts', 'b.ts'],
    );
    assert.deepEqual(
      changedSince(restored({ done: false }), 2).map((one) => one.path),
      ['src/a.ts', 'b.ts'],
    );
  });

  it('is what a command left, until the run writes again', () => {
    const command = step(5, {
      tool: 'run_command',
      effect: 'committed',
      changes: [{ path: 'src/a.ts', before: 'a2', after: 'c', size: 1, command: 'only' }],
    });
    const later = { ...s, steps: [...s.steps, command] };
    assert.deepEqual(
      [3, 4, 5].map((n) => hashAt(later, 'src/a.ts', n)),
      ['a2', 'a2', 'c'],
    );
    assert.deepEqual(changedSince(later, 4), [{ path: 'src/a.ts', then: 'a2' }]);
    assert.deepEqual(changedSince(later, 5), []);
  });

  it('has what the human wrote before the next step, as a restore has', () => {
    const typed = { ...s, steps: [...s.steps.slice(0, 2), wrote(3, 'src/a.ts', 'mine', 'a2')] };
    assert.equal(hashAt(typed, 'src/a.ts', 1), 'mine');
  });
});

describe('checkpoints', () => {
  it('are one per finished step, newest first, down to the start, each with the files that changed since', () => {
    const rows = checkpointRows({ ...s, steps: [...s.steps, step(5, { outcome: 'notStarted' })] }, 'checkpoint');
    assert.deepEqual(
      rows.map((row) => row.label),
      [
        'After step 4: Write b.ts',
        'After step 3: Write src/a.ts',
        'After step 2: Read file 2',
        'After step 1: Write src/a.ts',
        'Before the first step',
      ],
    );
    const fork = checkpointRows(
      { ...s, createdAt: 9_000, steps: [step(1, { startedAt: 2_000, endedAt: 3_000 })] },
      'checkpoint',
    );
    assert.equal(fork[1]?.description, clock(2_000), 'older than its first step');
    assert.equal(rows[0]?.action, undefined);
    assert.deepEqual(rows[1]?.action, { do: 'checkpoint', runId: 'run1', checkpoint: 3 });
    assert.deepEqual(
      rows[2]?.lazy?.().map((row) => row.action),
      [
        { do: 'compare', path: 'src/a.ts', from: 2, runId: 'run1' },
        { do: 'compare', path: 'b.ts', from: 2, runId: 'run1' },
      ],
    );
  });

  it('of a long run are the newest, and how many are older', () => {
    const rows = checkpointRows(runState({ steps: steps(230) }), 'checkpoint');
    assert.equal(rows.length, 202);
    assert.equal(rows.at(-2)?.label, '30 older checkpoints');
  });
});

describe('marks of files', () => {
  it('tell what the run wrote from what the human changed since, and leave the rest alone', () => {
    const wrote = file('a', { by: 'agent', known: 'k', base: 'k', written: 'k' });
    assert.deepEqual(
      [
        markOf(wrote, 'k'),
        markOf(wrote, 'other'),
        markOf(wrote, null),
        markOf(wrote, undefined),
        markOf(file('a', { known: 'k', base: 'k' }), 'k'),
        markOf(file('a', { known: 'k', base: 'k' }), 'other'),
        markOf(file('a', { known: 'k', by: 'human' }), 'k'),
        markOf(file('.env', { noBlob: true, known: null }), 'other'),
      ],
      ['agent', 'human', 'human', 'agent', undefined, 'human', 'human', undefined],
    );
  });
});

describe('history', () => {
  const run = (runId: string, change: Partial<RunSummary>): RunSummary => ({
    runId,
    goal: `Goal of ${runId}`,
    status: 'completed',
    control: 'agent',
    model: 'm',
    createdAt: 0,
    updatedAt: 0,
    stepsDone: 3,
    steps: 4,
    live: false,
    ...change,
  });

  it('lists the runs of before with how they stand, and offers to delete only those that have ended', () => {
    const rows = historyRows(
      [run('c', {}), run('b', { status: 'paused' }), run('a', { updatedAt: -7_200_000 })],
      'c',
      60_000,
    );
    assert.deepEqual(
      rows.map((row) => [row.label, row.description, row.context]),
      [
        ['Goal of b', '1 min ago · Paused · 3 of 4 steps', 'holdfast.run.open'],
        ['Goal of a', '2 h ago · Completed · 3 of 4 steps', 'holdfast.run.ended'],
      ],
    );
    assert.deepEqual(rows[0]?.action, { do: 'transcript', runId: 'b' });
  });

  it('marks what was imported', () => {
    const [row] = historyRows([run('a', { imported: true })], undefined, 60_000);
    assert.match(row?.description ?? '', / · imported$/);
    assert.match(row?.tooltip ?? '', /Imported from another machine/);
  });

  it('says what a run takes on disk, and that it is pinned', () => {
    const size = { own: 1_000_000, contents: 2_000_000 };
    const [row] = historyRows([run('a', { size, pinned: true })], undefined, 60_000);
    assert.match(row?.description ?? '', / · 2\.9 MB · pinned$/);
    assert.match(row?.spoken ?? '', /2\.9 MB, pinned: /);
    assert.equal(row?.context, 'holdfast.run.ended.pinned');
  });
});
