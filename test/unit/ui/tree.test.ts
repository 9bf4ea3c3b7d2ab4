import assert from 'node:assert/strict';
import type { RunState } from '../../../src/core/run/state';
import { buildTree } from '../../../src/ui/tree/model';
import { headed } from '../../../src/ui/tree/headed';
import { changedRows, type TreeNode } from '../../../src/ui/tree/node';
import { decision, file, runState, step, steps } from './states';

const row = (rows: readonly TreeNode[], label: string): TreeNode => {
  const found = rows.find((node) => node.label === label);
  assert.ok(found, `${label} among ${rows.map((node) => node.label).join(', ')}`);
  return found;
};
const count = (rows: readonly TreeNode[]): number => rows.reduce((n, node) => n + 1 + count(node.children), 0);

describe('run tree', () => {
  it('heads with status, phase, control, model and elapsed time', () => {
    const [header, goal] = buildTree(runState(), 66_000);
    assert.equal(header?.label, 'Running, thinking');
    assert.equal(header?.description, 'agent · 1:05 · some-model');
    assert.match(header?.spoken ?? '', /, control: agent, 1:05, some-model$/);
    assert.equal(goal?.label, 'Rename getUser to fetchUser');
  });

  it('says once who has control, and whose turn it is', () => {
    const header = (change: Parameters<typeof runState>[0]): (string | undefined)[] => {
      const [first] = buildTree(runState(change), 66_000);
      return [first?.label, first?.description, first?.spoken];
    };
    const reason = { code: 'playbook', text: 'x' } as const;
    assert.deepEqual(header({ status: 'paused', reason }), [
      'Your turn',
      'agent paused · 1:05 · some-model',
      'Run, Your turn, agent paused, 1:05, some-model',
    ]);
    assert.deepEqual(header({ status: 'humanControl', control: 'human' }), [
      'You have control',
      '1:05 · some-model',
      'Run, You have control, control: you, 1:05, some-model',
    ]);
  });

  it('parts long texts after a clause, and not in the middle of one', () => {
    assert.deepEqual(headed('Rename getUser'), { label: 'Rename getUser' });
    assert.deepEqual(headed('Run this command?', 'approval'), { label: 'Run this command?', description: 'approval' });
    assert.deepEqual(headed('Your turn, before step 5: Greet formally', 'x'), {
      label: 'Your turn, before step 5',
      description: 'Greet formally',
    });
    assert.deepEqual(headed('You have control; the agent changes nothing. Hand Back.'), {
      label: 'You have control',
      description: 'the agent changes nothing. Hand Back.',
    });
    assert.deepEqual(headed('Say how we greet and keep notes of it all'), {
      label: 'Say how we greet and keep notes of it all',
    });
    assert.deepEqual(headed('w'.repeat(40)), { label: 'w'.repeat(40) });
  });

  it('says what an allowance for the run covers beside its short label', () => {
    const choices = [{ id: 'grantForRun', label: 'Allow This Command for This Run' }];
    const s = runState({ status: 'awaitingApproval', decisions: [decision({ choices })] });
    const [answer] = row(buildTree(s, 0), 'Needs you').children[0]?.children.slice(-1) ?? [];
    assert.deepEqual(
      [answer?.label, answer?.description, answer?.tooltip],
      ['Allow for This Run', 'this command', 'Allow This Command for This Run'],
    );
    assert.equal(answer?.spoken, 'Answer: Allow This Command for This Run. Run this command? npm test');
  });

  it('stops the time of a run that has ended', () => {
    const [header] = buildTree(runState({ status: 'completed', control: 'human' }), 1e9);
    assert.equal(header?.description, '1:00 · some-model');
    const [later] = buildTree(runState({ status: 'completed', endedAt: 61_000, updatedAt: 99_000 }), 1e9);
    assert.equal(later?.description, '1:00 · some-model', 'what was restored since is not its time');
  });

  it('marks an imported run, with the time it was at work there and what differs here', () => {
    const none = { same: 1, different: ['a'], missing: ['b'], extra: [], unreadable: [], secret: [] };
    const importedFrom = {
      ...{ runId: 'run0', exportedAt: 1, at: 9e8, base: null, here: null, files: none, missingContents: 0 },
    };
    const s = runState({ status: 'completed', control: 'human', updatedAt: 9e8, activeMs: 65_000, importedFrom });
    assert.equal(buildTree(s, 1e9)[0]?.description, 'imported · 1:05 · some-model');
    const paused = runState({ status: 'paused', updatedAt: 9e8, activeMs: 65_000, importedFrom });
    assert.equal(buildTree(paused, 1e9)[0]?.description, 'agent · imported · 1:05 · some-model');
    const going = { ...paused, status: 'running' as const };
    assert.match(buildTree(going, 9e8 + 5000)[0]?.description ?? '', / · 1:10 · /);
    assert.equal(row(buildTree(s, 1e9), 'What differs here').description, '2 files');
  });

  it('lists guards before notes, with their fate, and only those that hold can be removed', () => {
    const guard = { id: 'r/g1', kind: 'protect', value: 'src/auth', state: 'active', at: 0 } as const;
    const guards = [
      guard,
      { ...guard, id: 'r/g2', state: 'removed' as const },
      { ...guard, id: 'r/g3', kind: 'skip' as const, value: 'step 2', state: 'met' as const },
    ];
    const notes = [{ id: 'r/n1', text: 'use tabs', state: 'queued' as const, now: false, at: 0 }];
    const { children } = row(buildTree(runState({ guards, notes }), 0), 'Steering');
    assert.deepEqual(
      children.map(({ label, description, context }) => [label, description, context]),
      [
        ['Protect src/auth', 'enforced', 'holdfast.guard.active'],
        ['Skip step 2', 'done its work', undefined],
        ['use tabs', 'queued', 'holdfast.note.queued'],
      ],
    );
  });

  it('tells the ways a step can end apart, by words and by icon', () => {
    const ends = [
      step(1, { outcome: 'failed' }),
      step(2, { outcome: 'cancelledBeforeEffect', reason: 'steered' }),
      step(3, { outcome: 'skipped', reason: 'rejected' }),
      step(4, { outcome: 'skipped', reason: 'expired' }),
      step(5, { outcome: 'unknown', effect: 'unknown', effectKind: 'process' }),
    ];
    const plan = row(buildTree(runState({ steps: ends }), 0), 'Plan').children;
    assert.deepEqual(
      plan.map((node) => node.description),
      [
        'failed',
        'cancelled before any effect (your note came first)',
        'rejected by you',
        'skipped (approval expired)',
        'unknown',
      ],
    );
    assert.equal(new Set(plan.map((node) => node.icon?.id)).size, 5);
  });

  it('marks the rows of living commands, and no other, for Kill This Command', () => {
    const id = { pid: 7, startTime: '1', command: 'c' };
    const command = (n: number, more: object) =>
      step(n, {
        tool: 'run_command',
        effectKind: 'process',
        process: { id, marker: 'm', background: n === 1 },
        ...more,
      });
    const living = runState({
      steps: [
        command(1, { outcome: 'done', effect: 'committed' }),
        command(2, { outcome: 'done', effect: 'committed' }),
        command(3, { outcome: 'running', effect: 'requested' }),
      ],
      background: [step(1, {}).id],
      inFlight: { kind: 'step', stepId: step(3, {}).id },
    });
    const plan = row(buildTree(living, 0), 'Plan').children;
    assert.deepEqual(
      plan.map((node) => [node.context, node.description]),
      [
        ['holdfast.command', 'runs in the background'],
        [undefined, undefined],
        ['holdfast.command', 'running'],
      ],
    );
    const over = { ...living, background: [], inFlight: null };
    assert.ok(row(buildTree(over, 0), 'Plan').children.every((node) => node.context === undefined));
  });

  it('calls a frozen step frozen', () => {
    const s = runState({
      status: 'paused',
      frozen: 'run1/s1',
      steps: [step(1, { outcome: 'running', effect: 'requested', effectKind: 'process' })],
    });
    assert.equal(row(buildTree(s, 0), 'Plan').children[0]?.description, 'frozen');
    const effect = row(buildTree(s, 0), 'Effects').children[0];
    assert.deepEqual([effect?.description, effect?.icon?.id], ['frozen in the middle', 'debug-pause']);
  });

  it('shows whose turn it is before the step has begun, and no longer when it is not', () => {
    const waiting = step(1, { outcome: 'notStarted', delayMs: 2000 });
    const s = runState({ steps: [waiting], inFlight: { kind: 'step', stepId: waiting.id } });
    const first = (state: typeof s): TreeNode | undefined => row(buildTree(state, 0), 'Plan').children[0];
    assert.deepEqual([first(s)?.icon?.id, first(s)?.spoken], ['loading~spin', 'Step 1, next: Read file 1']);
    const paused = first({ ...s, status: 'paused', inFlight: null });
    assert.deepEqual([paused?.icon?.id, paused?.spoken], ['circle-large-outline', 'Step 1, not started: Read file 1']);
  });

  it('shows the titles a playbook has still to do', () => {
    const s = runState({
      outline: ['One', 'Two', 'Three'],
      steps: [step(1, { title: 'One' })],
      model: { provider: 'playbook', label: 'a', fixed: true },
    });
    const plan = row(buildTree(s, 0), 'Plan');
    assert.deepEqual(
      plan.children.map((node) => node.label),
      ['1. One', '2. Two', '3. Three'],
    );
    assert.equal(plan.description, '1 of 3 finished');
  });

  it('folds older steps away, in portions, and keeps the rows of steps that did not change', () => {
    const long = steps(230);
    const before = buildTree(runState({ steps: long }), 0);
    const plan = row(before, 'Plan').children;
    assert.equal(plan[0]?.label, 'Earlier steps');
    assert.ok(plan.length <= 51);
    assert.equal(count(plan), 1 + 2 + 230);
    const after = buildTree(runState({ steps: [...long, step(231)] }), 0);
    assert.equal(row(after, 'Plan').children[5], plan[5]);
  });

  it('refreshes only what differs', () => {
    const s = runState({ steps: steps(3), files: [file('a.ts', { by: 'agent', written: 'bb' })] });
    const running = { ...s, steps: [...s.steps.slice(0, 2), { ...step(3), outcome: 'running' as const }] };
    const rows = buildTree(running, 0);
    assert.deepEqual(changedRows(rows, buildTree(running, 0)), { root: false, ids: [] });
    assert.deepEqual(changedRows(rows, buildTree(s, 0)).ids.sort(), ['run1/Plan', 'run1/s3']);
    assert.deepEqual(changedRows(rows, buildTree(running, 5_000)).ids, ['run1/header']);
    const asked = changedRows(rows, buildTree({ ...running, decisions: [decision()] }, 0));
    assert.equal(asked.root, true);
  });

  it('lists open decisions with their answers, and only open ones', () => {
    const s = runState({
      status: 'awaitingApproval',
      decisions: [decision(), decision({ id: 'run1/d0', state: 'rejected' })],
    });
    const needs = row(buildTree(s, 0), 'Needs you');
    assert.equal(needs.children.length, 1);
    assert.deepEqual(
      needs.children[0]?.children.filter((node) => node.action?.do === 'answer').map((node) => node.label),
      ['Allow', 'Reject'],
    );
  });

  it('offers what the human can write back to an approval of a change', () => {
    const s = runState({
      status: 'awaitingApproval',
      steps: [step(1, { tool: 'edit_file' })],
      decisions: [decision({ stepId: 'run1/s1', path: 'a.ts', change: { before: 'aa', after: 'bb' } })],
    });
    const labels = row(buildTree(s, 0), 'Needs you').children[0]?.children.map((node) => node.label);
    assert.deepEqual(labels, ['in the workspace folder', 'Show Change', 'Allow', 'Edit by Hand', 'Reject']);
    const begun = row(buildTree(s, 0, new Set(), new Map([['run1/d1', false]])), 'Needs you').children[0]?.children;
    assert.deepEqual(begun?.map((node) => node.label).slice(2), ['Allow', 'Write My Version', 'Reject']);
  });

  it('says who touched a file, and that commands see the older one', () => {
    const changed = step(1, {
      tool: 'edit_file',
      effect: 'committed',
      effectKind: 'workspace',
      changes: [{ path: 'src/b.ts', before: 'aa', after: 'bb', size: 1, unsaved: true }],
      seen: [{ path: 'd.ts', hash: 'aa', size: 1 }],
    });
    const s = runState({
      steps: [changed],
      files: [
        file('src/b.ts', { by: 'agent', written: 'bb', original: 'aa' }),
        file('c.ts', { by: 'human' }),
        file('d.ts'),
        file('e.ts', { deletedByHuman: true, by: 'human' }),
      ],
    });
    const shown = (dirty: string[]): (string | undefined)[] =>
      row(buildTree(s, 0, new Set(dirty)), 'Files').children.map((node) => node.description);
    assert.deepEqual(shown(['src/b.ts']), [
      'src · unsaved: commands see the older file',
      'you changed it',
      'you deleted it',
      '1',
    ]);
    assert.equal(shown([])[0], 'src · agent changed it');
    // The first look of a run is no reading of its own.
    const before = runState({ files: [file('d.ts')] });
    assert.doesNotMatch(JSON.stringify(buildTree(before, 0)), /Only read/);
  });

  it('says that you changed something only where you did', () => {
    const labels = (report: Partial<NonNullable<RunState['report']>>): string[] =>
      buildTree(runState({ report: { files: [], checked: 3, plan: [], text: '', ...report } }), 0).map((n) => n.label);
    assert.ok(!labels({}).includes('What you changed'));
    assert.ok(
      !labels({ note: 'mine', text: 'The human hands back with this note: mine' }).includes('What you changed'),
    );
    assert.ok(
      labels({ git: { from: 'a', to: 'b', operation: null, branchChanged: true } }).includes('What you changed'),
    );
  });

  it('shows the note of the hand back, and edits of files the run never read', () => {
    const report = { files: [], checked: 3, plan: [], text: '', note: 'mind the tabs' };
    const elsewhere = { changes: [{ path: 'docs/a.md', kind: 'changed' as const }] };
    const tree = buildTree(runState({ report: { ...report, elsewhere } }), 0);
    const row = (label: string) => tree.find((one) => one.label === label);
    const changed = row('What you changed');
    assert.equal(changed?.description, '1 other file');
    assert.deepEqual(
      changed?.children.map(({ label, description }) => [label, description]),
      [['a.md', 'docs · changed, not by a step']],
    );
    assert.deepEqual(
      row('Steering')?.children.map(({ label, description }) => [label, description]),
      [['mind the tabs', 'delivered with Hand Back']],
    );
  });

  it('has ids that are unique', () => {
    const s = runState({
      steps: steps(130),
      outline: ['x'],
      plan: [{ title: 'p', status: 'pending' }],
      decisions: [decision()],
      files: [file('a'), file('b', { by: 'agent' })],
    });
    const ids: string[] = [];
    const walk = (rows: readonly TreeNode[]): void => rows.forEach((node) => (ids.push(node.id), walk(node.children)));
    walk(buildTree(s, 0));
    assert.equal(new Set(ids).size, ids.length);
  });
});
