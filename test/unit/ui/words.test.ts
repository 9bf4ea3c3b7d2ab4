/** No word of the state reaches a human as it stands in the code. */
import assert from 'node:assert/strict';
import type { Decision, Note, NoteState, RunState, StepOutcome } from '../../../src/core/run/state';
import type { Verdict } from '../../../src/core/reconcile/report';
import { marksOf } from '../../../src/ui/render/marks';
import { renderHandover } from '../../../src/ui/render/handover';
import { stateLine } from '../../../src/ui/render/stateLine';
import { renderReceipts } from '../../../src/ui/render/receipt';
import { renderApproval, renderStep } from '../../../src/ui/render/step';
import { renderReconcile } from '../../../src/ui/render/reconcile';
import { renderTranscript } from '../../../src/ui/render/transcript';
import {
  DECISION,
  detailOf,
  EFFECT,
  FATE,
  INTENT,
  NOTE,
  outcomeOf,
  PHASE,
  RECOVERY,
  remarkWords,
  reportWords,
  runNamed,
  stamp,
  STATUS,
  told,
  VERDICT,
} from '../../../src/ui/render/words';
import { steeringRows } from '../../../src/ui/tree/steering';
import { statusItem } from '../../../src/ui/statusText';
import { steerState } from '../../../src/ui/steer/viewState';
import { buildTree } from '../../../src/ui/tree/model';
import type { TreeNode } from '../../../src/ui/tree/node';
import { decision, file, receipt, runState, step } from './states';

const keys = <K extends string>(record: Readonly<Record<K, unknown>>): K[] => Object.keys(record) as K[];
const OUTCOMES: Record<StepOutcome, true> = {
  notStarted: true,
  running: true,
  done: true,
  failed: true,
  failedBeforeEffect: true,
  cancelledBeforeEffect: true,
  skipped: true,
  unknown: true,
};
const REASONS = ['rejected', 'expired', 'steered', 'worldChanged', 'runEnded', 'forced', 'human', 'interrupted'];

/** Every word of the state that no human would say: those in camel case, and codes. */
const RAW = [STATUS, PHASE, EFFECT, INTENT, RECOVERY, VERDICT, NOTE, DECISION, FATE, OUTCOMES]
  .flatMap((record) => Object.keys(record))
  .concat('stepFailed', 'runEnded')
  .filter((word) => /[A-Z]/.test(word));

const allSteps = keys(OUTCOMES).flatMap((outcome, i) =>
  keys(EFFECT).map((effect, j) =>
    step(i * 10 + j + 1, {
      outcome,
      effect,
      effectKind: 'workspace',
      reason: REASONS[(i + j) % REASONS.length] ?? 'human',
      text: `${outcome} (reason: steered): the human sent a correction.`,
      changes: [{ path: 'a.ts', before: 'a', after: 'b', size: 1 }],
    }),
  ),
);
const reportText = keys(VERDICT)
  .map((verdict) => `- src/${verdict.length}.ts: ${verdict} (in unsaved text)`)
  .concat(keys(VERDICT).map((verdict) => `- b.ts: ${verdict}`))
  .join('\n');
const decisions = keys(DECISION).flatMap((kind): Decision[] =>
  keys(FATE).map((state) =>
    decision({
      id: `run1/d-${kind}-${state}`,
      kind,
      state,
      detail:
        kind === 'worldChanged'
          ? `git: a → b. ${keys(VERDICT)
              .map((v) => `a.ts: ${v}`)
              .join(', ')}`
          : 'npm test',
      ...(state === 'answered' ? { answer: { choice: 'grant', at: 5 } } : {}),
    }),
  ),
);

const everything: RunState = runState({
  steps: allSteps,
  transcript: [
    ...allSteps.map((one) => ({ kind: 'result' as const, stepId: one.id, text: one.text ?? '', at: 1 })),
    { kind: 'report', text: reportText, at: 2 },
  ],
  plan: [
    { title: 'p', status: 'pending' },
    { title: 'q', status: 'running' },
  ],
  notes: keys<NoteState>(NOTE).map((state) => ({ id: `run1/n-${state}`, text: 'note', state, now: false, at: 1 })),
  decisions,
  receipts: keys(INTENT).flatMap((intent) =>
    keys(RECOVERY).map((recovery) =>
      receipt({
        intent,
        recovery,
        effects: allSteps.map(({ id, n, tool, title, outcome, effect }) => ({
          ...{ stepId: id, n, tool, title, outcome, effect },
          evidence: `a.ts: ${effect}`,
        })),
      }),
    ),
  ),
  files: [file('a.ts', { by: 'agent', written: 'b', original: 'a' }), file('b.ts', { deletedByHuman: true })],
  report: {
    files: keys<Verdict>(VERDICT).map((verdict) => ({
      path: 'a.ts',
      verdict,
      before: { hash: 'a', size: 1, type: 'file' },
      after: { hash: 'b', size: 1, type: 'file' },
    })),
    checked: 9,
    plan: [],
    text: reportText,
  },
});

const shownOf = (rows: readonly TreeNode[]): string[] =>
  rows.flatMap((row) => [
    ...[row.label, row.description, row.tooltip, row.spoken].filter((text) => text !== undefined),
    ...shownOf(row.children),
  ]);

describe('words on screen', () => {
  const check = (where: string, texts: readonly string[]): void => {
    for (const text of texts) {
      const raw = RAW.find((word) => new RegExp(`\\b${word}\\b`).test(text));
      const at = raw === undefined ? 0 : text.indexOf(raw);
      assert.doesNotMatch(text, /\brun1\b/, `${where}: the id of the run`);
      assert.equal(raw, undefined, `${where}: …${text.slice(Math.max(0, at - 40), at + 60)}…`);
    }
  };

  for (const status of keys(STATUS)) {
    it(`are for people in everything that is made of a run that is ${STATUS[status].toLowerCase()}`, () => {
      for (const phase of keys(PHASE)) {
        const s: RunState = { ...everything, status, phase, reason: { code: 'stepFailed', text: '' } };
        check('tree', shownOf(buildTree(s, 0)));
        const { text, tooltip, spoken } = statusItem(s, 0);
        check('status bar', [text, tooltip, spoken]);
        const view = steerState(s, undefined, 0);
        check('steering view', [view.line, view.hint, ...view.decisions.flatMap((d) => [d.title, d.detail])]);
        check('handover', [renderHandover(s, stateLine(s, 0).text)]);
      }
      check('transcript', [renderTranscript({ ...everything, status })]);
      check('receipts', [renderReceipts({ ...everything, status })]);
      check(
        'steps',
        allSteps.map(({ n }) => renderStep({ ...everything, status }, n)),
      );
      const asked = { ...everything, status, decisions: [decision({ stepId: 'run1/s1', subject: 'run1:x' })] };
      check('approval', [renderApproval(asked, 1)]);
      check('reconcile', [renderReconcile({ ...everything, status })]);
    });
  }

  it('name a run with its start and what is special about it', () => {
    const run = runState({ goal: 'Fix it', createdAt: 1_000 });
    assert.equal(runNamed(run, ['pinned']), `“Fix it” (started ${stamp(1_000)}, pinned)`);
  });

  it('say that a playbook keeps a note, with no warning', () => {
    const note = { id: 'run1/n1', text: 'x', at: 1, state: 'undelivered' } as const;
    const model = { provider: 'playbook', label: 'p', fixed: true };
    const rows = (fixed: boolean): TreeNode[] =>
      steeringRows(runState({ notes: [note as unknown as Note], ...(fixed ? { model } : {}) }));
    assert.deepEqual([rows(true)[0]?.description, rows(true)[0]?.icon?.id], ['kept', 'note']);
    assert.deepEqual([rows(false)[0]?.description, rows(false)[0]?.icon?.id], ['not delivered', 'warning']);
  });

  it('say of a refusal by whom it was', () => {
    const at = (reason: string, text: string): string =>
      outcomeOf({ id: 's', outcome: 'failedBeforeEffect', reason, text }, null);
    assert.equal(
      at('protected', 'gen/a is protected by a guard of the human ("protect gen/**"); nothing was written.'),
      'refused: you protected gen/**',
    );
    assert.equal(
      at('guard', 'A guard of the human forbids this command ("forbid command npm publish"); nothing was run.'),
      'refused: you forbade npm publish',
    );
    assert.equal(at('protected', 'a is protected (holdfast.protectedPaths)'), 'refused: protected by your settings');
    assert.equal(at('notFound', 'x'), 'failed before any effect');
  });

  it('leave the text of files and commands alone', () => {
    const code = 'const state = { a: humanEdited, b: notStarted };\n- x: notStarted, y';
    assert.equal(told(code), code);
    const remark = 'The developer asked to undo step 1 (make) by run_command. failedBeforeEffect: a\nb';
    assert.equal(remarkWords(remark), 'The developer asked to undo step 1 (make): failed before any effect. a\n    b');
    assert.equal(remarkWords('Resumed.'), 'Resumed.');
    assert.equal(reportWords(code), code);
    assert.equal(detailOf({ kind: 'approval', detail: 'echo a: humanEdited' }), 'echo a: humanEdited');
  });

  it('say what was asked and answered, in the order of time, and what nobody answered', () => {
    const s = runState({
      decisions: [
        decision({ openedAt: 3, state: 'granted', answer: { choice: 'grant', at: 9 } }),
        decision({ id: 'run1/d2', openedAt: 4, state: 'expired', title: 'And this?' }),
      ],
      receipts: [receipt({ at: 5, message: 'Paused at a boundary.' })],
    });
    assert.deepEqual(
      marksOf(s).map(({ text }) => text.replace(/\d\d:\d\d:\d\d/, 'T')),
      [
        '· T Asked: Run this command? npm test',
        '· T Asked: And this? (expired, not answered)',
        '· T Paused at a boundary.',
        '· T You answered: Allow',
      ],
    );
  });
});
