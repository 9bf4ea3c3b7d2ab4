/** Ranges of lines: the form in which the lines of the human are stored and told. Pure, without what compares texts. */

/** Lines `from` to `to`, counted from 1, both inclusive. */
export interface LineRange {
  from: number;
  to: number;
}

/** How many lines the ranges hold. */
export const countOwned = (ranges: readonly LineRange[]): number =>
  ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);

/** "line 4", "lines 2-3, 7": for sentences. */
export function inWords(ranges: readonly LineRange[]): string {
  const parts = ranges.slice(0, 8).map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  const rest = ranges.length > parts.length ? ' …' : '';
  return `${countOwned(ranges) === 1 ? 'line' : 'lines'} ${parts.join(', ')}${rest}`;
}
