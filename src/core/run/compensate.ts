/**
 * Compensation: on the word of the human alone, an effect is taken back by a step of its own, under the same rules as any
 * (approvals, guards, the intent durable before the effect), with a receipt of its own. A stop that comes meanwhile waits for
 * it: half a compensation is worse than none. Only Force Stop cuts it. Pure.
 */
import { contractOf } from '../tools/kinds';
import { titleOf } from '../titles';
import { compensable, mayCompensate } from './compensable';
import type { Effect } from './events';
import { addReceipt, cancelCalls } from './flow';
import { appended } from './lists';
import type { Decision, RunState, Step, StopIntent } from './state';
import { isFinal } from './state';
import { onStop, STRENGTH } from './stop';
import { endStep, pendingDecisions, pendingSteps, setDecision, stepId, stepOf } from './update';

export function onCompensate(s: RunState, id: string, at: number): Effect[] {
  const wanted = compensable(s).find(({ step }) => step.id === id);
  if (!wanted || !mayCompensate(s)) return [];
  const { step, undo } = wanted;
  const n = s.steps.length + 1;
  const own: Step = {
    id: stepId(s.runId, n),
    n,
    callId: `undo_${n}`,
    reply: -1,
    tool: undo.tool,
    args: undo.args,
    title: `Undo step ${step.n}: ${titleOf(undo.tool, undo.args)}`,
    outcome: 'notStarted',
    effect: 'notStarted',
    effectKind: contractOf(undo.tool).effect,
    changes: [],
    compensates: step.id,
  };
  s.steps = appended(s.steps, own);
  s.compensating = { stepId: own.id, at };
  return start(s, own.id);
}

function start(s: RunState, id: string): Effect[] {
  s.inFlight = { kind: 'step', stepId: id };
  return [{ type: 'compensate', stepId: id }];
}

/** Whether the step, or the question, belongs to the compensation under way. */
export const isCompensating = (s: RunState, id: string | undefined): boolean =>
  id !== undefined && s.compensating?.stepId === id;

/** At work itself; a check, or a side that is put in place, may be in flight beside one that waits for its answer. */
const isBegun = (s: RunState): boolean => s.inFlight?.kind === 'step' && isCompensating(s, s.inFlight.stepId);

/** What is asked about it, and not answered. */
const questionsOf = (s: RunState, id: string): Decision[] =>
  pendingDecisions(s).filter((d) => d.stepId === id && d.kind !== 'unknownEffect');

/** Its question is answered, or what was in flight beside it has ended: its turn comes when both are so. */
export function onUndoTurn(s: RunState): Effect[] {
  const id = s.compensating?.stepId;
  return id === undefined || s.inFlight || questionsOf(s, id).length > 0 ? [] : start(s, id);
}

/** Nothing was done: it was not allowed, given up, or never begun. */
export function dropCompensation(s: RunState, reason: string, why: string, at: number): Effect[] {
  const id = s.compensating?.stepId;
  if (id === undefined) return [];
  for (const d of pendingDecisions(s)) if (d.stepId === id) setDecision(s, d.id, { state: 'withdrawn' });
  const text = `cancelledBeforeEffect (reason: ${reason}): ${why}`;
  endStep(s, { stepId: id, outcome: 'cancelledBeforeEffect', effect: 'notStarted', reason, text }, at);
  return onCompensated(s, at);
}

/** Its step has ended: the receipt, and then the stop that has waited. */
export function onCompensated(s: RunState, at: number): Effect[] {
  const compensating = s.compensating;
  if (!compensating) return [];
  const { stepId: id, waits } = compensating;
  if (isBegun(s)) s.inFlight = null;
  if (stepOf(s, id)?.outcome === 'notStarted')
    return dropCompensation(s, 'stopped', 'it was given up before it did anything.', at);
  addReceipt(s, 'compensate', { at, phase: s.phase, stepId: id, forced: waits?.forced ?? false });
  s.compensating = null;
  // What a model has planned was planned on what is not so any more; a playbook just goes on.
  const own = stepOf(s, id);
  if (!s.model.fixed && !isFinal(s.status) && own && own.effect !== 'notStarted')
    cancelCalls(s, pendingSteps(s), 'worldChanged', 'the developer had an earlier step undone; see below.', at);
  return waits && !isFinal(s.status) ? onStop(s, waits.intent, at) : [];
}

/** A stop during a compensation: it waits for one that is at work, and withdraws one that has not begun. */
export function onStopWaits(s: RunState, intent: StopIntent, at: number): Effect[] {
  const { compensating } = s;
  if (!compensating) return [];
  const { waits } = compensating;
  if (!waits || STRENGTH[intent] > STRENGTH[waits.intent])
    s.compensating = { ...compensating, waits: { ...waits, intent, at: waits?.at ?? at } };
  return isBegun(s) ? [] : dropCompensation(s, 'stopped', 'the human stopped it before it did anything.', at);
}

export function onForce(s: RunState): Effect[] {
  const { compensating } = s;
  if (!compensating?.waits || !isBegun(s)) return [];
  s.compensating = { ...compensating, waits: { ...compensating.waits, forced: true } };
  return [{ type: 'interrupt', how: 'force' }];
}

/** After a restart: an open question stands as it was; what was in flight has been settled, and is over. */
export function onReopened(s: RunState, at: number): Effect[] {
  const { compensating } = s;
  if (!compensating || (!compensating.waits && questionsOf(s, compensating.stepId).length > 0)) return [];
  return onCompensated(s, at);
}
