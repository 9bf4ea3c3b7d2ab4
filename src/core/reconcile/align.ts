/** Which line of a new text is which line of the old one. Always bounded, and in parts that do not hold up the host. */
import { hunks } from './diff';
import type { InParts } from './parts';

/** Tracking happens on every read and write: it may not hold up the host as a report may. */
const BOUNDS = { timeout: 60, maxEditLength: 2000 } as const;

export interface Alignment {
  /** For each new line (from 0) the old line it is; -1: none, it was put in. */
  oldOf: Int32Array;
  /** false: too different within the bound; lines are matched by their text alone. */
  exact: boolean;
}

/**
 * Where the bound is met, equal lines are matched in the order they come, wherever they stand: a line counts as new only where
 * its text was not there before, and as gone only where it is nowhere afterwards.
 */
export function* align(old: readonly string[], next: readonly string[]): InParts<Alignment> {
  const oldOf = new Int32Array(next.length).fill(-1);
  const changes = hunks(old, next, BOUNDS);
  yield;
  if (!changes) {
    yield* byText(old, next, oldOf);
    return { oldOf, exact: false };
  }
  let i = 0;
  let j = 0;
  for (const hunk of [...changes, { from: old.length, to: old.length, lines: [] }]) {
    while (i < hunk.from) oldOf[j++] = i++;
    i = hunk.to;
    j += hunk.lines.length;
  }
  return { oldOf, exact: true };
}

/** Lines between two breaths. */
const PART = 1 << 14;

function* byText(old: readonly string[], next: readonly string[], oldOf: Int32Array): InParts<void> {
  const places = new Map<string, number[]>();
  for (let i = old.length - 1; i >= 0; i -= 1) {
    const line = old[i] ?? '';
    const list = places.get(line);
    if (list) list.push(i);
    else places.set(line, [i]);
    if (i % PART === 0) yield;
  }
  for (let j = 0; j < next.length; j += 1) {
    oldOf[j] = places.get(next[j] ?? '')?.pop() ?? -1;
    if (j % PART === 0) yield;
  }
}

/**
 * Of equal lines side by side nobody can tell which one went: a deletion is moved, where that makes the same text, to where it
 * takes the fewest of the `owned` lines. Changes `oldOf`.
 */
export function spare({ oldOf, exact }: Alignment, old: readonly string[], owned: Uint8Array): void {
  if (!exact) return;
  const newOf = new Int32Array(old.length).fill(-1);
  for (let j = 0; j < oldOf.length; j += 1) if ((oldOf[j] ?? -1) >= 0) newOf[oldOf[j] ?? 0] = j;
  const place = (i: number): number => (i < 0 ? -1 : i >= old.length ? oldOf.length : (newOf[i] ?? -1));
  for (let from = 0; from < old.length; from += 1) {
    if (place(from) >= 0) continue;
    let to = from;
    while (to < old.length && place(to) < 0) to += 1;
    // Only where nothing was put in instead.
    const shift = place(to) === place(from - 1) + 1 ? cheapest(old, owned, place, from, to) : 0;
    for (let k = 0; k < Math.abs(shift); k += 1) {
      const [kept, gone] = shift < 0 ? [to - 1 - k, from - 1 - k] : [from + k, to + k];
      oldOf[place(gone)] = kept;
    }
    from = Math.max(from, to - 1 + Math.max(0, shift));
  }
}

/** By how many lines the gap `from` to `to` (exclusive) is moved, up (negative) or down, to take the fewest owned lines. */
function cheapest(
  old: readonly string[],
  owned: Uint8Array,
  place: (i: number) => number,
  from: number,
  to: number,
): number {
  let best = 0;
  let gain = 0;
  for (const way of [-1, 1]) {
    let sum = 0;
    for (let k = 0; ; k += 1) {
      const [kept, gone] = way < 0 ? [to - 1 - k, from - 1 - k] : [from + k, to + k];
      const beside = way < 0 ? place(gone) === place(from - 1) - k : place(gone) === place(to) + k;
      if (gone < 0 || gone >= old.length || place(gone) < 0 || !beside || old[kept] !== old[gone]) break;
      sum += (owned[kept] ?? 0) - (owned[gone] ?? 0);
      if (sum > gain) {
        gain = sum;
        best = way * (k + 1);
      }
    }
  }
  return best;
}
