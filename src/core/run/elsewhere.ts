/** Changes of files that the run knows nothing of, gathered until the model is told. Pure. */
import type { Elsewhere, RunState } from './state';

/** More of them are not kept one by one; the report says that there may be more. */
export const MOST_ELSEWHERE = 500;
const MOST_MADE = 2000;

/** One after another: what was created and is gone again has not changed. */
export function inARow<T extends Pick<Elsewhere, 'kind'>>(before: T | undefined, next: T): T | undefined {
  if (before?.kind === 'created') return next.kind === 'deleted' ? undefined : { ...next, kind: 'created' };
  if (before?.kind === 'deleted' && next.kind === 'created') return { ...next, kind: 'changed' };
  return next;
}

export function mergeElsewhere(before: readonly Elsewhere[], next: readonly Elsewhere[]): Elsewhere[] {
  const merged = new Map(before.map((one) => [one.path, one]));
  for (const one of next) {
    const result = inARow(merged.get(one.path), one);
    if (result) merged.set(one.path, result);
    else merged.delete(one.path);
  }
  return [...merged.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Kept until the next report; files of the human's making are remembered for longer. */
export function addElsewhere(s: RunState, changes: readonly Elsewhere[]): void {
  if (changes.length === 0) return;
  s.elsewhere = mergeElsewhere(s.elsewhere ?? [], changes).slice(0, MOST_ELSEWHERE);
  rememberMade(s, changes);
}

/** What a background command may have made counts for nobody's. */
export function rememberMade(s: RunState, changes: readonly Elsewhere[]): void {
  const made = new Set(s.made);
  for (const { path, kind, background } of changes) {
    if (kind === 'created' && !background) made.add(path);
    else if (kind === 'deleted') made.delete(path);
  }
  s.made = [...made].slice(-MOST_MADE);
}
