/**
 * All ways a small run can take: every answer that work in flight may give, every press of the human, at every point.
 * The world is abstract: what is in flight is a list, an answer is an event.
 */
import { createHash } from 'node:crypto';
import type { Effect, RunEvent, StepEnd } from '../../../../src/core/run/events';
import { compensable, mayCompensate } from '../../../../src/core/run/compensable';
import { livingCommands } from '../../../../src/core/run/kill';
import {
  type DecisionKind,
  type DecisionRequest,
  isFinal,
  type RunState,
  type Step,
} from '../../../../src/core/run/state';
import { transition } from '../../../../src/core/run/transition';
import { pendingDecisions, stepOf } from '../../../../src/core/run/update';
import type { CallRequest } from '../../../../src/core/ports';

type Work = Exclude<Effect, { type: 'interrupt' }>;
/** Something in flight, and the hardest signal it has heard. */
export interface Flying {
  work: Work;
  heard?: 'pause' | 'end' | 'force';
}

/** How often the human and the world may still act on their own. */
export interface Budget {
  stops: number;
  resumes: number;
  notes: number;
  forces: number;
  crashes: number;
  answers: number;
  kills: number;
  undos: number;
}

export interface Node {
  state: RunState;
  flying: Flying[];
  budget: Budget;
}

export const REPLIES: Record<string, CallRequest[]> = {
  reading: [
    { tool: 'read_file', argsText: '{"path":"a"}' },
    { tool: 'search_text', argsText: '{"query":"q"}' },
  ],
  writing: [
    { tool: 'edit_file', argsText: '{"path":"a"}' },
    { tool: 'read_file', argsText: '{"path":"a"}' },
  ],
  command: [
    { tool: 'run_command', argsText: '{"command":"c"}' },
    { tool: 'read_file', argsText: '{"path":"a"}' },
  ],
  background: [
    { tool: 'run_command', argsText: '{"command":"c","background":true}' },
    { tool: 'read_file', argsText: '{"path":"a"}' },
  ],
  asking: [
    { tool: 'ask_human', argsText: '{"question":"?"}' },
    { tool: 'edit_file', argsText: '{"path":"a"}' },
  ],
  external: [
    { tool: 'mcp.s.call', argsText: '{}' },
    { tool: 'mcp.s.never', argsText: '{}' },
    { tool: 'read_file', argsText: '{"path":"a"}' },
  ],
  /** Three steps, two approvals, each kind of effect of our own tools. */
  three: [
    { tool: 'read_file', argsText: '{"path":"a"}' },
    { tool: 'edit_file', argsText: '{"path":"a"}' },
    { tool: 'run_command', argsText: '{"command":"c"}' },
  ],
  /** An effect with its compensation, which asks first and can be anything a step can be. */
  undoing: [
    { tool: 'edit_file', argsText: '{"path":"a"}', undo: { tool: 'mcp.s.undo', args: {} } },
    { tool: 'read_file', argsText: '{"path":"a"}' },
  ],
  undoingByCommand: [
    { tool: 'edit_file', argsText: '{"path":"a"}', undo: { tool: 'run_command', args: { command: 'u' } } },
    { tool: 'read_file', argsText: '{"path":"a"}' },
  ],
  /** Beside an undo that waits: an unknown effect that is checked, or the human's version that is put back. */
  undoingBesideCheck: [
    { tool: 'edit_file', argsText: '{"path":"a"}', undo: { tool: 'mcp.s.undo', args: {} } },
    { tool: 'mcp.s.call', argsText: '{}' },
  ],
  undoingBesideSide: [
    { tool: 'edit_file', argsText: '{"path":"a"}', undo: { tool: 'mcp.s.undo', args: {} } },
    { tool: 'run_command', argsText: '{"command":"over"}' },
  ],
  finishing: [
    { tool: 'edit_file', argsText: '{"path":"a"}' },
    { tool: 'finish', argsText: '{}' },
    { tool: 'read_file', argsText: '{"path":"a"}' },
  ],
};

export const START: RunEvent = {
  type: 'runStarted',
  runId: 'r',
  goal: 'g',
  engine: { kind: 'model', provider: 'p' },
  model: { provider: 'p', label: 'l', fixed: false },
  outline: [],
  files: [],
};

/** The state after an event, and what is in flight then. */
export function apply(node: Node | undefined, event: RunEvent, budget: Budget): Node {
  const before = node?.state;
  const { state, effects } = transition(before, { seq: (before?.seq ?? 0) + 1, at: 0, event });
  let flying = node?.flying ?? [];
  for (const effect of effects) {
    if (effect.type === 'interrupt') flying = flying.map((f) => ({ ...f, heard: effect.how }));
    else flying = [...flying.filter((f) => f.work.type !== effect.type), { work: effect }];
  }
  const known =
    event.type === 'modelReplied' || event.type === 'compensateRequested'
      ? { ...state, steps: state.steps.map(asExternal) }
      : state;
  return { state: known, flying: flying.filter((f) => stillFlies(f.work, known)), budget };
}

/** Tools of servers are declared by those servers; here by their name. */
const asExternal = (step: Step): Step =>
  step.tool.startsWith('mcp.') ? { ...step, effectKind: 'external' as const } : step;

/** Work ends with the event that takes it out of flight. */
function stillFlies(work: Work, s: RunState): boolean {
  switch (work.type) {
    case 'prepare':
      return s.inFlight?.kind === 'prepare';
    case 'askModel':
      return s.inFlight?.kind === 'model' && s.inFlight.requestId === work.requestId;
    case 'waitRetry':
      return s.inFlight?.kind === 'retry';
    case 'runStep':
    case 'compensate':
    case 'thaw':
    case 'endFrozen':
      return s.inFlight?.kind === 'step' && s.inFlight.stepId === work.stepId;
    case 'reconcile':
      return s.inFlight?.kind === 'reconcile';
    case 'checkEffect':
      return s.inFlight?.kind === 'check' && s.inFlight.decisionId === work.decisionId;
    case 'takeSide':
      return s.inFlight?.kind === 'takeSide';
    case 'endBackground':
      return s.inFlight?.kind === 'endBackground';
    case 'killCommand':
      return livingCommands(s).some((step) => step.id === work.stepId);
  }
}

const ended = (
  step: Step,
  outcome: StepEnd['outcome'],
  effect: StepEnd['effect'],
  more: Partial<StepEnd> = {},
): RunEvent => ({
  type: 'stepEnded',
  end: { stepId: step.id, outcome, effect, text: outcome, ...more },
});

/** Everything a step in flight may say next. */
function stepAnswers(step: Step, { work, heard }: Flying, s: RunState): RunEvent[] {
  const { id: stepId } = step;
  const command = step.tool === 'run_command';
  const cancelled = ended(step, 'cancelledBeforeEffect', 'notStarted', { reason: 'stopped' });
  const abandoned: RunEvent[] =
    heard === 'force' && !command ? [{ type: 'stepAbandoned', stepId, text: 'killed' }] : [];
  if (step.outcome === 'notStarted')
    return [...abandoned, heard ? { type: 'stepNotStarted', stepId } : { type: 'stepStarted', stepId }];
  if (step.effectKind === 'none') {
    const answered = s.decisions.some((d) => d.stepId === stepId && d.state === 'answered');
    if (step.tool === 'ask_human' && !answered) return [...abandoned, question(stepId, 'question')];
    const more = step.tool === 'finish' ? { summary: 'all' } : {};
    return [...abandoned, heard && step.tool !== 'finish' ? cancelled : ended(step, 'done', 'notStarted', more)];
  }
  if (step.effect === 'notStarted') {
    const asked = s.decisions.some((d) => d.stepId === stepId && d.state !== 'withdrawn');
    const first: RunEvent[] = heard ? [cancelled] : [{ type: 'effectRequested', stepId, changes: [] }];
    return [...abandoned, ...first, ...(asked || heard ? [] : [question(stepId, 'approval')])];
  }
  // What can be cut is settled on our side when it is; what cannot be is waited for, whatever was heard.
  const cut: RunEvent[] =
    heard && step.effectKind === 'external' && step.tool !== 'mcp.s.never'
      ? [ended(step, 'unknown', 'unknown', { reason: 'stopped' })]
      : [];
  if (!command)
    return [
      ...cut,
      ...abandoned,
      ended(step, 'done', 'committed'),
      ended(step, 'failedBeforeEffect', 'failedBeforeCommit'),
    ];
  const background = (step.args as { background?: boolean }).background === true;
  const started: RunEvent = {
    type: 'stepProcess',
    stepId,
    id: { pid: 1, startTime: '1', command: 'c' },
    marker: stepId,
    background,
  };
  const ends = heard === 'end' || heard === 'force' || work.type === 'endFrozen';
  if (!step.process) return [started];
  if (ends) return [ended(step, 'unknown', 'unknown', { reason: 'stopped' })];
  const { command: line } = step.args as { command?: string };
  return [
    ended(step, 'done', 'committed', line === 'over' ? { asks: [side(stepId)] } : {}),
    ended(step, 'failed', 'committed'),
    ...(heard === 'pause' && !background ? [{ type: 'stepFrozen' as const, stepId }] : []),
  ];
}

const question = (stepId: string, kind: 'question' | 'approval'): RunEvent => ({
  type: 'decisionOpened',
  request: {
    kind,
    stepId,
    title: '?',
    detail: '',
    choices: [
      { id: 'grant', label: 'yes' },
      { id: 'reject', label: 'no' },
    ],
    freeText: false,
    subject: 's',
  },
});

/** It went over what the human had: which version stays? */
const side = (stepId: string): DecisionRequest => ({
  ...{ kind: 'conflict', source: 'command', stepId, path: 'a', title: '?', detail: '', subject: 's', freeText: false },
  choices: [
    { id: 'mine', label: 'mine' },
    { id: 'agent', label: 'agent' },
  ],
});

/** What work in flight may answer. */
export function answers({ state: s, flying }: Node, replies: CallRequest[]): RunEvent[] {
  return flying.flatMap((one): RunEvent[] => {
    const { work, heard } = one;
    switch (work.type) {
      case 'prepare':
        return [{ type: 'prepared', seen: [], git: null }];
      case 'askModel': {
        const { requestId } = work;
        if (heard) return [{ type: 'modelCut', requestId }];
        const error = { code: 'server' as const, message: 'm' };
        // Failures in one of the runs only: they multiply the ways of all.
        const failures: RunEvent[] =
          s.retry || s.replies > 0 || replies !== REPLIES['reading']
            ? []
            : [
                { type: 'modelFailed', requestId, error },
                { type: 'modelFailed', requestId, error, retryInMs: 1 },
              ];
        return [{ type: 'modelReplied', requestId, calls: s.steps.length === 0 ? replies : [] }, ...failures];
      }
      case 'waitRetry':
        return [{ type: heard ? 'retryCut' : 'retryDue' }];
      case 'runStep':
      case 'compensate':
      case 'thaw':
      case 'endFrozen': {
        const step = stepOf(s, work.stepId);
        return step ? stepAnswers(step, one, s) : [];
      }
      case 'reconcile': {
        if (heard) return [{ type: 'reconcileCut' }];
        const report = { files: [], checked: 0, plan: [], text: '' };
        const done: RunEvent = { type: 'reconciled', report, asks: [], keptUnsaved: [], git: null };
        return [done, { ...done, report: { ...report, text: 'changed' } }];
      }
      case 'checkEffect':
        return (['happened', 'didNotHappen', 'unknown'] as const).map((verdict) => ({
          type: 'effectChecked',
          decisionId: work.decisionId,
          verdict,
          proof: 'p',
        }));
      case 'takeSide':
        return [{ type: 'sideTaken', decisionId: work.decisionId, choice: work.choice, said: 's' }];
      case 'endBackground':
        return [{ type: 'backgroundEnded', stepIds: s.background, survivors: [] }];
      case 'killCommand': {
        const { stepId } = work;
        const step = stepOf(s, stepId);
        if (s.background.includes(stepId) && step?.outcome === 'done')
          return [{ type: 'backgroundEnded', stepIds: [stepId], survivors: [], by: 'human' }];
        return step?.process ? [ended(step, 'failed', 'unknown', { reason: 'killed' })] : [];
      }
    }
  });
}

const CHOICES: Partial<Record<DecisionKind, string[]>> = {
  unknownEffect: ['happened', 'didNotHappen', 'runAgain', 'check'],
  conflict: ['mine'],
};

/** What the human and the world may do now, with what it costs. */
export function presses({ state: s, budget }: Node): { event: RunEvent; budget: Budget }[] {
  const out: { event: RunEvent; budget: Budget }[] = [];
  const add = (event: RunEvent, cost: keyof Budget): void => {
    if (budget[cost] > 0) out.push({ event, budget: { ...budget, [cost]: budget[cost] - 1 } });
  };
  if (!isFinal(s.status)) {
    for (const intent of ['pause', 'takeOver', 'abort'] as const) add({ type: 'stopRequested', intent }, 'stops');
    for (const now of [true, false]) add({ type: 'noteAdded', text: 'n', now }, 'notes');
    if (s.status === 'paused') add({ type: 'resumeRequested', via: 'resume' }, 'resumes');
    if (s.status === 'humanControl') add({ type: 'resumeRequested', via: 'handBack', note: 'h' }, 'resumes');
    if (s.status === 'stopping') add({ type: 'forceRequested' }, 'forces');
    if (s.status === 'running' || s.status === 'stopping' || s.status === 'reconciling')
      add({ type: 'interrupted', settled: settled(s), survivors: [] }, 'crashes');
  }
  for (const { step } of mayCompensate(s) ? compensable(s) : [])
    add({ type: 'compensateRequested', stepId: step.id }, 'undos');
  if (s.compensating) {
    for (const intent of ['pause', 'takeOver', 'abort'] as const) add({ type: 'stopRequested', intent }, 'stops');
    if (s.compensating.waits) add({ type: 'forceRequested' }, 'forces');
    add({ type: 'reopened', settled: settled(s), survivors: [] }, 'crashes');
    for (const { id, stepId } of pendingDecisions(s))
      if (stepId === s.compensating.stepId) add({ type: 'decisionExpired', decisionId: id }, 'answers');
  }
  for (const { id } of livingCommands(s)) add({ type: 'killRequested', stepId: id }, 'kills');
  for (const { id, kind } of pendingDecisions(s)) {
    const choices = CHOICES[kind] ?? ['grant', 'reject'];
    for (const choice of choices) add({ type: 'decisionAnswered', decisionId: id, choice }, 'answers');
  }
  return out;
}

const settled = (s: RunState): StepEnd[] =>
  s.steps
    .filter((step) => step.outcome === 'running')
    .map((step) => ({
      stepId: step.id,
      text: 'crash',
      ...(step.effect === 'requested'
        ? { outcome: 'unknown' as const, effect: 'unknown' as const }
        : { outcome: 'cancelledBeforeEffect' as const, effect: 'notStarted' as const }),
    }));

/**
 * What the world is like, but for numbers of records and requests, and for what may still be pressed. A hash: hundreds of
 * thousands of them are kept.
 */
export const keyOf = ({ state, flying }: Node): string =>
  createHash('sha1')
    .update(JSON.stringify([{ ...state, seq: 0 }, flying]).replaceAll(/\/q\d+/g, '/q'))
    .digest('base64');

/** With what may still be pressed. */
export const nodeKeyOf = (node: Node, key = keyOf(node)): string => key + Object.values(node.budget).join();
