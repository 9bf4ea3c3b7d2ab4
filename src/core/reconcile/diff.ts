/** Differences of texts, always with a bound: what takes too long is given up, never waited for. */
import { diffArrays, structuredPatch, formatPatch } from 'diff';
import { display } from './text';
import { toLf } from './lines';
import { named } from './names';

/** `timeout` in ms, `maxEditLength` in lines put in and taken out. */
export interface Bounds {
  timeout: number;
  maxEditLength: number;
}

/** Lines that are compared in a few milliseconds at worst: a busy machine must not make them a guess. */
const SMALL = 1000;

const BOUNDS: Bounds = { timeout: 800, maxEditLength: 4000 };

export interface Hunk {
  /** Range in the old lines, end exclusive. */
  from: number;
  to: number;
  lines: string[];
}

/** The changes that make `next` of `old`, in order; undefined when it would take too long. */
export function hunks(old: readonly string[], next: readonly string[], bounds = BOUNDS): Hunk[] | undefined {
  // What both begin and end with is most of a file, and is no work for the diff.
  const shorter = Math.min(old.length, next.length);
  let head = 0;
  while (head < shorter && old[head] === next[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === next[next.length - 1 - tail]) tail += 1;
  const [before, after] = [old.slice(head, old.length - tail), next.slice(head, next.length - tail)];
  if (before.length === 0 && after.length === 0) return [];
  if (before.length === 0 || after.length === 0) return [{ from: head, to: head + before.length, lines: after }];
  const small = before.length + after.length <= SMALL;
  const changes = diffArrays(before, after, { ...bounds, ...(small ? { timeout: Infinity } : {}) });
  if (!changes) return undefined;
  const result: Hunk[] = [];
  let at = head;
  let open: Hunk | undefined;
  for (const change of changes) {
    if (!change.added && !change.removed) {
      open = undefined;
      at += change.value.length;
      continue;
    }
    if (!open) {
      open = { from: at, to: at, lines: [] };
      result.push(open);
    }
    if (change.removed) {
      at += change.value.length;
      open.to = at;
    } else {
      for (const line of change.value) open.lines.push(line);
    }
  }
  return result;
}

/**
 * A unified diff of two texts (line ends made alike), at most `maxChars` long, cut at a line with a count of what was left
 * out. Empty: no difference but line ends. undefined: too different to say within the bound.
 */
export function unified(path: string, before: string, after: string, maxChars: number): string | undefined {
  const old = display(toLf(before));
  const next = display(toLf(after));
  if (old === next) return '';
  const patch = structuredPatch(named(path), named(path), old, next, undefined, undefined, { context: 2, ...BOUNDS });
  if (!patch) return undefined;
  // Only the head goes: a line of the text may look like one of it (`-- note` that was deleted is `--- note`).
  const lines = formatPatch(patch).split('\n');
  const text = lines
    .slice(lines.findIndex((line) => line.startsWith('@@')))
    .join('\n')
    .trimEnd();
  if (text.length <= maxChars) return text;
  const cut = text.lastIndexOf('\n', maxChars);
  const kept = text.slice(0, cut > 0 ? cut : maxChars);
  const left = text.slice(kept.length).split('\n').length - 1;
  return `${kept}\n… (${left} more lines of this diff)`;
}

/** Share of lines two texts have in common, 0 … 1, counted as in a bag: cheap, and enough to recognise a renamed file. */
export function likeness(a: string, b: string): number {
  const lines = (text: string): string[] =>
    toLf(text)
      .split('\n')
      .filter((line) => line.trim() !== '');
  const left = lines(a);
  const right = lines(b);
  if (left.length === 0 || right.length === 0) return a === b ? 1 : 0;
  const counts = new Map<string, number>();
  for (const line of left) counts.set(line, (counts.get(line) ?? 0) + 1);
  let common = 0;
  for (const line of right) {
    const count = counts.get(line) ?? 0;
    if (count > 0) {
      common += 1;
      counts.set(line, count - 1);
    }
  }
  return common / Math.max(left.length, right.length);
}
