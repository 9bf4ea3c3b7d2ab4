/** What a checkpoint holds of a file, from the changes of the steps. Pure. */
import type { Hash } from '../../core/ports';
import type { FileChange, RunState, Step } from '../../core/run/state';

interface Change extends FileChange {
  n: number;
}

const known = new WeakMap<readonly Step[], Change[]>();

/** What the run wrote, in order; made once per list of steps. */
function changesOf(s: RunState): Change[] {
  const made =
    known.get(s.steps) ??
    s.steps.flatMap((step) =>
      step.effect === 'committed' || step.effect === 'unknown' ? step.changes.map((c) => ({ ...c, n: step.n })) : [],
    );
  known.set(s.steps, made);
  return made;
}

/** The last step that wrote; Infinity where the human changed a file of the run: that is since every checkpoint. */
export const lastChange = (s: RunState): number =>
  s.files.some((f) => f.by === 'human' || f.deletedByHuman) ? Infinity : (changesOf(s).at(-1)?.n ?? 0);

/**
 * The content of `path` at the boundary after step `n` (0: the start). null: nothing was there. undefined: it is not stored,
 * or the run has never seen the file.
 */
export function hashAt(s: RunState, path: string, n: number): Hash | null | undefined {
  const changes = changesOf(s).filter((c) => c.path === path);
  const before = changes.findLast((c) => c.n <= n);
  const after = changes.find((c) => c.n > n);
  const change = before ?? after;
  if (change) return change.noBlob ? undefined : before ? before.after : change.before;
  const file = s.files.find((one) => one.path === path);
  return file?.noBlob ? undefined : file?.base;
}

/** Files that a step after `n` wrote, or the human changed after the run saw them; each with what it was then. */
export function changedSince(s: RunState, n: number): { path: string; then: Hash | null }[] {
  const paths = new Set(
    changesOf(s)
      .filter((c) => c.n > n)
      .map((c) => c.path),
  );
  for (const f of s.files) if (f.by === 'human' || f.deletedByHuman) paths.add(f.path);
  return [...paths].flatMap((path) => {
    const then = hashAt(s, path, n);
    return then === undefined ? [] : [{ path, then }];
  });
}
