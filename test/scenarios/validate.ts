/** Strict reading of a scenario file: an unknown key or action is an error that names it, with the file. */
import {
  among,
  anything,
  type Check,
  count,
  empty,
  flag,
  form,
  hex,
  list,
  mode,
  oneOf,
  path,
  plain,
  positive,
  record,
  shape,
  show,
  test,
  text,
  textOr,
  whole,
  word,
  yes,
} from './check';
import type { Scenario, Step, Verb } from './types';

export class ScenarioError extends Error {
  constructor(
    readonly file: string,
    readonly problems: string[],
  ) {
    super(`${file}: ${problems.join('; ')}`);
    this.name = 'ScenarioError';
  }
}

const statuses = [
  ...['running', 'stopping', 'paused', 'awaitingApproval', 'humanControl', 'reconciling', 'needsHuman'],
  ...['aborted', 'completed', 'failed'],
];
const outcomes = [
  ...['notStarted', 'running', 'done', 'failed', 'failedBeforeEffect', 'cancelledBeforeEffect', 'skipped', 'unknown'],
];
const status = oneOf(among(...statuses));
const outcome = oneOf(among(...outcomes));
const verdict = oneOf(
  among('unchanged', 'humanEdited', 'humanCreated', 'humanDeleted', 'humanRenamed', 'typeChanged', 'unreadable'),
);
const effect = oneOf(among('notStarted', 'requested', 'committed', 'failedBeforeCommit', 'unknown'));
const decisionKind = among('approval', 'unsaved', 'conflict', 'unknownEffect', 'question', 'worldChanged');
const pointName = among(
  ...['model:streaming', 'tool:beforeStart', 'tool:beforeWrite', 'tool:afterEffect'],
  ...['checkpoint:beforeWrite', 'checkpoint:midWrite', 'reconcile:beforeApply'],
);

const contentForms: Record<string, Check> = {
  hex: shape({ hex: [hex] }),
  text: shape({ text: [text], mode }),
  link: shape({ link: [word] }),
  dir: shape({ dir: [yes] }),
  repeat: shape({ repeat: [text], times: [count] }),
};
const content = textOr(form('a content', contentForms));
const texts = list(text);
const textCheck = shape({ contains: texts, once: texts, not: texts, inOrder: texts, maxChars: count });
const fileCheck: Check = (value, at, bad) => {
  if (value === null || typeof value === 'string') return;
  form('a file check', {
    ...contentForms,
    same: shape({ same: [yes] }),
    contains: shape({ contains: [texts], not: texts }),
    mode: shape({ mode: [mode] }),
  })(value, at, bad);
};

const point = textOr(shape({ at: [pointName], step: [count] }));
const checkpoint: Check = (v, at, bad) => (v === 'start' ? undefined : count(v, at, bad));

const verbs: Record<Verb, Check> = {
  start: shape({ as: word }),
  pause: empty,
  resume: empty,
  abort: empty,
  forceStop: empty,
  takeOver: empty,
  handBack: shape({ note: text }),
  steer: textOr(shape({ text: [text], now: flag })),
  decide: shape({ kind: decisionKind, path: word, choice: [word], text }),
  restore: shape({ checkpoint: [checkpoint], paths: list(path) }),
  undoRestore: empty,
  compensate: shape({ step: positive }),
  fork: shape({ checkpoint: [checkpoint] }),
  human: shape({
    write: record(content, path),
    remove: list(path),
    rename: record(path, path),
    chmod: record(mode, path),
    touch: list(path),
    keepTimes: flag,
    shell: text,
    type: shape({ path: [path], line: [positive], column: [positive], text: [text] }),
    replaceText: shape({ path: [path], old: [word], new: [text] }),
    save: path,
    open: path,
    setEol: shape({ path: [path], eol: [among('lf', 'crlf')] }),
  }),
  until: (value, at, bad) => {
    shape({
      status,
      step: shape({ n: [positive], is: [outcome] }),
      request: positive,
      decision: decisionKind,
      held: pointName,
    })(value, at, bad);
    if (plain(value) && Object.keys(value).length === 0) bad(`${at} names no condition`);
  },
  sleep: count,
  hold: (v, at, bad) => (typeof v === 'string' ? pointName(v, at, bad) : point(v, at, bad)),
  release: (v, at, bad) => (typeof v === 'string' ? pointName(v, at, bad) : point(v, at, bad)),
  fault: shape({
    op: [among('open', 'write', 'fsync', 'rename', 'read')],
    path: [path],
    error: [test('an errno such as "ENOSPC"', (v) => typeof v === 'string' && /^E[A-Z0-9]+$/.test(v))],
    times: positive,
  }),
  kill: empty,
  reopen: empty,
  clock: shape({ advanceMs: [whole] }),
};
const modifiers: Record<string, Check> = { withinMs: positive, noWait: flag, run: word };

const action: Check = (value, at, bad) => {
  if (!plain(value)) return bad(`${at} must be an object, not ${show(value)}`);
  const keys = Object.keys(value).filter((k) => !Object.hasOwn(modifiers, k));
  for (const key of keys) if (!Object.hasOwn(verbs, key)) bad(`unknown action ${JSON.stringify(key)} in ${at}`);
  if (keys.length !== 1) bad(`${at} must hold exactly one action, not ${keys.length ? keys.join(', ') : 'none'}`);
  shape({ ...verbs, ...modifiers })(
    Object.fromEntries(Object.entries(value).filter(([k]) => Object.hasOwn(verbs, k) || Object.hasOwn(modifiers, k))),
    at,
    bad,
  );
};

const scenario = shape({
  id: [word],
  title: [word],
  kind: [word],
  hosts: list(among('node', 'vscode')),
  setup: [
    shape({
      files: [record(content, path)],
      folders: list(path),
      git: flag,
      settings: record(anything),
      workspaceSettings: record(anything),
      open: list(path),
      storage: record(content, path),
      noFolder: flag,
      trusted: flag,
      mcp: record(shape({ effect: text, replyMs: count, silent: flag, lateMs: count, error: text })),
    }),
  ],
  run: [
    shape({
      goal: text,
      model: list(
        shape({
          text,
          calls: list(shape({ tool: [word], args: [record(anything)] })),
          textMs: count,
          hang: among('beforeText', 'afterText'),
          status: positive,
          retryAfterS: count,
          body: anything,
          cut: flag,
          echo: shape({ from: [word], pattern: [word], as: [word] }),
          repeat: positive,
        }),
      ),
      playbook: record(anything),
      approvals: among('ask', 'edits', 'auto'),
    }),
  ],
  script: [list(action)],
  expect: [
    shape({
      status,
      files: record(oneOf(fileCheck), path),
      onlyChanged: list(path),
      buffers: record(shape({ text: [text], dirty: [flag] }), path),
      steps: list(shape({ n: positive, tool: word, outcome: [outcome], effect })),
      requests: shape({ count, max: count, last: textCheck, first: textCheck, afterResume: textCheck }),
      reconcile: record(verdict, path),
      decisions: list(shape({ kind: [decisionKind], path, state: oneOf(word) })),
      receipts: list(
        shape({
          intent: [oneOf(among('pause', 'steer', 'takeOver', 'abort', 'interrupted', 'compensate'))],
          authority: oneOf(among('full', 'closing', 'revoked')),
          recovery: oneOf(among('none', 'resume', 'verify', 'compensate', 'humanReview')),
          resumable: flag,
          message: textOr((v, at, bad) =>
            (plain(v) && Object.hasOwn(v, 'oneOf') ? oneOf(text) : textCheck)(v, at, bad),
          ),
        }),
      ),
      notes: list(shape({ text: [text], state: [oneOf(among('queued', 'delivered', 'undelivered', 'withdrawn'))] })),
      processes: among('none', 'named'),
      settledWithinMs: record(
        count,
        test('the index of an action', (v) => /^\d+$/.test(v as string)),
      ),
      storage: shape({ notContains: texts, maxBytes: count }),
      runs: record(status),
    }),
  ],
});

/** The scenario in a file's text; throws a ScenarioError that lists everything wrong with it. */
export function parseScenario(source: string, file: string): Scenario {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch (error) {
    throw new ScenarioError(file, [`no JSON: ${(error as Error).message}`]);
  }
  const problems: string[] = [];
  scenario(value, '', (problem) => problems.push(problem));
  if (problems.length === 0) problems.push(...inconsistencies(value as Scenario));
  if (problems.length > 0) throw new ScenarioError(file, problems);
  return value as Scenario;
}

function inconsistencies({ script, expect, run }: Scenario): string[] {
  const problems: string[] = [];
  if (run.model && run.playbook) problems.push('run has both a model and a playbook');
  for (const index of Object.keys(expect.settledWithinMs ?? {}))
    if (Number(index) >= script.length) problems.push(`expect.settledWithinMs: there is no action ${index}`);
  const names = new Set<string>();
  script.map(toStep).forEach(({ verb, value, modifiers: { run: name } }, i) => {
    if (name !== undefined && !names.has(name))
      problems.push(`script[${i}]: no run was started as ${JSON.stringify(name)}`);
    if (verb === 'start' && value.as !== undefined) names.add(value.as);
  });
  for (const name of Object.keys(expect.runs ?? {}))
    if (!names.has(name)) problems.push(`expect.runs: no run was started as ${JSON.stringify(name)}`);
  return problems;
}

/** Tells verb and modifiers of an action apart. */
export function toStep(entry: Scenario['script'][number]): Step {
  const { withinMs, noWait, run, ...rest } = entry;
  const [verb, value] = (Object.entries(rest) as [string, unknown][])[0] ?? [];
  const modifiers = {
    ...(withinMs === undefined ? {} : { withinMs }),
    ...(noWait === undefined ? {} : { noWait }),
    ...(run === undefined ? {} : { run }),
  };
  return { verb, value, modifiers } as Step;
}
