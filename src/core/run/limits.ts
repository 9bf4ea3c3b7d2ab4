/** Limits of a run (`holdfast.limits`): reaching one pauses it; the resume gives it as much again. Pure. */
import type { RunState } from './state';

/** Absent: no limit. Minutes are those in which the run was at work. */
export interface Limits {
  steps?: number;
  minutes?: number;
  tokens?: number;
}

/** What was used up to the last time that a limit paused the run. */
export interface Used {
  steps: number;
  activeMs: number;
  tokens: number;
}

export const usedOf = (s: RunState): Used => ({
  steps: s.steps.filter((step) => step.outcome !== 'notStarted' && step.compensates === undefined).length,
  activeMs: s.activeMs ?? 0,
  tokens: s.usage.inputTokens + s.usage.outputTokens,
});

const NONE: Used = { steps: 0, activeMs: 0, tokens: 0 };

/** Why the run must not start the next thing, in words; undefined: it may. */
export function limitReached(s: RunState, limits: Limits): string | undefined {
  // to count costs more the longer the run is
  if (limits.steps === undefined && limits.minutes === undefined && limits.tokens === undefined) return undefined;
  const used = usedOf(s);
  const since = s.limitBase ?? NONE;
  const over = (value: number, limit: number | undefined): limit is number => limit !== undefined && value >= limit;
  const words = (what: string): string =>
    `The run has reached its limit of ${what} (holdfast.limits). Resume gives it as much again.`;
  if (over(used.steps - since.steps, limits.steps)) return words(count(limits.steps, 'step'));
  if (over((used.activeMs - since.activeMs) / 60_000, limits.minutes)) return words(count(limits.minutes, 'minute'));
  if (over(used.tokens - since.tokens, limits.tokens)) return words(count(limits.tokens, 'token'));
  return undefined;
}

const count = (n: number | undefined, unit: string): string => `${n} ${unit}${n === 1 ? '' : 's'}`;
