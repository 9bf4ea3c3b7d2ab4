/** What an approval says of a text that is shown nowhere because its file looks secret: how much there is, and how much changes. Pure. */
import { hunks } from '../reconcile/diff';
import { countLines, linesOf } from '../reconcile/lines';

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

interface Side {
  /** undefined: it is no text. */
  text: string | undefined;
  /** In bytes. */
  size: number;
}

const sizeOf = ({ text, size }: Side): string =>
  [...(text === undefined ? [] : [plural(countLines(text), 'line')]), plural(size, 'byte')].join(', ');

function changed(before: string, after: string): string {
  const found = hunks(linesOf(before), linesOf(after));
  if (!found) return '';
  const added = found.reduce((n, { lines }) => n + lines.length, 0);
  const removed = found.reduce((n, { from, to }) => n + to - from, 0);
  return ` (${plural(added, 'line')} added, ${removed} removed)`;
}

/** `before` null: the file is made. Sizes and counts say nothing of what stands there. */
export function unshownWords(before: Side | null, after: Side): string {
  const much =
    before === null
      ? `New: ${sizeOf(after)}`
      : `Now ${sizeOf(before)}; then ${sizeOf(after)}${before.text === undefined || after.text === undefined ? '' : changed(before.text, after.text)}`;
  return `${much}. The text is not shown, because the name looks secret.`;
}
