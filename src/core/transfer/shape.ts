/** Is what came in a file the state of a run? A sum says that it is as it was written, not who wrote it. Pure. */
import { isFinal, type RunState } from '../run/state';

type Json = Record<string, unknown>;

const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const HASH = /^[0-9a-f]{64}$/;

/** A name for a run's folder. */
export const isRunId = (id: unknown): id is string => typeof id === 'string' && RUN_ID.test(id) && !id.endsWith('.');

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isHash = (value: unknown): boolean => value === null || (isText(value) && HASH.test(value));
const optional =
  (test: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    value === undefined || test(value);
const oneOf =
  (...words: string[]) =>
  (value: unknown): boolean =>
    isText(value) && words.includes(value);
const listOf =
  (test: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(test);
const shaped =
  (members: Record<string, (value: unknown) => boolean>) =>
  (value: unknown): boolean =>
    isObject(value) && Object.entries(members).every(([key, test]) => test(value[key]));

const OUTCOMES = oneOf(
  'notStarted',
  'running',
  'done',
  'failed',
  'failedBeforeEffect',
  'cancelledBeforeEffect',
  'skipped',
  'unknown',
);
const EFFECTS = oneOf('notStarted', 'requested', 'committed', 'failedBeforeCommit', 'unknown');
const KINDS = oneOf('none', 'workspace', 'process', 'external');
const owned = optional((value) => value === null || shaped({ of: isText, ranges: Array.isArray })(value));
const change = shaped({
  ...{ path: isText, before: isHash, after: isHash, size: isNumber, owned },
  ...{ link: optional(oneOf('before')), folders: optional(listOf(isText)) },
});
const seen = shaped({ path: isText, hash: isHash, size: isNumber, owned });
const STATUS = oneOf('paused', 'awaitingApproval', 'humanControl', 'needsHuman', 'aborted', 'completed', 'failed');
const repository = { branch: optional((value) => value === null || isText(value)) };

const ENTRIES: Readonly<Record<string, (value: unknown) => boolean>> = {
  goal: shaped({ text: isText, at: isNumber }),
  assistant: shaped({ text: isText, requestId: isText, stepIds: listOf(isText), at: isNumber }),
  result: shaped({ stepId: isText, text: isText, at: isNumber }),
  note: shaped({ noteId: isText, text: isText, at: isNumber }),
  report: shaped({ text: isText, at: isNumber }),
  remark: shaped({ text: isText, at: isNumber }),
};

const isEntry = (value: unknown): boolean =>
  isObject(value) &&
  isText(value['kind']) &&
  Object.hasOwn(ENTRIES, value['kind']) &&
  ENTRIES[value['kind']]?.(value) === true;

const isEngine = (value: unknown): boolean =>
  shaped({ kind: oneOf('playbook'), label: isText, source: isText, format: oneOf('json', 'yaml') })(value) ||
  shaped({ kind: oneOf('model'), provider: isText, modelId: optional(isText) })(value);

const decision = shaped({
  id: isText,
  kind: oneOf('approval', 'unsaved', 'conflict', 'unknownEffect', 'question', 'worldChanged'),
  state: oneOf('pending', 'granted', 'rejected', 'expired', 'withdrawn', 'stale', 'answered'),
  stepId: optional(isText),
  title: isText,
  detail: isText,
  subject: isText,
  choices: listOf(shaped({ id: isText, label: isText })),
  answer: optional(shaped({ choice: isText, text: optional(isText) })),
  change: optional(shaped({ before: isHash, after: isHash, command: optional(isHash) })),
});

/** A restore in the middle has no place in a run at rest. */
const restore = shaped({
  id: isText,
  kind: oneOf('restore', 'undo'),
  checkpoint: isNumber,
  state: oneOf('settled'),
  seq: optional(isNumber),
  skipped: listOf(shaped({ path: isText, reason: isText })),
  files: listOf(
    shaped({
      path: isText,
      before: isHash,
      after: isHash,
      link: optional(oneOf('before', 'after')),
      folders: optional(listOf(isText)),
    }),
  ),
});

const MEMBERS: Readonly<Record<string, (value: unknown) => boolean>> = {
  schemaVersion: isNumber,
  runId: isRunId,
  goal: isText,
  engine: isEngine,
  model: shaped({ provider: isText, label: isText, fixed: (value) => typeof value === 'boolean' }),
  outline: listOf(isText),
  seq: isNumber,
  createdAt: isNumber,
  updatedAt: isNumber,
  status: STATUS,
  control: oneOf('agent', 'human'),
  transcript: listOf(isEntry),
  plan: listOf(shaped({ title: isText, status: oneOf('pending', 'running', 'done') })),
  notes: listOf(shaped({ id: isText, text: isText, state: oneOf('queued', 'delivered', 'undelivered', 'withdrawn') })),
  guards: optional(
    listOf(
      shaped({
        id: isText,
        kind: oneOf('protect', 'forbidCommand', 'stopBefore', 'skip'),
        value: isText,
        state: oneOf('active', 'met', 'removed'),
      }),
    ),
  ),
  decisions: listOf(decision),
  receipts: listOf(
    shaped({
      id: isText,
      intent: isText,
      message: isText,
      effects: Array.isArray,
      evidence: Array.isArray,
      resume: isObject,
    }),
  ),
  files: listOf(
    shaped({
      path: isText,
      known: isHash,
      knownSize: isNumber,
      knownType: isText,
      by: isText,
      base: optional(isHash),
      owned,
    }),
  ),
  restores: optional(listOf(restore)),
  compensating: optional((value) => value === null),
  prepared: optional(listOf(seen)),
  unprepared: optional(listOf(isText)),
  elsewhere: optional(listOf(shaped({ path: isText, kind: oneOf('created', 'changed', 'deleted') }))),
  made: optional(listOf(isText)),
  untold: optional(listOf(isText)),
  git: (value) => value === null || shaped(repository)(value),
  report: (value) =>
    value === null || shaped({ files: listOf(isObject), checked: isNumber, plan: listOf(isText), text: isText })(value),
  grants: listOf(isText),
  background: listOf(isText),
  partial: (value) => value === null || shaped({ requestId: isText, text: isText })(value),
  resuming: (value) => value === null || shaped({ via: isText, note: optional(isText) })(value),
  reason: (value) => value === null || shaped({ code: isText, text: isText })(value),
  frozen: (value) => value === null || isText(value),
  replies: isNumber,
  usage: shaped({ inputTokens: isNumber, outputTokens: isNumber }),
};

const late = shaped({ since: isNumber, isError: (value) => typeof value === 'boolean', text: isText });
const step = shaped({
  tool: isText,
  title: isText,
  callId: isText,
  reply: isNumber,
  outcome: OUTCOMES,
  effect: EFFECTS,
  effectKind: KINDS,
  changes: listOf(change),
  seq: optional(isNumber),
  seen: optional(listOf(seen)),
  text: optional(isText),
  late: optional(late),
  lateBefore: optional(listOf(late)),
  undone: optional(shaped({ runId: isText, n: isNumber, tool: isText, known: (value) => typeof value === 'boolean' })),
});

/** What is wrong, in words for the log; undefined: it is the state of a run at rest. */
export function stateProblem(value: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, test] of Object.entries(MEMBERS))
    if (!test(value[name])) return `"${name}" is not what it should be`;
  const state = value as unknown as RunState;
  if (!Array.isArray(state.steps)) return '"steps" is no list';
  for (const [n, one] of state.steps.entries()) {
    // numbers are dense and ids are made of them: steps are found by that
    if (!step(one) || one.n !== n + 1 || one.id !== `${state.runId}/s${n + 1}`)
      return `step ${n + 1} is not what it should be`;
  }
  for (const [n, one] of state.decisions.entries())
    if (one.id !== `${state.runId}/d${n + 1}`) return `decision ${n + 1} has the id of another one`;
  if (isFinal(state.status) && state.steps.some(({ outcome }) => outcome === 'running'))
    return 'a step runs in a run that is over';
  return undefined;
}
