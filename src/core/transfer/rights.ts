/**
 * What a run may not take along: permissions, and what is alive on a machine. Applied where a run leaves and again where it
 * arrives, because a file may come from anybody. Pure.
 */
import type { JournalRecord } from '../ports';
import type { RunEvent } from '../run/events';
import type { Decision, RunState, Step } from '../run/state';
import { stepOf } from '../run/update';

/** What was allowed holds for a call that is over; one that is still to come, or may be repeated, is asked about where it runs. */
const OPEN: ReadonlySet<Step['outcome']> = new Set(['notStarted', 'running', 'unknown']);
const isOver = (step: Step | undefined): boolean => step !== undefined && !OPEN.has(step.outcome);

/** An answer to a question is knowledge; one to an approval or a conflict lets something happen. */
const isRight = ({ kind, state }: Decision): boolean =>
  (kind === 'approval' && state === 'granted') || (kind === 'conflict' && state === 'answered');

function decisionWithout(s: RunState, decision: Decision): Decision {
  const { answer, ...asked } = decision;
  if (isRight(decision) && !isOver(stepOf(s, decision.stepId ?? ''))) return { ...asked, state: 'withdrawn' };
  return answer?.choice === 'grantForRun' ? { ...asked, answer: { ...answer, choice: 'grant' } } : decision;
}

function stepWithout(step: Step): Step {
  const { process: _process, repeatOf, ...rest } = step;
  // A repeat the human asked for runs unasked: it does so only where they asked for it.
  return repeatOf !== undefined && isOver(step) ? { ...rest, repeatOf } : rest;
}

/** The state without grants, without answers that allow what is still to come, and without processes. Shares what it keeps. */
export function withoutRights(s: RunState): RunState {
  const state: RunState = {
    ...s,
    grants: [],
    survivors: [],
    steps: s.steps.map(stepWithout),
    decisions: s.decisions.map((decision) => decisionWithout(s, decision)),
    resuming: s.resuming?.note === undefined ? null : { via: s.resuming.via, note: s.resuming.note },
  };
  delete state.servers;
  delete state.unstored;
  return state;
}

/** Processes of a machine; and a whole state that a run began with, which is in the one that travels. */
const STAYS: ReadonlySet<RunEvent['type']> = new Set([
  ...(['stepProcess', 'serverStarted', 'serversEnded'] as const),
  ...(['runForked', 'runImported'] as const),
]);

/** A record as it is kept for reading; undefined: it stays here. It is never folded again. */
export function recordWithoutRights(record: JournalRecord): JournalRecord | undefined {
  const { event } = record;
  if (STAYS.has(event.type)) return undefined;
  switch (event.type) {
    case 'decisionAnswered':
      return event.choice === 'grantForRun' ? { ...record, event: { ...event, choice: 'grant' } } : record;
    case 'stepFrozen':
      return { ...record, event: { type: event.type, stepId: event.stepId } };
    case 'stepEnded': {
      const { survivors: _survivors, ...end } = event.end;
      return { ...record, event: { ...event, end } };
    }
    case 'interrupted':
    case 'reopened':
    case 'backgroundEnded':
      return { ...record, event: { ...event, survivors: [] } };
    default:
      return record;
  }
}
