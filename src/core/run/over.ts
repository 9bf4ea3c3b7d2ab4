/** What is told of an effect of the controller that failed, by the storage or by a mistake of ours. Pure. */
import type { Effect, RunEvent } from './events';

const LOOK = 'look for yourself, then answer again.';

/** The end of what was performed, had it been cut off before it did anything; `why` is a clause without a full stop. */
export function over(effect: Effect, why: string): RunEvent[] {
  switch (effect.type) {
    case 'prepare':
      return [{ type: 'prepared', seen: [], git: null }];
    case 'askModel':
      return [{ type: 'modelCut', requestId: effect.requestId }];
    case 'runStep':
    case 'compensate':
      return [{ type: 'stepNotStarted', stepId: effect.stepId }];
    case 'reconcile':
      return [{ type: 'reconcileCut' }];
    case 'checkEffect':
      return [untold(effect.decisionId, why)];
    case 'takeSide':
      return [notTaken(effect.decisionId, why)];
    default:
      return [];
  }
}

/**
 * After a mistake of ours, whose `words` are those of the error. It ends the run, but for what the human asks for beside it
 * (an undo, a check, a side to take), which may be asked of a run that is over.
 */
export function mistaken(effect: Effect, words: string): RunEvent {
  const why = `Holdfast made a mistake (${words})`;
  switch (effect.type) {
    case 'compensate':
      return { type: 'stepAbandoned', stepId: effect.stepId, text: `Holdfast made a mistake: ${words}` };
    case 'checkEffect':
      return untold(effect.decisionId, why);
    case 'takeSide':
      return notTaken(effect.decisionId, why);
    default:
      return { type: 'failed', text: `Holdfast made a mistake and ended the run: ${words}` };
  }
}

const untold = (decisionId: string, why: string): RunEvent => ({
  type: 'effectChecked',
  decisionId,
  verdict: 'unknown',
  proof: `The check could not be made: ${why}; ${LOOK}`,
});

const notTaken = (decisionId: string, why: string): RunEvent => ({
  type: 'sideTaken',
  decisionId,
  choice: '',
  said: `It could not be put in place: ${why}; ${LOOK}`,
  failed: true,
});
