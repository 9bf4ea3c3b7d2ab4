/** `edit_file`: a patch on what is there now. `old_text` must match, uniquely; line ends of the file stay. */
import { crOffsets, dominantEol, fromLfOffset, splitLines, toLf, type Eol } from './lines';
import { merge3 } from './merge3';

export type Edit =
  | {
      kind: 'edited';
      text: string;
      count: number;
      /** 1-based lines of the places, as they were. */ at: number[];
      /** The first. */ line: number;
    }
  | { kind: 'already' }
  | { kind: 'noMatch' }
  | { kind: 'ambiguous'; count: number; lines: number[] }
  | { kind: 'nothing' };

function occurrences(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) found.push(at);
  return found;
}

/** The new text with the line ends of what it replaces, then those of the line it stands on, then the file's. */
function dress(lfText: string, replaced: string, context: Eol): string {
  const ends = splitLines(replaced).eols.filter((eol) => eol !== '');
  let k = 0;
  return lfText.replaceAll('\n', () => {
    const eol = ends[Math.min(k, ends.length - 1)] ?? context;
    k += 1;
    return eol;
  });
}

/** The end of the line that offset `at` stands on; the file's usual one for a last line without. */
function eolAt(text: string, at: number): Eol {
  const end = text.indexOf('\n', at);
  if (end < 0) return dominantEol(text);
  return text[end - 1] === '\r' ? '\r\n' : '\n';
}

function replaceAt(text: string, oldLf: string, newLf: string, places: readonly number[]): string {
  const crs = crOffsets(text);
  let out = '';
  let from = 0;
  for (const place of places) {
    const start = fromLfOffset(crs, place);
    const end = fromLfOffset(crs, place + oldLf.length);
    out += text.slice(from, start) + dress(newLf, text.slice(start, end), eolAt(text, start));
    from = end;
  }
  return out + text.slice(from);
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length;

/** The lines (from 1) of ascending offsets, counted once going forward. */
function linesOf(text: string, offsets: readonly number[]): number[] {
  let line = 1;
  let from = 0;
  return offsets.map((offset) => {
    for (let at = text.indexOf('\n', from); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
      line += 1;
      from = at + 1;
    }
    return line;
  });
}

/**
 * Applies `old → next` to `theirs`. Without a match it looks whether the edit is already there: applied to `base` (what the
 * run last knew) and merged with `theirs` it adds nothing.
 */
export function applyEdit(theirs: string, base: string | undefined, old: string, next: string, all: boolean): Edit {
  const lf = toLf(theirs);
  // A stray CR before a line end is text of its own.
  const oldLf = lf.includes(old) ? old : toLf(old);
  const newLf = toLf(next);
  if (oldLf === newLf) return { kind: 'nothing' };
  // Nothing stands everywhere, and half a letter would be torn out of a whole one. A call that waits has not been checked yet.
  if (oldLf === '' || !oldLf.isWellFormed()) return { kind: 'noMatch' };
  // First of all, as the new text may hold the old one: made again it would stand there twice.
  if (isThere(lf, base, oldLf, newLf, all)) return { kind: 'already' };
  const places = occurrences(lf, oldLf);
  if (places.length > 1 && !all) {
    return { kind: 'ambiguous', count: places.length, lines: linesOf(lf, places.slice(0, 5)) };
  }
  const first = places[0];
  if (first !== undefined) {
    return {
      kind: 'edited',
      text: replaceAt(theirs, oldLf, newLf, places),
      count: places.length,
      at: linesOf(lf, places),
      line: lineOf(lf, first),
    };
  }
  return { kind: 'noMatch' };
}

/** Made of the base and merged with what is there now, the edit adds nothing. */
function isThere(lf: string, base: string | undefined, oldLf: string, newLf: string, all: boolean): boolean {
  const baseLf = base === undefined ? lf : toLf(base);
  if (baseLf === lf) return false;
  const inBase = occurrences(baseLf, oldLf);
  if (inBase.length === 0 || (inBase.length > 1 && !all)) return false;
  // The new text stands where the old one stood, and the old one nowhere else.
  if (newLf.includes(oldLf) && !baseLf.includes(newLf) && lf.includes(newLf)) {
    if (!lf.replaceAll(newLf, '\0').includes(oldLf)) return true;
  }
  const merged = merge3(baseLf, replaceAt(baseLf, oldLf, newLf, inBase), lf);
  return merged.clean && merged.text === lf;
}

/** The lines around the place where `old` was expected, numbered, for a model that missed. */
export function around(theirs: string, base: string | undefined, old: string, radius = 6, maxChars = 3000): string {
  const lines = splitLines(theirs).lines;
  const wanted = toLf(old)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    // Enough to know the place by; a whole file that matches nowhere must not be held against every line of another.
    .slice(0, 20);
  const trimmed = lines.map((line) => line.trim());
  let best = 0;
  let score = -1;
  lines.forEach((_, i) => {
    const hits = wanted.filter((line, k) => trimmed[i + k] === line).length;
    if (hits > score) {
      score = hits;
      best = i;
    }
  });
  if (score <= 0 && base !== undefined) {
    const at = toLf(base).indexOf(toLf(old));
    if (at >= 0) best = Math.min(lineOf(toLf(base), at) - 1, Math.max(0, lines.length - 1));
  }
  const from = Math.max(0, best - radius);
  const to = Math.min(lines.length, best + wanted.length + radius);
  const shown = lines
    .slice(from, to)
    .map((line, k) => `${from + k + 1}: ${line}`)
    .join('\n');
  return shown.length > maxChars ? `${shown.slice(0, maxChars)}…` : shown;
}
