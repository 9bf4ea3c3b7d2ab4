/** Figures of a bench: percentiles, one row a case, as JSON lines or as a table. */

/** What `--json` prints per case: times in ms. */
export interface Row {
  name: string;
  p50: number;
  p99: number;
  floorP50: number;
  floorP99: number;
  trials: number;
  [more: string]: string | number | boolean;
}

/** The smallest value that at least `share` (0 to 1) of the values do not exceed (nearest rank); NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100;

export function rowOf(name: string, times: readonly number[], floor: readonly number[]): Row {
  return {
    name,
    p50: rounded(percentile(times, 0.5)),
    p99: rounded(percentile(times, 0.99)),
    floorP50: rounded(percentile(floor, 0.5)),
    floorP99: rounded(percentile(floor, 0.99)),
    trials: times.length,
  };
}

/** Milliseconds that `work` takes, and what it gives. */
export async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

/** Rows with the same keys as text columns under their names, numbers to the right. */
export function table(rows: readonly Row[]): string {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [keys, ...rows.map((row) => keys.map((key) => String(row[key] ?? '')))];
  const widths = keys.map((_, i) => Math.max(...cells.map((line) => line[i]?.length ?? 0)));
  const isText = keys.map((key) => rows.every((row) => typeof row[key] !== 'number'));
  const pad = (text: string, i: number): string =>
    isText[i] === true ? text.padEnd(widths[i] ?? 0) : text.padStart(widths[i] ?? 0);
  return cells.map((line) => line.map(pad).join('  ').trimEnd()).join('\n');
}
