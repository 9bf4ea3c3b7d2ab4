/** What the run, and restores since, did to each file; which checkpoints there are, and what a file held at one. Pure. */
import type { Hash, Path } from '../ports';
import type { RunState, Step } from '../run/state';
import type { Checkpoint, CheckpointRef } from './types';

/** One change of a file by the run or by a restore, in the order of the journal. */
export interface Touch {
  /** Number of the step; null: a restore. */
  step: number | null;
  seq: number;
  before: Hash | null;
  after: Hash | null;
  mode?: number;
  movedFrom?: Path;
  movedTo?: Path;
  /** This side of it is a link. */
  link?: 'before' | 'after';
  /** Folders that were made for it. */
  folders?: readonly Path[];
  /** On another machine. */
  elsewhere?: true;
  /** No content is stored: too large. */
  noBlob?: boolean;
  /** Its effect is unknown: it counts where its content is there. */
  maybe?: boolean;
}

const ENDED: ReadonlySet<string> = new Set(['done', 'failed', 'failedBeforeEffect', 'skipped', 'unknown']);
/** A compensation is no step of the agent's way: where it ends is no boundary to go back to, what it wrote counts. */
const hasEnded = (step: Step): boolean =>
  step.compensates === undefined &&
  (ENDED.has(step.outcome) || (step.outcome === 'cancelledBeforeEffect' && step.seq !== undefined));

/** Newest last; the start is the first. */
export function checkpointsOf(state: RunState): Checkpoint[] {
  const start: Checkpoint = { n: 0, title: 'Start', at: state.createdAt, files: [] };
  return [
    start,
    ...state.steps.filter(hasEnded).map((step) => ({
      n: step.n,
      title: step.title,
      at: step.endedAt ?? step.startedAt ?? state.updatedAt,
      files: step.effect === 'committed' || step.effect === 'unknown' ? step.changes.map((c) => c.path) : [],
    })),
  ];
}

/** The boundary that is meant; undefined: there is none of that number. */
export function boundaryNamed(state: RunState, given: unknown): number | undefined {
  if (given === 'start' || given === 0) return 0;
  if (typeof given !== 'number' || !Number.isInteger(given)) return undefined;
  const step = state.steps[given - 1];
  // A call that was cancelled unstarted is no boundary of its own, but what it names is clear.
  return step?.compensates === undefined && step && step.outcome !== 'notStarted' && step.outcome !== 'running'
    ? given
    : undefined;
}

/** The last boundary there is. */
export const lastBoundary = (state: RunState): number => checkpointsOf(state).at(-1)?.n ?? 0;

export const nameOf = (n: CheckpointRef): string => (n === 0 || n === 'start' ? 'the start' : `step ${n}`);

/** Paths the run wrote (never those it only read or tried to read), with everything that was done to them. */
export function historyOf(state: RunState): Map<Path, Touch[]> {
  const touches = new Map<Path, Touch[]>();
  const add = (path: Path, touch: Touch): void => void touches.set(path, [...(touches.get(path) ?? []), touch]);
  let reached = 0;
  for (const step of state.steps) {
    const seq = (reached = step.seq ?? reached);
    if (step.effect !== 'committed' && step.effect !== 'unknown') continue;
    const moved = step.tool === 'move_file' && step.changes.length === 2;
    const [from, to] = step.changes;
    for (const change of step.changes) {
      // Not written by the run: whether a command did it or somebody else meanwhile cannot be known.
      if (change.command) continue;
      const { path, before, after } = change;
      add(path, {
        ...{ step: step.n, seq, before, after },
        // Bits are seen in no preview: those of another machine are nobody's word here.
        ...(change.elsewhere ? { elsewhere: true } : change.mode === undefined ? {} : { mode: change.mode }),
        ...(change.link ? { link: change.link } : {}),
        ...(change.folders ? { folders: change.folders } : {}),
        ...(change.noBlob ? { noBlob: true } : {}),
        ...(step.effect === 'unknown' ? { maybe: true } : {}),
        ...(moved && from && to && change === from ? { movedTo: to.path } : {}),
        ...(moved && from && to && change === to ? { movedFrom: from.path } : {}),
      });
    }
  }
  for (const restore of state.restores ?? []) {
    const seq = restore.seq ?? state.seq;
    for (const file of restore.files) {
      if (!file.done) continue;
      const { path, before, after, mode, movedFrom, movedTo, link, folders } = file;
      add(path, {
        ...{ step: null, seq, before, after },
        ...(restore.elsewhere ? { elsewhere: true } : mode === undefined ? {} : { mode }),
        ...(movedFrom === undefined ? {} : { movedFrom }),
        ...(movedTo === undefined ? {} : { movedTo }),
        ...(link ? { link } : {}),
        // Those of a file that came; with one that went they went.
        ...(folders && after !== null ? { folders } : {}),
      });
    }
  }
  // Stable: a move's two sides and the steps of one record stay in their order.
  for (const list of touches.values()) list.sort((a, b) => a.seq - b.seq);
  return touches;
}

/** What was done to a file after the checkpoint, in order. */
export function touchesSince(state: RunState, touches: readonly Touch[], n: number): Touch[] {
  // What was done on another machine has numbers up to 0.
  const seq = state.steps.slice(0, n).reduce((max, step) => Math.max(max, step.seq ?? max), -Infinity);
  return touches.filter((touch) => (touch.step === null ? touch.seq > seq : touch.step > n));
}

/**
 * Content of a file at a checkpoint, as the run knows it: what stood there before its next change (edits of the human up
 * to then included), else what it wrote last, else what it read. undefined: not known.
 */
export function contentAt(state: RunState, path: Path, checkpoint: CheckpointRef): Hash | null | undefined {
  const n = checkpoint === 'start' ? 0 : checkpoint;
  const touches = (historyOf(state).get(path) ?? []).filter((touch) => !touch.maybe);
  const next = touchesSince(state, touches, n)[0];
  if (next) return next.before;
  const last = touches.at(-1);
  return last ? last.after : state.files.find((file) => file.path === path)?.base;
}
