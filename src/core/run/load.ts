/** From what is stored to a state: the snapshot, and the journal folded over it. */
import type { HearLoaded, JournalRecord, LoadedRun, Store } from '../ports';
import { allSteps, finishedSteps } from './counts';
import { isWhole } from './events';
import { livesOn } from './flow';
import { foldedAtOnce } from './lists';
import { isActive, type RunState, type RunSummary } from './state';
import { transition } from './transition';

/**
 * Folds what is loaded as it comes, so that a long journal is never in memory as a whole. Effects asked for on the way belong to
 * the past.
 */
export class RunFold implements HearLoaded {
  private folded: RunState | undefined;
  private mine = new WeakSet<object>();
  private unusable = false;
  begun = false;

  /** undefined: nothing whole is there. Read when all has come: until then it changes in place. */
  get state(): RunState | undefined {
    return this.folded;
  }

  begin(snapshot: RunState | undefined): void {
    this.begun = true;
    this.folded = snapshot;
    this.mine = new WeakSet();
    this.unusable = false;
  }

  take(record: JournalRecord): void {
    const before = this.folded;
    this.unusable ||= !before && record.event.type !== 'runStarted' && !isWhole(record.event);
    if (!this.unusable) this.folded = foldedAtOnce(() => transition(before, record).state, this.mine);
  }
}

/** undefined: nothing whole is there. */
export function foldLoaded({ snapshot, tail }: LoadedRun): RunState | undefined {
  const fold = new RunFold();
  fold.begin(snapshot);
  for (const record of tail) fold.take(record);
  return fold.state;
}

/** A stored run, read and folded in one go; undefined: there is no such run. Rejects as `Store.load`. */
export async function loadFolded(
  store: Store,
  runId: string,
): Promise<{ state: RunState | undefined; damage: readonly string[] } | undefined> {
  const fold = new RunFold();
  const loaded = await store.load(runId, fold);
  return loaded && { state: fold.begun ? fold.state : foldLoaded(loaded), damage: loaded.damage };
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
