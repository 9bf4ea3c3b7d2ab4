/** What is told of an effect of the controller that failed before it did anything. */
import type { Effect, RunEvent } from './events';

/** The end of what was performed, had it been cut off before it did anything. */
export function over(effect: Effect): RunEvent[] {
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
    default:
      return [];
  }
}
