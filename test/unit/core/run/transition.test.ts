import assert from 'node:assert/strict';
import { receiptProblems, stepProblems, transcriptProblems } from '../../../scenarios/invariants';
import { pairingProblems } from '../../../sim/model';
import type { RunEvent } from '../../../../src/core/run/events';
import { buildRequest } from '../../../../src/core/run/prompt';
import { isActive, isFinal, isWaiting, type RunState } from '../../../../src/core/run/state';
import { transition } from '../../../../src/core/run/transition';
import { answers, apply, type Budget, keyOf, type Node, nodeKeyOf, presses, REPLIES, START } from './explore';

const NONE: Budget = { stops: 0, resumes: 0, notes: 0, forces: 0, crashes: 0, answers: 0, kills: 0, undos: 0 };
/** Which presses are combined: all of them at once would be too many ways. */
const BUDGETS: Budget[] = [
  { ...NONE, stops: 2, resumes: 1, answers: 1 },
  { ...NONE, stops: 1, forces: 1, resumes: 1, answers: 1 },
  { ...NONE, notes: 1, resumes: 1, stops: 1 },
  { ...NONE, kills: 1, stops: 1, resumes: 1, answers: 1 },
  { ...NONE, crashes: 1, resumes: 1, answers: 2 },
  { ...NONE, stops: 2, undos: 1, answers: 1 },
  { ...NONE, stops: 2, undos: 1, forces: 1 },
  { ...NONE, stops: 1, undos: 2, resumes: 1 },
  { ...NONE, stops: 2, undos: 1, crashes: 1, answers: 1 },
  // Minutes instead of seconds.
  ...(process.env['HOLDFAST_DEEP'] === undefined
    ? []
    : [{ ...NONE, stops: 2, notes: 1, crashes: 1, resumes: 1, answers: 2 }]),
];

/** A check, or a side, in flight beside an undo that waits for its answer. A stop more is pressed in every state. */
const BESIDE: Budget[] = [
  { ...NONE, stops: 1, undos: 1, answers: 2 },
  { ...NONE, stops: 2, undos: 1, answers: 1, forces: process.env['HOLDFAST_DEEP'] === undefined ? 0 : 1 },
];

function budgetsFor(name: string, replies: (typeof REPLIES)[string]): Budget[] {
  if (name.startsWith('undoingBeside')) return BESIDE;
  const undoes = replies.some((call) => call.undo);
  return BUDGETS.filter((budget) => undoes === budget.undos > 0);
}

function problems({ state: s, flying: all }: Node): string[] {
  // A kill goes beside what the run itself waits for, at rest too.
  const flying = all.filter((f) => f.work.type !== 'killCommand');
  const wrong = [...transcriptProblems(s), ...stepProblems(s), ...undoProblems(s, flying)];
  const receipt = s.receipts.at(-1);
  if (receipt) wrong.push(...receiptProblems(receipt, s));
  if (s.control !== 'agent' && s.control !== 'human') wrong.push(`control ${String(s.control)}`);
  if (s.status === 'humanControl' && s.control !== 'human')
    wrong.push("the human has control, and it is said to be the agent's");
  if ((s.status === 'running' || s.status === 'reconciling') && s.control !== 'agent')
    wrong.push('it runs under the control of the human');
  if (isFinal(s.status) && s.frozen !== null) wrong.push(`${s.status}, and a command stands still`);
  if (isActive(s.status) && flying.length === 0) wrong.push(`it hangs: ${s.status}, and nothing is in flight`);
  if (flying.length > 1) wrong.push(`two things at once: ${flying.map((f) => f.work.type).join(', ')}`);
  if (!isActive(s.status) && flying.some((f) => !['checkEffect', 'takeSide', 'compensate'].includes(f.work.type)))
    wrong.push(`at rest (${s.status}), and in flight: ${flying[0]?.work.type}`);
  if (s.inFlight?.kind === 'model') wrong.push(...pairingProblems(buildRequest(s, 'q', 'sh').messages));
  return wrong;
}

/** Under way only where the run itself stands, in flight or asking; each has one receipt once it is over. */
function undoProblems(s: RunState, flying: Node['flying']): string[] {
  const wrong: string[] = [];
  const undos = s.steps.filter((x) => x.compensates !== undefined);
  const flies = flying.some((f) => f.work.type === 'compensate');
  if (flies && !s.compensating) wrong.push('a compensation is in flight, and the state does not know it');
  if (s.compensating) {
    const asks = s.decisions.some((d) => d.state === 'pending' && d.stepId === s.compensating?.stepId);
    if (isActive(s.status) || isWaiting(s.status)) wrong.push(`a compensation in a run that is ${s.status}`);
    if (flying.length === 0 && !asks) wrong.push('a compensation hangs: nothing is in flight, and nothing is asked');
    if (!flies && s.compensating.waits) wrong.push('a stop waits for a compensation that does nothing');
  }
  const receipts = s.receipts.filter((r) => r.intent === 'compensate').length;
  const over = undos.length - (s.compensating ? 1 : 0);
  if (receipts !== over) wrong.push(`${over} compensations are over, and there are ${receipts} receipts of them`);
  const twice = undos.filter((x) => x.outcome === 'done').map((x) => x.compensates);
  if (new Set(twice).size !== twice.length) wrong.push('a step was undone twice');
  return wrong;
}

/** Steps that may have had an effect: those may not become more once a run is over. */
const effects = (s: RunState): number =>
  s.steps.filter((x) => !x.compensates && x.effect !== 'notStarted' && x.effect !== 'failedBeforeCommit').length;

/** Nothing leads from cancelled, or from a run that is over, to an effect. */
function fromCancelled(before: Node, after: Node): string[] {
  const wrong: string[] = [];
  for (const [i, step] of before.state.steps.entries()) {
    const now = after.state.steps[i];
    if (step.outcome !== 'cancelledBeforeEffect') continue;
    if (now?.outcome !== step.outcome || now.effect !== step.effect)
      wrong.push(`step ${step.n} was cancelled and is ${now?.outcome}, ${now?.effect}`);
    if (after.flying.some(({ work }) => 'stepId' in work && work.stepId === step.id))
      wrong.push(`step ${step.n} was cancelled, and ${after.flying[0]?.work.type} is asked for it`);
  }
  const starts = after.flying.filter(
    ({ work }) => !['checkEffect', 'takeSide', 'killCommand', 'compensate'].includes(work.type),
  );
  if (isFinal(after.state.status) && starts.length > 0)
    wrong.push(`${after.state.status}, and ${starts[0]?.work.type} is asked for`);
  return wrong;
}

/** An abort stands whatever is answered meanwhile, and what a first try may have done is not forgotten with the second. */
function forgotten(before: Node, after: Node, event: RunEvent): string[] {
  const wrong: string[] = [];
  const { stopping } = before.state;
  const stands = after.state.stopping?.intent === 'abort' || after.state.status === 'aborted';
  if (stopping?.intent === 'abort' && !stands && event.type !== 'interrupted')
    wrong.push(`an abort became ${after.state.status}`);
  for (const step of after.state.steps) {
    const nothing = ['cancelledBeforeEffect', 'skipped', 'notStarted'].includes(step.outcome);
    const over = isFinal(after.state.status) || step.outcome !== 'notStarted';
    if (step.repeatOf !== undefined && nothing && over && !isFinal(before.state.status))
      wrong.push(`step ${step.n}, run again, is ${step.outcome}: its first try is forgotten`);
  }
  return wrong;
}

/** With work answering and nobody pressing, every way out of `stopping` leads to rest. */
function settles(node: Node, replies: (typeof REPLIES)[string], depth = 0): boolean {
  if (node.state.status !== 'stopping' && !node.state.compensating?.waits) return true;
  if (depth > 8) return false;
  const next = answers(node, replies);
  return next.length > 0 && next.every((event) => settles(apply(node, event, node.budget), replies, depth + 1));
}

/** `known`: what has been looked at with another budget already; it is the same there. */
function explore(replies: (typeof REPLIES)[string], budget: Budget, known: Set<string>): number {
  const seen = new Set<string>();
  const queue: Node[] = [apply(undefined, START, budget)];
  for (let node = queue.pop(); node; node = queue.pop()) {
    const key = keyOf(node);
    const own = nodeKeyOf(node, key);
    if (seen.has(own)) continue;
    seen.add(own);
    const { state } = node;
    const path = (): string =>
      JSON.stringify({
        status: state.status,
        inFlight: state.inFlight,
        steps: state.steps.map((s) => [s.tool, s.outcome, s.effect]),
      });
    if (!known.has(key)) lookAt(node, replies, path);
    known.add(key);
    const next = [...answers(node, replies).map((event) => ({ event, budget: node.budget })), ...presses(node)];
    for (const one of next) {
      const after = apply(node, one.event, one.budget);
      none([...fromCancelled(node, after), ...forgotten(node, after, one.event)], () => `${one.event.type}: ${path()}`);
      if (isFinal(state.status)) {
        if (after.state.status !== state.status) assert.fail(`${one.event.type} ends a final state: ${path()}`);
        if (effects(after.state) > effects(state) && one.event.type !== 'effectChecked') assert.fail(path());
      }
      queue.push(after);
    }
  }
  return seen.size;
}

/** What must hold in a state, and of any stop there. */
function lookAt(node: Node, replies: (typeof REPLIES)[string], path: () => string): void {
  none(problems(node), path);
  if (!settles(node, replies)) assert.fail(`a stop does not settle: ${path()}`);
  for (const intent of ['pause', 'takeOver', 'abort'] as const) {
    const once = repeat(node, intent);
    if (!settles(once, replies)) assert.fail(`${intent} does not settle: ${path()}`);
    const begun = node.flying.some(({ work }) => work.type === 'compensate');
    if (once.state.compensating && !begun) assert.fail(`${intent} leaves an undo that has not begun: ${path()}`);
  }
}

/** Pressing the same twice is one receipt. */
function repeat(node: Node, intent: 'pause' | 'takeOver' | 'abort'): Node {
  const event: RunEvent = { type: 'stopRequested', intent };
  const once = apply(node, event, node.budget);
  const twice = apply(once, event, node.budget);
  // what a state shares with the one before is the same without a look inside
  assert.equal(keysOf(twice.state).length, keysOf(once.state).length);
  for (const key of keysOf(once.state)) {
    if (key === 'seq' || key === 'updatedAt' || twice.state[key] === once.state[key]) continue;
    assert.deepEqual(twice.state[key], once.state[key], `${intent} twice, ${key}`);
  }
  return once;
}

const keysOf = (state: RunState): (keyof RunState)[] => Object.keys(state) as (keyof RunState)[];

/** What a failure says is made only then: there are a million looks. */
function none(problems: readonly string[], path: () => string): void {
  if (problems.length > 0) assert.fail(`${problems.join('\n')}\n${path()}`);
}

describe('all ways of a small run', () => {
  let total = 0;
  for (const [name, replies] of Object.entries(REPLIES)) {
    it(`${name}: stops settle, nothing hangs, one result a call, a repeated stop is one`, function () {
      this.timeout(0);
      const known = new Set<string>();
      for (const budget of budgetsFor(name, replies)) total += explore(replies, budget, known);
    });
  }
  after(() => console.log(`      ${total} states`));
});

describe('every event in every status', () => {
  const states = (): RunState[] => {
    const found = new Map<string, RunState>();
    for (const replies of Object.values(REPLIES)) {
      const queue: Node[] = [apply(undefined, START, { ...NONE, stops: 1, resumes: 1, answers: 2 })];
      const seen = new Set<string>();
      for (let node = queue.pop(); node && seen.size < 3000; node = queue.pop()) {
        const key = nodeKeyOf(node);
        if (seen.has(key)) continue;
        seen.add(key);
        found.set(`${node.state.status} ${node.state.inFlight?.kind ?? '-'} ${node.state.frozen !== null}`, node.state);
        for (const event of answers(node, replies)) queue.push(apply(node, event, node.budget));
        for (const press of presses(node)) queue.push(apply(node, press.event, press.budget));
      }
    }
    return [...found.values()];
  };
  const events = (s: RunState): RunEvent[] => {
    const step = s.steps[0]?.id ?? 'r/s1';
    const decision = s.decisions[0]?.id ?? 'r/d1';
    const report = { files: [], checked: 0, plan: [], text: 't' };
    return [
      START,
      { type: 'prepared', seen: [], git: null },
      { type: 'modelText', requestId: 'late', text: 'x' },
      { type: 'modelReplied', requestId: 'late', calls: [] },
      { type: 'modelFailed', requestId: 'late', error: { code: 'other', message: 'm' } },
      { type: 'modelCut', requestId: 'late' },
      { type: 'retryDue' },
      { type: 'retryCut' },
      { type: 'stepStarted', stepId: step },
      { type: 'stepNotStarted', stepId: step },
      {
        type: 'stepProcess',
        stepId: step,
        id: { pid: 1, startTime: '1', command: 'c' },
        marker: step,
        background: false,
      },
      { type: 'effectRequested', stepId: step, changes: [] },
      { type: 'stepEnded', end: { stepId: step, outcome: 'done', effect: 'committed', text: 't' } },
      { type: 'stepFrozen', stepId: step },
      { type: 'stepThawed', stepId: step },
      { type: 'stepAbandoned', stepId: step, text: 't' },
      {
        type: 'decisionOpened',
        request: { kind: 'question', stepId: step, title: '', detail: '', choices: [], freeText: true, subject: '' },
      },
      ...['grant', 'reject', 'happened', 'runAgain', 'check', 'mine', 'stop', 'end'].map((choice): RunEvent => ({
        type: 'decisionAnswered',
        decisionId: decision,
        choice,
      })),
      { type: 'decisionStale', decisionId: 'none' },
      { type: 'decisionExpired', decisionId: decision },
      { type: 'effectChecked', decisionId: decision, verdict: 'happened', proof: 'p' },
      { type: 'answeredLate', stepId: step, answer: { since: 1, isError: false, text: 't' } },
      { type: 'noteAdded', text: 'n', now: false },
      { type: 'noteAdded', text: 'n', now: true },
      { type: 'noteWithdrawn', noteId: 'r/n1' },
      { type: 'noteEdited', noteId: 'r/n1', text: 'other' },
      ...(['pause', 'steer', 'takeOver', 'abort'] as const).map((intent): RunEvent => ({
        type: 'stopRequested',
        intent,
      })),
      { type: 'forceRequested' },
      { type: 'compensateRequested', stepId: step },
      { type: 'resumeRequested', via: 'resume' },
      { type: 'resumeRequested', via: 'handBack', note: 'n' },
      { type: 'reconciled', report, asks: [], keptUnsaved: [], git: null },
      { type: 'reconcileCut' },
      { type: 'interrupted', settled: [], survivors: [] },
      { type: 'backgroundEnded', stepIds: [], survivors: [] },
      { type: 'backgroundEnded', stepIds: [step], survivors: [], by: 'human' },
      { type: 'killRequested', stepId: step },
      { type: 'halted', code: 'storage', text: 't' },
      { type: 'failed', text: 't' },
    ];
  };

  it('throws never, keeps calls and results paired, and leaves what was handed in as it was', function () {
    this.timeout(60_000);
    const all = states();
    const statuses = new Set(all.map((s) => s.status));
    for (const status of [
      'running',
      'stopping',
      'paused',
      'awaitingApproval',
      'humanControl',
      'reconciling',
      'needsHuman',
      'aborted',
      'completed',
    ] as const)
      assert.ok(statuses.has(status), status);
    for (const state of all) {
      for (const event of events(state)) {
        const before = JSON.stringify(state);
        const { state: after, effects } = transition(state, { seq: state.seq + 1, at: 1, event });
        assert.equal(JSON.stringify(state), before, `${event.type} changed the state it was given`);
        const what = `${event.type} in ${state.status}, in flight ${state.inFlight?.kind ?? 'nothing'}`;
        assert.deepEqual(transcriptProblems(after), [], what);
        assert.equal(
          new Set(after.transcript.filter((e) => e.kind === 'result').map((e) => e.stepId)).size,
          after.transcript.filter((e) => e.kind === 'result').length,
          what,
        );
        if (!isFinal(state.status)) continue;
        assert.equal(after.status, state.status, what);
        assert.deepEqual(
          effects.filter((e) => e.type !== 'checkEffect' && e.type !== 'compensate'),
          [],
          what,
        );
      }
    }
  });
});
