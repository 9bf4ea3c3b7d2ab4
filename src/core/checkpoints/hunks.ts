/** Undoing a change where the text has moved on: the run's lines go back, the human's stay. Pure; lines keep their ends. */
import { hunks, type Hunk } from '../reconcile/diff';
import { splitLines } from '../reconcile/lines';
import type { UndoHunk } from './types';

const withEnds = (text: string): string[] => {
  const { lines, eols } = splitLines(text);
  return lines.map((line, i) => line + (eols[i] ?? ''));
};

const sameLines = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, i) => line === b[i]);

/** Hunks that touch overlap: what stands side by side was seen together. */
const overlap = (a: Hunk, b: Hunk): boolean => a.from <= b.to && b.from <= a.to;

function apply(lines: readonly string[], changes: readonly UndoHunk[]): string[] {
  const out: string[] = [];
  let at = 0;
  for (const { from, to, lines: added } of changes) {
    out.push(...lines.slice(at, from), ...added);
    at = to;
  }
  out.push(...lines.slice(at));
  return out;
}

/** The text with some of its hunks undone, each named by its place in the list. */
export function applyHunks(now: string, all: readonly UndoHunk[], picks: readonly number[]): string {
  const wanted = new Set(picks);
  return apply(
    withEnds(now),
    all.filter((_, i) => wanted.has(i)),
  ).join('');
}

/** The changes that make `target` of `now`; undefined: too different to say in time. */
export const changesTo = (now: string, target: string): UndoHunk[] | undefined =>
  hunks(withEnds(now), withEnds(target));

/**
 * Takes the run's changes back, the last one first, each as a patch on what is there then. `conflicts` counts those whose
 * lines the human has changed: they stay. undefined: too different to say in time.
 */
export function undoHunks(
  now: string,
  changes: readonly { before: string; after: string }[],
): { hunks: UndoHunk[]; text: string; conflicts: number } | undefined {
  const start = withEnds(now);
  let lines = start;
  let conflicts = 0;
  for (const { before, after } of [...changes].reverse()) {
    const made = withEnds(after);
    const undo = hunks(made, withEnds(before));
    const human = hunks(made, lines);
    if (!undo || !human) return undefined;
    const clean: UndoHunk[] = [];
    for (const one of undo) {
      const met = human.filter((h) => overlap(h, one));
      if (met.length === 0) {
        const shift = human.reduce((n, h) => (h.to < one.from ? n + h.lines.length - (h.to - h.from) : n), 0);
        clean.push({ from: one.from + shift, to: one.to + shift, lines: one.lines });
      } else if (!met.some((h) => h.from === one.from && h.to === one.to && sameLines(h.lines, one.lines))) {
        conflicts += 1;
      }
    }
    lines = apply(lines, clean);
  }
  const result = hunks(start, lines);
  return result && { hunks: result, text: lines.join(''), conflicts };
}
