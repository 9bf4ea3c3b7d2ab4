/** Three-way merge over whole lines. Hunks that touch overlap; the same change on both sides is one change. */
import { MARKS } from '../conflictMarks';
import { hunks, type Hunk } from './diff';
import { dominantEol, joinLines, linesOf, splitLines, type Lines } from './lines';

export type Merge =
  | { clean: true; text: string }
  /** `undecided`: too different to compare within the bound. */
  | { clean: false; undecided: boolean };

const CONFLICT: Merge = { clean: false, undecided: false };

/** What one side makes of base lines `from … to`, its hunks inside that range applied. */
function sideOf(base: readonly string[], side: readonly Hunk[], from: number, to: number): string[] {
  const out: string[] = [];
  let at = from;
  for (const hunk of side) {
    out.push(...base.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  out.push(...base.slice(at, to));
  return out;
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((x, i) => x === b[i]);

/** `collide`: what stands where both sides changed the same lines in different ways; undefined: then there is no merge. */
function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
  collide: (ours: readonly string[], theirs: readonly string[]) => string[] | undefined = () => undefined,
): string[] | 'conflict' | 'undecided' {
  const left = hunks(base, ours);
  const right = hunks(base, theirs);
  if (!left || !right) return 'undecided';
  const out: string[] = [];
  let at = 0;
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const a = left[l];
    const b = right[r];
    const from = Math.min(a?.from ?? Infinity, b?.from ?? Infinity);
    let to = from;
    const mine: Hunk[] = [];
    const other: Hunk[] = [];
    // Everything that overlaps or touches the growing range belongs to one cluster.
    for (let grown = true; grown;) {
      grown = false;
      const x = left[l];
      if (x && x.from <= to) {
        mine.push(x);
        to = Math.max(to, x.to);
        l += 1;
        grown = true;
      }
      const y = right[r];
      if (y && y.from <= to) {
        other.push(y);
        to = Math.max(to, y.to);
        r += 1;
        grown = true;
      }
    }
    out.push(...base.slice(at, from));
    if (other.length === 0) out.push(...sideOf(base, mine, from, to));
    else if (mine.length === 0) out.push(...sideOf(base, other, from, to));
    else {
      const one = sideOf(base, mine, from, to);
      const two = sideOf(base, other, from, to);
      const both = same(one, two) ? one : collide(one, two);
      if (!both) return 'conflict';
      out.push(...both);
    }
    at = to;
  }
  out.push(...base.slice(at));
  return out;
}

/** A single property: the side that changed it wins; both changed it the same way or not at all. */
const scalar = <T>(base: T, ours: T, theirs: T): T => (ours === base ? theirs : ours);

/**
 * Gives lines the ends they have in `model` where they stand there too (by alignment), else its dominant end. A text without
 * any line end in `model` keeps LF.
 */
export function restyle(lines: readonly string[], finalNewline: boolean, model: string): string {
  const styled = splitLines(model);
  const common = dominantEol(model);
  const eols: Lines['eols'] = lines.map(() => common);
  if (styled.eols.some((eol) => eol !== '' && eol !== common)) {
    const changes = hunks(styled.lines, lines);
    let shift = 0;
    let at = 0;
    for (const hunk of [...(changes ?? []), { from: styled.lines.length, to: styled.lines.length, lines: [] }]) {
      for (let i = at; i < hunk.from; i += 1) eols[i + shift] = styled.eols[i] || common;
      // A line put in place of another takes over its end.
      for (let k = 0; k < hunk.lines.length && hunk.from + k < hunk.to; k += 1) {
        eols[hunk.from + shift + k] = styled.eols[hunk.from + k] || common;
      }
      at = hunk.to;
      shift += hunk.lines.length - (hunk.to - hunk.from);
    }
  }
  if (!finalNewline && eols.length > 0) eols[eols.length - 1] = '';
  return joinLines({ lines: [...lines], eols });
}

/** Does the text end with a line end? An empty text counts as ended. */
export const endsLine = (text: string): boolean => text === '' || text.endsWith('\n');

/** Merges texts whatever their line ends; the result has those of `theirs`. Laws: a side that equals base gives the other. */
export function merge3(base: string, ours: string, theirs: string): Merge {
  if (ours === base || ours === theirs) return { clean: true, text: theirs };
  const merged = mergeLines(linesOf(base), linesOf(ours), linesOf(theirs));
  if (merged === 'undecided') return { clean: false, undecided: true };
  if (merged === 'conflict') return CONFLICT;
  const final = scalar(endsLine(base), endsLine(ours), endsLine(theirs));
  return { clean: true, text: restyle(merged, final, theirs) };
}

/**
 * What git leaves of a merge with overlaps, for an editor that knows such marks: `theirs` (the human's) above, `ours` below. LF.
 * undefined: too different to compare within the bound.
 */
export function withMarks(base: string, ours: string, theirs: string): string | undefined {
  const [above, between, below] = MARKS;
  const merged = mergeLines(linesOf(base), linesOf(ours), linesOf(theirs), (one, two) => [
    ...[above, ...two, between],
    ...[...one, below],
  ]);
  if (typeof merged === 'string') return undefined;
  const final = scalar(endsLine(base), endsLine(ours), endsLine(theirs));
  return merged.join('\n') + (final && merged.length > 0 ? '\n' : '');
}
