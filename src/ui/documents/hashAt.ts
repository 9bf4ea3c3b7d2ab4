/** What a checkpoint holds of a file, for those who look: as a restore would bring it back, and what commands changed. Pure. */
import { contentAt, historyOf, touchesSince, type Touch } from '../../core/checkpoints/history';
import type { Hash } from '../../core/ports';
import type { FileChange, RunState } from '../../core/run/state';

interface Change extends FileChange {
  n: number;
}

interface Told {
  /** Of the run itself, and of restores. */
  touches: ReadonlyMap<string, Touch[]>;
  /** Found after commands, in order: whether they did it is not known, so a restore leaves them alone. */
  commands: readonly Change[];
  /** The last step that wrote. */
  last: number;
}

const known = new WeakMap<RunState, Told>();

/** Made once per snapshot. */
function toldBy(s: RunState): Told {
  const before = known.get(s);
  if (before) return before;
  const changes = s.steps.flatMap((step) =>
    step.effect === 'committed' || step.effect === 'unknown' ? step.changes.map((c) => ({ ...c, n: step.n })) : [],
  );
  const told = {
    touches: historyOf(s),
    commands: changes.filter((c) => c.command),
    last: changes.at(-1)?.n ?? 0,
  };
  known.set(s, told);
  return told;
}

/** The last step that wrote; Infinity where the human changed a file of the run: that is since every checkpoint. */
export const lastChange = (s: RunState): number =>
  s.files.some((f) => f.by === 'human' || f.deletedByHuman) ? Infinity : toldBy(s).last;

/**
 * The content of `path` at the boundary after step `n` (0: the start). null: nothing was there. undefined: it is not stored,
 * or the run has never seen the file.
 */
export function hashAt(s: RunState, path: string, n: number): Hash | null | undefined {
  const { touches, commands } = toldBy(s);
  const own = touches.get(path) ?? [];
  const found = commands.filter((c) => c.path === path);
  const [next, last] = [touchesSince(s, own, n)[0], own.at(-1)];
  // A change found after a command counts where it comes between the checkpoint and what the run did next, or did last.
  const after = found.find((c) => c.n > n);
  if (after && (!next || (next.step !== null && after.n < next.step))) return after.noBlob ? undefined : after.before;
  const before = found.findLast((c) => c.n <= n);
  if (!next && before && (!last || (last.step !== null && last.step < before.n)))
    return before.noBlob ? undefined : before.after;
  const near = next ?? last ?? s.files.find((one) => one.path === path);
  return near?.noBlob ? undefined : contentAt(s, path, n);
}

/**
 * Files that are another now than after step `n`: a later step wrote them and no restore brought them back, a command
 * changed them, or the human did after the run saw them; each with what it was then.
 */
export function changedSince(s: RunState, n: number): { path: string; then: Hash | null }[] {
  const { touches, commands } = toldBy(s);
  const paths = new Set<string>();
  for (const [path, own] of touches) {
    const since = touchesSince(s, own, n);
    if (since.length > 0 && since.at(-1)?.after !== hashAt(s, path, n)) paths.add(path);
  }
  for (const change of commands) if (change.n > n) paths.add(change.path);
  for (const f of s.files) if (f.by === 'human' || f.deletedByHuman) paths.add(f.path);
  return [...paths].flatMap((path) => {
    const then = hashAt(s, path, n);
    return then === undefined ? [] : [{ path, then }];
  });
}
