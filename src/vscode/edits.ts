/** Text arithmetic for buffers; offsets count UTF-16 units, as VS Code does. Pure. */

export interface LeastEdit {
  start: number;
  end: number;
  text: string;
}

const isLow = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
};

/**
 * The least replacement that makes `from` into `to`: what both begin and end with stays. It never cuts a surrogate pair
 * or a CR LF in two. undefined: they are equal.
 */
export function leastEdit(from: string, to: string): LeastEdit | undefined {
  if (from === to) return undefined;
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && from.charCodeAt(head) === to.charCodeAt(head)) head += 1;
  while (head > 0 && (isLow(from, head) || isLow(to, head) || from[head - 1] === '\r')) head -= 1;
  let tail = 0;
  while (tail < shorter - head && from.charCodeAt(from.length - 1 - tail) === to.charCodeAt(to.length - 1 - tail))
    tail += 1;
  const splits = (): boolean => {
    const at = from.length - tail;
    const also = to.length - tail;
    return (
      isLow(from, at) || isLow(to, also) || (from[at] === '\n' && (from[at - 1] === '\r' || to[also - 1] === '\r'))
    );
  };
  while (tail > 0 && splits()) tail -= 1;
  return { start: head, end: from.length - tail, text: to.slice(head, to.length - tail) };
}

/** The text with all of the edits, whose offsets are those of `text`; of several at one place in their order. undefined: they overlap. */
export function withEdits(text: string, edits: readonly LeastEdit[]): string | undefined {
  const inOrder = edits
    .map((edit, n) => ({ edit, n }))
    .sort((a, b) => a.edit.start - b.edit.start || a.edit.end - b.edit.end || a.n - b.n);
  let made = '';
  let at = 0;
  for (const { edit } of inOrder) {
    if (edit.start < at || edit.end < edit.start) return undefined;
    made += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return made + text.slice(at);
}

/** All line ends in one form, a byte order mark left out: the text as a buffer holds it. */
export function asBuffer(text: string, eol: '\n' | '\r\n'): string {
  const plain = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  return eol === '\n' ? plain : plain.replaceAll('\n', '\r\n');
}
