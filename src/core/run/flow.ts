/** The moves that several events share: what comes next, how a stop ends, how a run ends. All pure over a draft state. */
import { contractOf } from '../tools/kinds';
import { tellLate, withLate } from './answeredLate';
import type { Effect } from './events';
import { guardWords, holdBefore, skipOf } from './guards';
import { makeReceipt } from './receipt';
import type { DecisionRequest, ReasonCode, RunState, RunStatus, Step, StopIntent } from './state';
import { isFinal } from './state';
import {
  cancelPending,
  FORMER_TRY,
  endStep,
  hasOwnChanges,
  outlivesStop,
  pendingDecisions,
  pendingSteps,
  say,
  setDecision,
  setPhase,
  setStep,
  stepOf,
} from './update';

const UNKNOWN_CHOICES = [
  { id: 'happened', label: 'It Happened' },
  { id: 'didNotHappen', label: 'It Did Not' },
  { id: 'runAgain', label: 'Run It Again' },
  { id: 'check', label: 'Check' },
];

/** Opens a decision under the next id of the run. */
export function openDecision(s: RunState, request: DecisionRequest, at: number): void {
  const id = `${s.runId}/d${s.decisions.length + 1}`;
  s.decisions = [...s.decisions, { ...request, id, state: 'pending', openedAt: at }];
}

/** What a command did cannot be read off anything; files can, and what a configured read tool shows. */
const canCheck = (step: Step): boolean => hasOwnChanges(step) || step.contract?.verifiable === true;

/**
 * The oldest unknown effect that a read tool can settle is looked up without being asked. A run that was aborted has no
 * right to; there the human may.
 */
export function lookUp(s: RunState): Effect[] {
  if (s.inFlight || s.stopping || isFinal(s.status)) return [];
  for (const { id, kind, stepId } of pendingDecisions(s)) {
    if (kind !== 'unknownEffect' || stepId === undefined || stepOf(s, stepId)?.contract?.verifiable !== true) continue;
    s.inFlight = { kind: 'check', decisionId: id, stepId };
    return [{ type: 'checkEffect', decisionId: id, stepId }];
  }
  return [];
}

/** The question whether a step happened. */
export const unknownRequest = (step: Step): DecisionRequest => ({
  kind: 'unknownEffect',
  stepId: step.id,
  ...(step.changes[0] ? { path: step.changes[0].path } : {}),
  title: `Did step ${step.n} happen? ${step.title}`,
  detail: withLate(step, step.text ?? 'The effect was requested and not confirmed.'),
  choices: UNKNOWN_CHOICES.filter((c) =>
    c.id === 'check' ? canCheck(step) : c.id !== 'runAgain' || !step.compensates,
  ),
  freeText: false,
  subject: `${step.id}:${step.repeatOf ?? 0}`,
});

/** An effect that was requested and not confirmed is a question to the human, once per step. */
export function askUnknown(s: RunState, step: Step, at: number): void {
  if (s.decisions.some((d) => d.kind === 'unknownEffect' && d.stepId === step.id && d.state === 'pending')) return;
  openDecision(s, unknownRequest(step), at);
}

/**
 * As `cancelPending`. A repeat that was not begun leaves the try before it as it was: what that did is unknown, and asked.
 */
export function cancelCalls(s: RunState, steps: readonly Step[], reason: string, words: string, at: number): void {
  for (const step of steps.filter((one) => one.repeatOf !== undefined)) {
    const text = `It was not run again (${words.replace(/[.;:].*$/s, '')}): ${FORMER_TRY}`;
    setStep(s, step.id, { outcome: 'unknown', effect: 'unknown', text, endedAt: at });
    openDecision(s, unknownRequest({ ...step, text }), at);
  }
  const others = steps.filter((one) => one.repeatOf === undefined);
  cancelPending(s, others, reason, words, at);
}

/** A resume that comes to nothing keeps the human's words for the next one. */
export function dropResuming(s: RunState, at: number): void {
  const text = s.resuming?.note;
  s.resuming = null;
  if (text === undefined) return;
  s.notes = [...s.notes, { id: `${s.runId}/n${s.notes.length + 1}`, text, state: 'queued', now: false, at }];
}

/** Approvals and the like do not outlive a stop; what is unknown stays unknown. */
function withdraw(s: RunState): void {
  for (const decision of pendingDecisions(s)) {
    if (!outlivesStop(decision)) setDecision(s, decision.id, { state: 'withdrawn' });
  }
}

export function addReceipt(
  s: RunState,
  intent: Parameters<typeof makeReceipt>[1],
  facts: { at: number; phase: RunState['phase']; stepId: string | null; forced: boolean },
): void {
  const inFlight = facts.stepId === null ? undefined : stepOf(s, facts.stepId);
  s.receipts = [...s.receipts, makeReceipt(s, intent, { ...facts, inFlight })];
}

/** Ends the run: every call gets its one result, notes that came too late say so, questions are withdrawn. */
export function finalize(s: RunState, status: RunStatus, at: number): void {
  withdraw(s);
  dropResuming(s, at);
  tellLate(s, at);
  const pending = pendingSteps(s);
  const repeats = pending.filter((step) => step.repeatOf !== undefined);
  cancelCalls(s, repeats, 'runEnded', 'the run ended.', at);
  for (const step of pending.filter((one) => one.repeatOf === undefined)) {
    if (status === 'aborted') {
      // It never started and is not called cancelled; the transcript still pairs every call with one result.
      say(s, { kind: 'result', stepId: step.id, text: 'notStarted: the run was aborted before this call.', at });
    } else {
      const text = `skipped: the run ended before this call.`;
      setStep(s, step.id, { outcome: 'skipped', reason: 'runEnded', text, endedAt: at });
      say(s, { kind: 'result', stepId: step.id, text, at });
    }
  }
  for (const step of s.steps) {
    if (step.outcome !== 'running') continue;
    // The run ends under it by a fault of ours: it is never left without a result.
    const text = 'the run ended during this call; what it did is not known.';
    if (step.effect === 'requested') endStep(s, { stepId: step.id, outcome: 'unknown', effect: 'unknown', text }, at);
    else cancelCalls(s, [step], 'runEnded', 'the run ended during this call.', at);
  }
  for (const step of s.steps) {
    if (
      step.outcome === 'unknown' &&
      step.compensates === undefined &&
      !s.transcript.some((e) => e.kind === 'result' && e.stepId === step.id)
    ) {
      say(s, { kind: 'result', stepId: step.id, text: `unknown: ${step.text ?? 'what it did is not known.'}`, at });
    }
  }
  s.notes = s.notes.map((n) => (n.state === 'queued' ? { ...n, state: 'undelivered' } : n));
  s.status = status;
  s.control = 'human';
  s.inFlight = null;
  s.stopping = null;
  s.resuming = null;
  s.retry = null;
  s.partial = null;
  if (s.compensating) {
    const { stepId, waits } = s.compensating;
    addReceipt(s, 'compensate', { at, phase: s.phase, stepId, forced: waits?.forced ?? false });
    s.compensating = null;
  }
  setPhase(s, null, at);
}

const humanReason = (s: RunState, text: string): RunState['reason'] =>
  s.unstored === undefined
    ? { code: 'human', text }
    : {
        code: 'storage',
        text: `${text} That is not on disk yet (${s.unstored}): make room, it is written as soon as there is some.`,
      };

/** What was not on disk is there now: why the run stands, without that. */
export function reasonOnceStored(s: RunState): RunState['reason'] {
  switch (s.status) {
    case 'aborted':
      return { code: 'human', text: 'You aborted it. Files are as they were left.' };
    case 'humanControl':
      return { code: 'human', text: 'You took over.' };
    case 'paused':
      return { code: 'storage', text: "The run's own state could not be written for a while; it is on disk now." };
    default:
      return null;
  }
}

const REST: Record<Exclude<StopIntent, 'steer'>, RunStatus> = {
  pause: 'paused',
  takeOver: 'humanControl',
  abort: 'aborted',
};

/** What was in flight has settled: the stop ends here, with its receipt. */
export function rest(s: RunState, at: number): Effect[] {
  const stopping = s.stopping;
  if (!stopping) return [];
  // One that a pause had frozen: this stop came while something else was in flight.
  if (s.frozen !== null && how(stopping.intent) === 'end') return endFrozen(s);
  if (stopping.intent === 'abort' && livesOn(s)) {
    s.inFlight = { kind: 'endBackground' };
    s.status = 'stopping';
    return [{ type: 'endBackground' }];
  }
  const { intent } = stopping;
  s.stopping = null;
  s.inFlight = null;
  s.retry = null;
  if (intent === 'steer') {
    addReceipt(s, 'steer', stopping);
    // Not reconciled yet: that comes first, whatever was corrected.
    if (s.stale) s.resuming ??= { via: 'answer' };
    if (s.resuming) return goOnResuming(s, at);
    s.status = 'running';
    return pump(s, at);
  }
  dropResuming(s, at);
  withdraw(s);
  if (intent === 'abort') {
    finalize(s, 'aborted', at);
    s.reason = humanReason(s, 'You aborted it. Files are as they were left.');
  } else {
    s.status = REST[intent];
    // A stop of the runtime's own has said why already.
    if (s.reason?.code !== 'storage')
      s.reason = humanReason(s, intent === 'pause' ? 'You paused it.' : 'You took over.');
    s.control = intent === 'takeOver' ? 'human' : 'agent';
    setPhase(s, intent === 'takeOver' ? 'handingOff' : null, at);
  }
  // What cannot be looked up again did not hear this stop, and had to be given up.
  const effects = stopping.forced ? [] : lookUp(s);
  addReceipt(s, intent, stopping);
  return effects;
}

/** How a stop reaches a command. */
export const how = (intent: StopIntent): 'pause' | 'end' =>
  intent === 'abort' || intent === 'steer' ? 'end' : 'pause';

/** A frozen command meets a stronger stop: it is ended, and that is waited for. */
export function endFrozen(s: RunState): Effect[] {
  const frozen = s.frozen;
  if (frozen === null) return [];
  s.frozen = null;
  s.inFlight = { kind: 'step', stepId: frozen };
  s.status = 'stopping';
  return [{ type: 'endFrozen', stepId: frozen, force: false }];
}

/** Something the run started and that outlives a pause: an abort ends it first. */
export const livesOn = (s: RunState): boolean => s.background.length > 0 || (s.servers ?? []).length > 0;

/** A pause of the runtime's own: a playbook's, a limit's, a failure's. */
export function halt(s: RunState, code: ReasonCode, text: string, at: number): void {
  const facts = { at, phase: s.phase, stepId: s.inFlight?.kind === 'step' ? s.inFlight.stepId : null, forced: false };
  withdraw(s);
  const step = facts.stepId === null ? undefined : stepOf(s, facts.stepId);
  // Its intent never became durable: it did nothing, and its turn comes again.
  if (step?.outcome === 'running' && step.effect === 'notStarted') setStep(s, step.id, { outcome: 'notStarted' });
  s.status = 'paused';
  s.reason = { code, text };
  s.control = 'agent';
  s.inFlight = null;
  s.stopping = null;
  dropResuming(s, at);
  s.retry = null;
  setPhase(s, null, at);
  addReceipt(s, 'pause', facts);
}

/** After something in flight has ended: the stop that waits for it, or the next thing. */
export function proceed(s: RunState, at: number): Effect[] {
  if (isFinal(s.status)) return [];
  if (s.stopping) return rest(s, at);
  return pump(s, at);
}

/** Queued notes go into the transcript, in order; true when there were any. */
function deliverNotes(s: RunState, at: number): boolean {
  const queued = s.notes.filter((n) => n.state === 'queued');
  if (queued.length === 0) return false;
  const after = s.steps.findLast((x) => x.outcome !== 'notStarted')?.n ?? 0;
  say(s, ...queued.map((n) => ({ kind: 'note' as const, noteId: n.id, text: n.text, at })));
  s.notes = s.notes.map((n) => (n.state === 'queued' ? { ...n, state: 'delivered', deliveredAfter: after } : n));
  return true;
}

/** The reply that is the last word: without calls, and nothing said after it. */
function saidAllItHad(s: RunState): boolean {
  const last = s.transcript.findLast((e) => e.kind !== 'remark');
  return last?.kind === 'assistant' && !last.interrupted && last.stepIds.length === 0;
}

function awaitAnswers(s: RunState, at: number): void {
  const approval = pendingDecisions(s).every((d) => d.kind === 'approval');
  s.status = approval ? 'awaitingApproval' : 'needsHuman';
  setPhase(s, approval ? 'awaitingApproval' : 'waitingForCallback', at);
}

/** At a boundary of a running run with nothing in flight: decides what happens next. */
export function pump(s: RunState, at: number): Effect[] {
  if (s.inFlight || (s.status !== 'running' && s.status !== 'awaitingApproval' && s.status !== 'needsHuman')) return [];
  const open = pendingDecisions(s);
  if (open.length > 0) {
    awaitAnswers(s, at);
    return [];
  }
  s.status = 'running';
  s.reason = null;
  s.control = 'agent';
  if (s.unprepared) {
    s.inFlight = { kind: 'prepare' };
    setPhase(s, 'reading', at);
    return [{ type: 'prepare', files: s.unprepared }];
  }
  tellLate(s, at);
  const next = pendingSteps(s)[0];
  // A playbook cannot read: its notes stay queued, and it just goes on. A step that the human has just answered about is
  // in flight: it comes first, whatever the note says.
  const noted = !s.model.fixed && s.notes.some((n) => n.state === 'queued');
  if (noted && !(next && isAnswered(s, next))) {
    cancelCalls(s, pendingSteps(s), 'steered', 'the human sent a correction; see below.', at);
    deliverNotes(s, at);
  }
  const turn = pendingSteps(s)[0];
  if (turn) return takeTurn(s, turn, at);
  if (saidAllItHad(s)) {
    finalize(s, 'completed', at);
    return [];
  }
  return askModel(s, at);
}

/** Its approval, question or conflict was answered, and it has not had its turn since. */
const isAnswered = (s: RunState, step: Step): boolean =>
  s.decisions.some((d) => d.stepId === step.id && ['granted', 'rejected', 'answered'].includes(d.state));

function takeTurn(s: RunState, next: Step, at: number): Effect[] {
  if (next.pauseBefore) {
    setStep(s, next.id, { pauseBefore: false });
    halt(s, 'playbook', `The playbook waits for you before step ${next.n}: ${next.title}`, at);
    return [];
  }
  const skip = skipOf(s, next);
  if (skip) {
    endStep(
      s,
      {
        stepId: next.id,
        outcome: 'skipped',
        effect: 'notStarted',
        reason: 'guard',
        text: `skipped: a guard of the human says "${guardWords(skip)}". Nothing was done.`,
      },
      at,
    );
    return pump(s, at);
  }
  const hold = holdBefore(s, next);
  if (hold) {
    halt(s, 'guard', `A guard stops before step ${next.n}: ${next.title} ("${guardWords(hold)}"). Resume runs it.`, at);
    return [];
  }
  s.inFlight = { kind: 'step', stepId: next.id };
  setPhase(s, contractOf(next.tool).phase, at);
  return [{ type: 'runStep', stepId: next.id }];
}

export function askModel(s: RunState, at: number): Effect[] {
  const requestId = `${s.runId}/q${s.seq}`;
  s.inFlight = { kind: 'model', requestId };
  s.partial = { requestId, text: '' };
  setPhase(s, 'thinking', at);
  return [{ type: 'askModel', requestId }];
}

/** What the model had said before it was cut off stays, marked. */
export function keepPartial(s: RunState, at: number): void {
  const partial = s.partial;
  s.partial = null;
  if (!partial?.text) return;
  const { requestId, text } = partial;
  say(s, { kind: 'assistant', requestId, text, stepIds: [], interrupted: true, at });
}

/** In the middle of a resume: what only the human can answer comes first, then the world. */
export function goOnResuming(s: RunState, at: number): Effect[] {
  if (pendingDecisions(s).length === 0) return startReconcile(s, at);
  awaitAnswers(s, at);
  return lookUp(s);
}

export function startReconcile(s: RunState, at: number): Effect[] {
  s.status = 'reconciling';
  s.control = 'agent';
  s.inFlight = { kind: 'reconcile' };
  setPhase(s, 'reading', at);
  return [{ type: 'reconcile' }];
}
