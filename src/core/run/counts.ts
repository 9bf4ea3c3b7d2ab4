/** How far a run is, as people are told. Pure. */
import type { RunState } from './state';

/** Compensations are the human's, and take steps back: none of them brings the run further. */
const isOwn = (step: RunState['steps'][number]): boolean => step.compensates === undefined;

/** Steps that ran to an end of their own, well or not. */
export const finishedSteps = (s: Pick<RunState, 'steps'>): number =>
  s.steps.reduce((n, step) => n + (isOwn(step) && (step.outcome === 'done' || step.outcome === 'failed') ? 1 : 0), 0);

/** How many steps there are as far as is known. One that was cancelled before its effect comes again and counts once. */
export const allSteps = (s: Pick<RunState, 'steps' | 'outline'>): number =>
  Math.max(
    s.outline.length,
    s.steps.reduce((n, step) => n + (!isOwn(step) || step.outcome === 'cancelledBeforeEffect' ? 0 : 1), 0),
  );
