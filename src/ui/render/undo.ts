/** Undoing a step, as the run tells of it. Pure. */
import type { Receipt, RunState } from '../../core/run/state';

/** The step of a compensation that waits for the human's answer. */
export function waitingUndo(s: RunState): string | undefined {
  const id = s.compensating?.stepId;
  return s.decisions.some((d) => d.state === 'pending' && d.stepId === id) ? id : undefined;
}

/** How the compensation by that step ended; undefined: it is not over, or left no receipt. */
export function endedUndo(s: RunState, stepId: string): Receipt | undefined {
  if (s.compensating?.stepId === stepId) return undefined;
  const names = (r: Receipt): boolean => r.evidence.some((e) => e.kind === 'step' && e.stepId === stepId);
  return s.receipts.findLast((r) => r.intent === 'compensate' && names(r));
}
