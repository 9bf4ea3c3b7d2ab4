/**
 * What the player watches of a run while it plays: small, sent on each change, so that it sees short-lived states too.
 * The whole state is fetched once, at the end.
 */
import type { DecisionState, EffectStatus, RunState, RunStatus, StepOutcome } from '../../src/core/run/state';

export interface StepDigest {
  n: number;
  id: string;
  outcome: StepOutcome;
  effect: EffectStatus;
}

export interface DecisionDigest {
  id: string;
  kind: string;
  paths: string[];
  state: DecisionState;
}

export interface Digest {
  runId: string;
  /** Run that is meant when none is named. */
  current: string | undefined;
  status: RunStatus;
  reason: string | undefined;
  /** Only those that changed since the digest before. */
  steps: StepDigest[];
  decisions: DecisionDigest[];
}

/** Makes digests of one host's runs; remembers what it has sent. */
export class Digester {
  private readonly sent = new Map<string, Map<number, string>>();

  digest(state: RunState, current: string | undefined): Digest {
    const before = this.sent.get(state.runId) ?? new Map<number, string>();
    this.sent.set(state.runId, before);
    const steps: StepDigest[] = [];
    for (const { n, id, outcome, effect } of state.steps) {
      const key = `${id} ${outcome} ${effect}`;
      if (before.get(n) === key) continue;
      before.set(n, key);
      steps.push({ n, id, outcome, effect });
    }
    return {
      runId: state.runId,
      current,
      status: state.status,
      reason: state.reason ? `${state.reason.code}: ${state.reason.text}` : undefined,
      steps,
      decisions: state.decisions.map(({ id, kind, path, paths, state: fate }) => ({
        id,
        kind,
        paths: path === undefined ? (paths ?? []) : [path, ...(paths ?? [])],
        state: fate,
      })),
    };
  }
}

export interface RunSeen {
  status: RunStatus;
  reason: string | undefined;
  steps: Map<number, StepDigest>;
  decisions: DecisionDigest[];
}

const settledOutcomes: ReadonlySet<string> = new Set([
  'done',
  'failed',
  'failedBeforeEffect',
  'cancelledBeforeEffect',
  'skipped',
]);

/** All that was seen of the runs of a scenario, over restarts of its host. */
export class RunsSeen {
  readonly runs = new Map<string, RunSeen>();
  current: string | undefined;
  /** Facts that went backwards: a settled step that changed, an id that moved, a final run that went on. */
  readonly wrong: string[] = [];

  apply(digest: Digest): void {
    const seen = this.runs.get(digest.runId);
    const run: RunSeen = seen ?? { status: digest.status, reason: undefined, steps: new Map(), decisions: [] };
    this.runs.set(digest.runId, run);
    if (['aborted', 'completed', 'failed'].includes(run.status) && run.status !== digest.status)
      this.wrong.push(`run ${digest.runId} was ${run.status} and became ${digest.status}`);
    for (const step of digest.steps) {
      const before = run.steps.get(step.n);
      if (before) this.compare(before, step);
      run.steps.set(step.n, step);
    }
    run.status = digest.status;
    run.reason = digest.reason;
    run.decisions = digest.decisions;
    this.current = digest.current;
  }

  /** The host is gone: nothing is known until it tells anew. */
  hostGone(): void {
    this.current = undefined;
  }

  run(runId: string | undefined): RunSeen | undefined {
    const id = runId ?? this.current;
    return id === undefined || this.current === undefined ? undefined : this.runs.get(id);
  }

  private compare(before: StepDigest, now: StepDigest): void {
    if (before.id !== now.id) this.wrong.push(`step ${now.n} changed its id from ${before.id} to ${now.id}`);
    else if (settledOutcomes.has(before.outcome) && before.outcome !== now.outcome)
      this.wrong.push(`step ${now.n} was ${before.outcome} and became ${now.outcome}`);
    else if (before.effect === 'committed' && now.effect !== 'committed')
      this.wrong.push(`the effect of step ${now.n} was committed and became ${now.effect}`);
  }
}
