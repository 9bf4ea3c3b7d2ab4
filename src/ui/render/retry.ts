/** The wait before the model is asked again: at work, or kept over a restart until the human resumes. Pure. */
import type { RunState } from '../../core/run/state';

/** Whole seconds that are left of the wait; undefined: nothing is waited for. */
export function secondsLeft({ retry, inFlight, status }: RunState, now: number): number | undefined {
  if (!retry || (inFlight?.kind !== 'retry' && status !== 'paused')) return undefined;
  return Math.max(0, Math.ceil((retry.until - now) / 1000));
}

/** When what is shown of the wait is to be drawn again, ms from now; undefined: it does not change by itself. */
export const redrawIn = (s: RunState | undefined, now: number): number | undefined =>
  s && (secondsLeft(s, now) ?? 0) > 0 ? 1000 : undefined;

/** A run that lost its process in the wait: how long the service wanted to be left alone. */
export function waitedWords(s: RunState, now: number): string {
  const left = secondsLeft(s, now);
  if (left === undefined || s.inFlight?.kind === 'retry') return '';
  const why = s.retry?.error.message ?? 'it gave no reason';
  const wait =
    left === 0 ? 'The wait it asked for is over.' : `It is to be asked again in ${left} s; Resume asks at once.`;
  return ` It waited for the model service (${why}). ${wait}`;
}
