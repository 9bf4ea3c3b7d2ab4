/** Lines and their ends. Texts of models use LF; files keep, line by line, what they have. */

export type Eol = '\n' | '\r\n';

export const toLf = (text: string): string => (text.includes('\r') ? text.replaceAll('\r\n', '\n') : text);

export interface Lines {
  /** Without their ends. */
  lines: string[];
  /** End of each line; '' only for a last line without one. */
  eols: ('' | Eol)[];
}

/** `''` has no line; `'a'` one without end; `'a\n'` one with. */
export function splitLines(text: string): Lines {
  const lines: string[] = [];
  const eols: ('' | Eol)[] = [];
  let from = 0;
  while (from < text.length) {
    const at = text.indexOf('\n', from);
    if (at < 0) {
      lines.push(text.slice(from));
      eols.push('');
      break;
    }
    const crlf = at > from && text[at - 1] === '\r';
    lines.push(text.slice(from, crlf ? at - 1 : at));
    eols.push(crlf ? '\r\n' : '\n');
    from = at + 1;
  }
  return { lines, eols };
}

/** The lines alone: a third of the work of `splitLines`, which counts in long files. */
export function linesOf(text: string): string[] {
  const lines = toLf(text).split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

export const joinLines = ({ lines, eols }: Lines): string => lines.map((line, i) => line + (eols[i] ?? '')).join('');

export const countLines = (text: string): number => splitLines(text).lines.length;

/** The line end most lines have; LF for a text without any. */
export function dominantEol(text: string): Eol {
  const { eols } = splitLines(text);
  const crlf = eols.filter((eol) => eol === '\r\n').length;
  return crlf * 2 > eols.filter((eol) => eol !== '').length ? '\r\n' : '\n';
}

export type EolStyle = 'LF' | 'CRLF' | 'mixed' | 'none';

export function eolStyle(text: string): EolStyle {
  const { eols } = splitLines(text);
  const lf = eols.includes('\n');
  const crlf = eols.includes('\r\n');
  return lf && crlf ? 'mixed' : lf ? 'LF' : crlf ? 'CRLF' : 'none';
}

/** Offsets in `text` of each `\r` that `toLf` takes away, to translate offsets of the LF text back. */
export function crOffsets(text: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) offsets.push(at);
  return offsets;
}

/** The offset in the text with CRs that belongs to an offset in its LF form; before the CR of a line end. */
export function fromLfOffset(crs: readonly number[], offset: number): number {
  let low = 0;
  let high = crs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    // The k-th CR stands at LF offset crs[k] - k: before it nothing is shifted by it.
    if ((crs[middle] ?? 0) - middle < offset) low = middle + 1;
    else high = middle;
  }
  return offset + low;
}
