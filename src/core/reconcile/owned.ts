/**
 * Human-owned lines (rule 4 of the write guard): which lines of a file are the human's, and what a change makes of them. Lines
 * are compared without their ends, so that new line ends alone neither mark nor lose one. Pure.
 */
import type { Hash, Path } from '../ports';
import { align, spare, type Alignment } from './align';
import { linesOf } from './lines';
import { atOnce, breathing, type InParts } from './parts';
import type { LineRange } from '../lineRanges';

export { countOwned, inWords, type LineRange } from '../lineRanges';

/** The human's lines of one content. */
export interface Owned {
  /** The content the ranges count in. Where a file has moved on since, the marks are carried from here. */
  of: Hash;
  /** Ascending, with gaps between them. */
  ranges: LineRange[];
  /** All of it, lines or not: content that is binary, huge or secret-looking, and was changed by the human. */
  whole?: true;
}

/** `holdfast.humanLines`: what becomes of a proposal that would delete or alter the human's lines. */
export interface LineSettings {
  humanLines(): 'ask' | 'warn' | 'off';
}

/** What git leaves out is never marked. */
export interface IgnoreRules {
  /** Rules of `.gitignore` files and `info/exclude`; false where that cannot be told. */
  isIgnored(path: Path): Promise<boolean>;
}

const flagsOf = (ranges: readonly LineRange[], count: number): Uint8Array => {
  const flags = new Uint8Array(count);
  for (const { from, to } of ranges) flags.fill(1, from - 1, to);
  return flags;
};

function rangesOf(flags: Uint8Array): LineRange[] {
  const ranges: LineRange[] = [];
  for (let from = flags.indexOf(1); from >= 0;) {
    const end = flags.indexOf(0, from);
    const to = end < 0 ? flags.length : end;
    ranges.push({ from: from + 1, to });
    from = flags.indexOf(1, to);
  }
  return ranges;
}

/** The human made `after` of `before`: what they put in or changed is theirs, and what was stays so. */
export const markHuman = (before: string, owned: readonly LineRange[], after: string): LineRange[] =>
  atOnce(marking(before, owned, after));

/** Texts of so many characters are worth breathing for. */
const LONG = 500_000;

/** `markHuman` in parts. */
export const markHumanSlowly = async (
  before: string,
  owned: readonly LineRange[],
  after: string,
  breathe: () => Promise<void>,
): Promise<LineRange[]> =>
  before.length + after.length < LONG
    ? markHuman(before, owned, after)
    : breathing(marking(before, owned, after), breathe);

function* marking(before: string, owned: readonly LineRange[], after: string): InParts<LineRange[]> {
  const old = linesOf(before);
  yield;
  const next = linesOf(after);
  yield;
  const was = flagsOf(owned, old.length);
  const { oldOf } = yield* align(old, next);
  const flags = new Uint8Array(next.length);
  for (let j = 0; j < next.length; j += 1) {
    const i = oldOf[j] ?? -1;
    flags[j] = i < 0 ? 1 : (was[i] ?? 0);
  }
  return rangesOf(flags);
}

export interface Carried {
  /** The human's lines in the new text. */
  ranges: LineRange[];
  /** The human's lines that the change deletes or alters, counted in the old text. */
  lost: LineRange[];
}

/** The agent makes `after` of `before`: nothing becomes the human's, and what of theirs is not there any more is lost. */
export const carry = (before: string, owned: readonly LineRange[], after: string): Carried =>
  atOnce(carrying(before, owned, after));

/** `carry` in parts. */
export const carrySlowly = async (
  before: string,
  owned: readonly LineRange[],
  after: string,
  breathe: () => Promise<void>,
): Promise<Carried> =>
  before.length + after.length < LONG
    ? carry(before, owned, after)
    : breathing(carrying(before, owned, after), breathe);

export function* carrying(before: string, owned: readonly LineRange[], after: string): InParts<Carried> {
  if (owned.length === 0) return { ranges: [], lost: [] };
  const old = linesOf(before);
  yield;
  const next = linesOf(after);
  yield;
  const lost = flagsOf(owned, old.length);
  const flags = new Uint8Array(next.length);
  const found = yield* align(old, next);
  spare(found, old, lost);
  yield;
  yield* follow(found, old, next, lost);
  for (let j = 0; j < next.length; j += 1) {
    const i = found.oldOf[j] ?? -1;
    if (i < 0 || lost[i] !== 1) continue;
    flags[j] = 1;
  }
  for (let j = 0; j < next.length; j += 1) {
    const i = found.oldOf[j] ?? -1;
    if (i >= 0) lost[i] = 0;
  }
  return { ranges: rangesOf(flags), lost: rangesOf(lost) };
}

/**
 * A line of the human that stands elsewhere afterwards is neither deleted nor altered. A line is known again by being the only
 * one of its text before and after, its neighbours by standing beside it: a lone `}` or `return` elsewhere is another line.
 */
function* follow(
  { oldOf }: Alignment,
  old: readonly string[],
  next: readonly string[],
  owned: Uint8Array,
): InParts<void> {
  const kept = new Uint8Array(old.length);
  for (const i of oldOf) if (i >= 0) kept[i] = 1;
  const free = (i: number, j: number): boolean =>
    owned[i] === 1 && kept[i] === 0 && oldOf[j] === -1 && old[i] === next[j];
  const anchors = new Map<string, number>();
  for (let i = 0; i < old.length; i += 1) if (owned[i] === 1 && kept[i] === 0) anchors.set(old[i] ?? '', i);
  if (anchors.size === 0) return;
  const times = (lines: readonly string[]): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const line of lines) if (anchors.has(line)) counts.set(line, (counts.get(line) ?? 0) + 1);
    return counts;
  };
  const before = times(old);
  yield;
  const after = times(next);
  yield;
  for (let j = 0; j < next.length; j += 1) {
    const line = next[j] ?? '';
    const i = anchors.get(line);
    if (i === undefined || line.trim() === '' || before.get(line) !== 1 || after.get(line) !== 1 || !free(i, j))
      continue;
    for (const way of [1, -1]) {
      for (let k = way === 1 ? 0 : -1; free(i + k, j + k); k += way) {
        oldOf[j + k] = i + k;
        kept[i + k] = 1;
      }
    }
  }
}

/** All lines of a text. */
export function allLines(text: string): LineRange[] {
  const count = linesOf(text).length;
  return count === 0 ? [] : [{ from: 1, to: count }];
}

/** The lines of the ranges, each with its number, at most `maxChars` long; the rest is a count. */
export function numbered(text: string, ranges: readonly LineRange[], maxChars: number): string {
  const lines = linesOf(text);
  const out: string[] = [];
  let left = maxChars;
  let omitted = 0;
  for (const { from, to } of ranges) {
    for (let n = from; n <= to; n += 1) {
      const line = `${n}: ${lines[n - 1] ?? ''}`;
      left -= line.length + 1;
      if (left < 0) omitted += 1;
      else out.push(line);
    }
  }
  return [...out, ...(omitted > 0 ? [`… and ${omitted} more of your lines`] : [])].join('\n');
}
