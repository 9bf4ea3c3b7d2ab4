/** From what is stored to a state: the snapshot, and the journal folded over it. */
import type { LoadedRun } from '../ports';
import { allSteps, finishedSteps } from './counts';
import { isWhole } from './events';
import { livesOn } from './flow';
import { foldedAtOnce } from './lists';
import { isActive, type RunState, type RunSummary } from './state';
import { transition } from './transition';

/** undefined: nothing whole is there. Effects asked for on the way belong to the past. */
export function foldLoaded(loaded: LoadedRun): RunState | undefined {
  return foldedAtOnce(() => {
    let state = loaded.snapshot;
    for (const record of loaded.tail) {
      if (!state && record.event.type !== 'runStarted' && !isWhole(record.event)) return undefined;
      state = transition(state, record).state;
    }
    return state;
  });
}

/** A restore has begun and its end is not known. */
export const isRestoring = (s: RunState): boolean => s.restores?.some((one) => one.state === 'requested') ?? false;

/** Something it started may still live, or its process was lost in the middle of something. */
export const isLive = (s: RunState): boolean =>
  Boolean(s.compensating) || s.frozen !== null || livesOn(s) || isActive(s.status) || isRestoring(s);

export function summarize(s: RunState): RunSummary {
  return {
    runId: s.runId,
    goal: s.goal,
    status: s.status,
    control: s.control,
    model: s.model.label,
    createdAt: s.createdAt,
    updatedAt: s.updatedAt,
    stepsDone: finishedSteps(s),
    steps: allSteps(s),
    live: isLive(s),
    ...(s.importedFrom ? { imported: true } : {}),
  };
}

/** Index entry of a stored run, for an index that was lost. */
export function summarizeLoaded(_runId: string, loaded: LoadedRun): RunSummary | undefined {
  const state = foldLoaded(loaded);
  return state && summarize(state);
}
