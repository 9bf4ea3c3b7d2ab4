/**
 * `transition(state, record)`: what a run is after an event, and what is to be done about it. Pure: no time, no randomness,
 * no ports. The journal is the sequence of its inputs; the state is their fold.
 */
import { endRestore, requestRestore } from '../checkpoints/record';
import type { JournalRecord } from '../ports';
import { afterLook, checked, onDecision, onSideTaken, settleEffect } from './decisions';
import { noteLate, onAnsweredLate, withLate } from './answeredLate';
import { addElsewhere } from './elsewhere';
import { type Effect, isWhole, type RunEvent } from './events';
import {
  addReceipt,
  askUnknown,
  dropResuming,
  endFrozen,
  finalize,
  goOnResuming,
  halt,
  how,
  keepPartial,
  livesOn,
  lookUp,
  openDecision,
  proceed,
  pump,
  rest,
} from './flow';
import {
  dropCompensation,
  isCompensating,
  onCompensate,
  onCompensated,
  onForce,
  onReopened,
  onStopWaits,
} from './compensate';
import { frozenIsOver } from './frozenQuestion';
import { addGuard, removeGuard } from './guarding';
import { addNote, editNote, withdrawNote } from './notes';
import { onReconciled, onResume } from './resume';
import { initial } from './initial';
import { backgroundDied, backgroundOver, onKill } from './kill';
import { onHalted, onStored, onUnstored } from './halted';
import { draftOf } from './lists';
import { takeReply } from './reply';
import { isActive, isFinal, type RunState, type Theirs } from './state';
import { inFlightStep, onStop } from './stop';
import { endStep, outlivesStop, pendingDecisions, seeFile, setDecision, setPhase, setStep, stepOf } from './update';

type Of<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
type Handlers = { [T in RunEvent['type']]: (s: RunState, event: Of<T>, at: number) => Effect[] };

/** The result of something that is no longer in flight is late: it changes nothing. */
const stepIsInFlight = (s: RunState, id: string): boolean => s.inFlight?.kind === 'step' && s.inFlight.stepId === id;
const modelIsInFlight = (s: RunState, id: string): boolean =>
  s.inFlight?.kind === 'model' && s.inFlight.requestId === id;

/** Nobody waits for the step in flight any more: without its intent nothing was done, nor will be; else what it did is unknown. */
function abandon(s: RunState, stepId: string, text: string, at: number): Effect[] {
  if (!stepIsInFlight(s, stepId)) return [];
  const reason = 'forced';
  endStep(
    s,
    stepOf(s, stepId)?.effect === 'notStarted'
      ? {
          ...{ stepId, outcome: 'cancelledBeforeEffect', effect: 'notStarted', reason },
          text: 'cancelledBeforeEffect (reason: forced): it was given up before it did anything.',
        }
      : { stepId, outcome: 'unknown', effect: 'unknown', reason, text },
    at,
  );
  const ended = stepOf(s, stepId);
  if (ended?.outcome === 'unknown') askUnknown(s, ended, at);
  return clearFlight(s, at);
}

/** From here on it may change files again. */
function runsOn(s: RunState, stepId: string, theirs: Theirs[] = []): void {
  const { process, theirs: before } = stepOf(s, stepId) ?? {};
  if (theirs.length > 0 || before) setStep(s, stepId, { theirs });
  if (process?.stoodAt === undefined) return;
  const { stoodAt: _, ...running } = process;
  setStep(s, stepId, { process: running });
}

function clearFlight(s: RunState, at: number): Effect[] {
  if (s.compensating) return onCompensated(s, at);
  s.inFlight = null;
  return proceed(s, at);
}

/** One of several: the others are still being ended. What cannot be ended is named; waiting longer would not help. */
function clearEndings(s: RunState, at: number): Effect[] {
  if (s.inFlight?.kind !== 'endBackground' || livesOn(s)) return [];
  return clearFlight(s, at);
}

const handlers: Handlers = {
  runStarted: () => [],
  runForked: () => [],
  runImported: () => [],
  prepared: (s, event, at) => {
    if (s.inFlight?.kind !== 'prepare') return [];
    for (const seen of event.seen) seeFile(s, seen);
    s.prepared = event.seen;
    delete s.unprepared;
    s.git = event.git;
    return clearFlight(s, at);
  },
  prepareCut: (s, _event, at) => (s.inFlight?.kind === 'prepare' ? clearFlight(s, at) : []),
  repositoriesSeen: (s, event) => {
    const none = { branch: null, head: null, operation: null, none: true as const };
    // As they were when first seen: what happened to them since is for the next report.
    s.git = { ...(s.git ?? none), others: { ...event.others, ...s.git?.others } };
    return [];
  },

  modelText: (s, event) => {
    if (modelIsInFlight(s, event.requestId)) {
      s.partial = { requestId: event.requestId, text: (s.partial?.text ?? '') + event.text };
    }
    return [];
  },
  modelReplied: (s, event, at) => {
    if (!modelIsInFlight(s, event.requestId)) return [];
    takeReply(s, event, at);
    return clearFlight(s, at);
  },
  modelFailed: (s, event, at) => {
    if (!modelIsInFlight(s, event.requestId)) return [];
    keepPartial(s, at);
    s.inFlight = null;
    if (s.stopping) return rest(s, at);
    if (event.retryInMs === undefined) {
      halt(s, event.error.code === 'auth' ? 'auth' : 'model', event.error.message, at);
      return [];
    }
    s.retry = { attempt: (s.retry?.attempt ?? 0) + 1, until: at + event.retryInMs, error: event.error };
    s.inFlight = { kind: 'retry' };
    setPhase(s, 'waitingForCallback', at);
    return [{ type: 'waitRetry', until: s.retry.until }];
  },
  modelCut: (s, event, at) => {
    if (!modelIsInFlight(s, event.requestId)) return [];
    keepPartial(s, at);
    return clearFlight(s, at);
  },
  // A note that came during the wait goes into the very next request.
  retryDue: (s, _event, at) => (s.inFlight?.kind === 'retry' ? clearFlight(s, at) : []),
  retryCut: (s, _event, at) => (s.inFlight?.kind === 'retry' ? clearFlight(s, at) : []),

  stepStarted: (s, event, at) => {
    const { contract } = event;
    const more = contract ? { contract, effectKind: contract.effect } : {};
    if (stepIsInFlight(s, event.stepId)) setStep(s, event.stepId, { outcome: 'running', startedAt: at, ...more });
    return [];
  },
  stepProgress: (s, event, at) => {
    if (stepIsInFlight(s, event.stepId)) setStep(s, event.stepId, { progress: { ...event.progress, at } });
    return [];
  },
  stepNotStarted: (s, event, at) => {
    if (!stepIsInFlight(s, event.stepId)) return [];
    const step = stepOf(s, event.stepId);
    // Its intent is durable: whoever says that it was not started cannot know.
    if (step?.effect === 'requested') return abandon(s, step.id, 'It was given up; what it did is not known.', at);
    if (step?.outcome === 'running' && step.effect === 'notStarted') setStep(s, step.id, { outcome: 'notStarted' });
    return clearFlight(s, at);
  },
  stepProcess: (s, event) => {
    setStep(s, event.stepId, { process: { id: event.id, marker: event.marker, background: event.background } });
    if (event.background) s.background = [...s.background, event.stepId];
    return [];
  },
  effectRequested: (s, event) => {
    if (stepIsInFlight(s, event.stepId)) setStep(s, event.stepId, { effect: 'requested', changes: event.changes });
    runsOn(s, event.stepId, event.theirs);
    if (event.elsewhere) addElsewhere(s, event.elsewhere);
    return [];
  },
  stepEnded: (s, event, at) => {
    const { end } = event;
    // A frozen command that something else has killed: told now, and the run rests on.
    const diedFrozen = s.frozen === end.stepId;
    if (!diedFrozen && !stepIsInFlight(s, end.stepId)) return [];
    endStep(s, end, at);
    const step = stepOf(s, end.stepId);
    if (end.outcome !== 'done') s.background = s.background.filter((id) => id !== end.stepId);
    if (step?.outcome === 'unknown') askUnknown(s, step, at);
    for (const request of end.asks ?? []) openDecision(s, request, at);
    if (diedFrozen) return frozenIsOver(s);
    if (isCompensating(s, end.stepId)) return onCompensated(s, at);
    s.inFlight = null;
    if (end.summary !== undefined && !s.stopping) {
      s.summary = end.summary;
      finalize(s, 'completed', at);
      return [];
    }
    if (s.stopping) return rest(s, at);
    if (s.resuming) return goOnResuming(s, at);
    if (s.model.fixed && step?.outcome === 'failed') {
      const what = end.reason === 'killed' ? 'was ended by you' : 'failed';
      halt(s, 'stepFailed', `Step ${step.n} "${step.title}" ${what}. Resume goes on with the next step.`, at);
      return [];
    }
    if (end.reason === 'conflictStop') {
      halt(
        s,
        'conflict',
        `Step ${step?.n} met a conflict and the playbook says stop. Resume goes on with the next step.`,
        at,
      );
      return [];
    }
    return [...pump(s, at), ...lookUp(s)];
  },
  stepFrozen: (s, event, at) => {
    if (!stepIsInFlight(s, event.stepId)) return [];
    const { process } = stepOf(s, event.stepId) ?? {};
    const { loose, stoodAt } = event;
    const more = { ...(loose ? { loose } : {}), ...(stoodAt === undefined ? {} : { stoodAt }) };
    if (process) setStep(s, event.stepId, { process: { ...process, ...more } });
    s.frozen = event.stepId;
    s.inFlight = null;
    if (s.stopping && how(s.stopping.intent) === 'end') return endFrozen(s);
    if (s.stopping) return rest(s, at);
    s.inFlight = { kind: 'step', stepId: event.stepId };
    s.frozen = null;
    return [{ type: 'thaw', stepId: event.stepId }];
  },
  stepThawed: () => [],
  stepAbandoned: (s, event, at) => abandon(s, event.stepId, event.text, at),

  decisionOpened: (s, event, at) => {
    const { request } = event;
    if (request.stepId !== undefined && !stepIsInFlight(s, request.stepId)) return [];
    openDecision(s, request, at);
    // Its turn comes again with the answer: until then it has not started.
    if (request.stepId !== undefined)
      setStep(s, request.stepId, { outcome: 'notStarted', effect: 'notStarted', changes: [] });
    s.inFlight = null;
    if (s.compensating?.waits)
      return dropCompensation(s, 'stopped', 'the human stopped it before it did anything.', at);
    return proceed(s, at);
  },
  decisionAnswered: (s, event, at) => onDecision(s, event, at),
  decisionStale: (s, event) => {
    setDecision(s, event.decisionId, { state: 'stale' });
    return [];
  },
  decisionExpired: (s, event, at) => {
    const decision = s.decisions.find((d) => d.id === event.decisionId);
    if (decision?.state !== 'pending') return [];
    setDecision(s, event.decisionId, { state: 'expired' });
    if (isCompensating(s, decision.stepId))
      return dropCompensation(s, 'expired', 'the approval expired unanswered; nothing was done.', at);
    if (s.status === 'awaitingApproval' || s.status === 'needsHuman') {
      halt(s, 'expired', 'The approval expired unanswered. Resume asks again.', at);
    }
    return [];
  },
  effectChecked: (s, event, at) => {
    if (s.inFlight?.kind !== 'check' || s.inFlight.decisionId !== event.decisionId) return [];
    const { stepId: id } = s.inFlight;
    s.inFlight = null;
    if (event.verdict === 'unknown') {
      s.decisions = s.decisions.map((d) =>
        d.id === event.decisionId ? { ...d, detail: withLate(stepOf(s, id), event.proof) } : d,
      );
    } else {
      setDecision(s, event.decisionId, { state: 'answered', answer: { choice: 'check', text: event.proof, at } });
      settleEffect(s, id, checked(event), at);
      noteLate(s, id);
    }
    return afterLook(s, at);
  },
  answeredLate: (s, event, at) => onAnsweredLate(s, event, at),

  sideTaken: (s, event, at) => onSideTaken(s, event, at),

  noteAdded: (s, event, at) => addNote(s, event, at),
  noteWithdrawn: (s, event) => withdrawNote(s, event.noteId),
  noteEdited: (s, event) => editNote(s, event.noteId, event.text),

  guardAdded: (s, event, at) => addGuard(s, event.guard, at),
  guardRemoved: (s, event, at) => removeGuard(s, event.guardId, at),

  compensateRequested: (s, event, at) => onCompensate(s, event.stepId, at),
  stopRequested: (s, event, at) => (s.compensating ? onStopWaits : onStop)(s, event.intent, at),
  forceRequested: (s) => {
    if (s.compensating) return onForce(s);
    if (!s.stopping) return [];
    s.stopping = { ...s.stopping, forced: true };
    return [{ type: 'interrupt', how: 'force' }];
  },
  resumeRequested: (s, event, at) => (s.compensating ? [] : onResume(s, event, at)),
  reconciled: (s, event, at) => onReconciled(s, event, at),
  reconcileCut: (s, _event, at) => {
    if (s.inFlight?.kind !== 'reconcile') return [];
    dropResuming(s, at);
    return clearFlight(s, at);
  },

  interrupted: (s, event, at) => {
    if (isFinal(s.status)) return [];
    const facts = { at, phase: s.phase, stepId: inFlightStep(s), forced: false };
    keepPartial(s, at);
    // How long the service wanted to be left alone is still so; what the wait was for is up to the human.
    if (s.inFlight?.kind !== 'retry') s.retry = null;
    for (const end of event.settled) {
      endStep(s, end, at);
      const step = stepOf(s, end.stepId);
      if (step?.outcome === 'unknown') askUnknown(s, step, at);
      for (const request of end.asks ?? []) openDecision(s, request, at);
    }
    s.survivors = event.survivors;
    backgroundDied(s, event, at);
    s.servers = [];
    s.inFlight = null;
    s.frozen = null;
    s.stopping = null;
    dropResuming(s, at);
    delete s.unstored;
    s.stale = true;
    s.status = 'paused';
    s.control = 'agent';
    s.reason = { code: 'interrupted', text: 'The process that ran it ended. Nothing goes on until you resume.' };
    for (const d of pendingDecisions(s)) if (!outlivesStop(d)) setDecision(s, d.id, { state: 'withdrawn' });
    setPhase(s, null, at);
    addReceipt(s, 'interrupted', facts);
    return [];
  },
  reopened: (s, event, at) => {
    for (const end of event.settled) {
      endStep(s, end, at);
      const step = stepOf(s, end.stepId);
      if (step?.outcome === 'unknown') askUnknown(s, step, at);
      for (const request of end.asks ?? []) openDecision(s, request, at);
    }
    s.inFlight = null;
    frozenIsOver(s);
    backgroundDied(s, event, at);
    s.servers = [];
    s.stale = true;
    delete s.unstored;
    if (event.survivors) s.survivors = event.survivors;
    return onReopened(s, at);
  },
  backgroundEnded: (s, event, at) => {
    backgroundOver(s, event, at);
    return clearEndings(s, at);
  },
  serverStarted: (s, event) => {
    s.servers = [...(s.servers ?? []), event.process];
    return [];
  },
  serversEnded: (s, event, at) => {
    const ended = new Set(event.servers.map(({ id }) => `${id.pid}:${id.startTime}`));
    s.servers = (s.servers ?? []).filter(({ id }) => !ended.has(`${id.pid}:${id.startTime}`));
    s.survivors = [...s.survivors, ...event.survivors];
    return clearEndings(s, at);
  },
  killRequested: (s, event) => onKill(s, event.stepId),
  restoreRequested: (s, event) => requestRestore(s, event.restore),
  restoreEnded: (s, event, at) => endRestore(s, event, at),
  unstored: (s, event) => onUnstored(s, event.text),
  stored: (s) => onStored(s),
  halted: (s, event, at) => onHalted(s, event, at),
  failed: (s, event, at) => {
    if (isFinal(s.status)) return [];
    keepPartial(s, at);
    finalize(s, 'failed', at);
    s.reason = { code: 'error', text: event.text };
    return [];
  },
};

/** `state` is undefined for the first record only, which must be `runStarted`. */
export function transition(state: RunState | undefined, record: JournalRecord): { state: RunState; effects: Effect[] } {
  const { event, at, seq } = record;
  if (!state) {
    if (isWhole(event)) return { state: { ...event.state, seq }, effects: [] };
    if (event.type !== 'runStarted') throw new Error(`a journal starts with runStarted, not ${event.type}`);
    const s = initial(event, at);
    s.seq = seq;
    return { state: s, effects: [{ type: 'prepare', files: event.files }] };
  }
  // A clock that was set back takes nothing away.
  const worked = isActive(state.status) ? Math.max(0, at - state.updatedAt) : undefined;
  const wasOver = isFinal(state.status);
  const s = draftOf(state);
  s.seq = seq;
  s.updatedAt = at;
  if (worked !== undefined) s.activeMs = (s.activeMs ?? 0) + worked;
  // The mapped type proves that there is a handler; indexing by a union loses the link between the two.
  const handle = handlers[event.type] as (s: RunState, event: RunEvent, at: number) => Effect[];
  const effects = handle(s, event, at);
  if (isFinal(s.status) && !wasOver) s.endedAt = at;
  return { state: s, effects };
}
