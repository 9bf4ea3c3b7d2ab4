/** How results are told: one line a scenario, reasons below it, and a closing line. */
import type { Result } from './player';

export type Told = Result | { id: string; title: string; skipped: string };

export function tell(told: Told, write: (line: string) => void): void {
  if ('skipped' in told) return write(`skip  ${told.id}  ${told.title}  (${told.skipped})`);
  const failed = told.failures.length > 0;
  write(`${failed ? 'FAIL' : 'ok  '}  ${told.id}  ${told.title}  ${told.ms} ms`);
  for (const failure of told.failures) write(indent(failure, '- '));
  for (const note of told.notes) if (failed) write(indent(note, 'note: '));
}

const indent = (text: string, mark: string): string => `        ${mark}${text.replaceAll('\n', '\n          ')}`;

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export function count(all: readonly Told[]): Counts {
  const skipped = all.filter((t) => 'skipped' in t).length;
  const failed = all.filter((t) => !('skipped' in t) && t.failures.length > 0).length;
  return { passed: all.length - skipped - failed, failed, skipped };
}

export const closingLine = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
