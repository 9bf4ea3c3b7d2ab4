/** What a force stop makes of something in flight that does not hear the stop. Pure. */
import type { RunEvent } from './events';
import type { InFlight } from './state';

/** The event that ends the wait; undefined: nothing to give up, it is killed and its own end comes. */
export function givenUp(inFlight: InFlight): RunEvent | undefined {
  switch (inFlight.kind) {
    case 'prepare':
      return { type: 'prepareCut' };
    case 'model':
      return { type: 'modelCut', requestId: inFlight.requestId };
    case 'retry':
      return { type: 'retryCut' };
    case 'step':
      return {
        type: 'stepAbandoned',
        stepId: inFlight.stepId,
        text: 'It was killed while in flight; what it did is not known.',
      };
    case 'reconcile':
      return { type: 'reconcileCut' };
    case 'check': {
      const proof = 'The check was given up by the force stop; it tells nothing.';
      return { type: 'effectChecked', decisionId: inFlight.decisionId, verdict: 'unknown', proof };
    }
    case 'takeSide': {
      const said = 'Putting it in place was given up by the force stop: look at the file, then answer again.';
      return { type: 'sideTaken', decisionId: inFlight.decisionId, choice: '', said, failed: true };
    }
    case 'endBackground':
      return undefined;
  }
}
