import { checkPlaybook } from './check';
import { readJson } from './readJson';
import { readYaml } from './readYaml';
import type { Flaw, Playbook, PlaybookProblem, ToolArguments } from './types';

const MAX_LENGTH = 1_000_000;
/** More than that nobody reads, and an editor shows each of them. */
const MAX_PROBLEMS = 100;

/**
 * Reads and checks a playbook file: strict JSON, or YAML 1.2. Never throws, and bounded in time whatever the source.
 * `tools`: the tools a step may call, with their arguments; names `mcp.<server>.<tool>` are let through unchecked.
 */
export function parsePlaybook(
  source: string,
  format: 'json' | 'yaml',
  tools: ToolArguments,
): { playbook: Playbook } | { problems: PlaybookProblem[] } {
  if (source.length > MAX_LENGTH) {
    return {
      problems: [
        { message: 'Make the playbook smaller: at most 1 MB is read.', line: 1, column: 1, endLine: 1, endColumn: 2 },
      ],
    };
  }
  // The editor counts no byte order mark, and JSON knows none.
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
  const flaws: Flaw[] = [];
  const { tree, flaws: malformed } = format === 'json' ? readJson(text) : readYaml(text);
  flaws.push(...malformed);
  let playbook: Playbook | undefined;
  if (tree)
    playbook = checkPlaybook(tree, tools, (place, message) =>
      flaws.push({ message, start: place.start, end: place.end }),
    );
  else if (flaws.length === 0)
    flaws.push({ message: 'The playbook is empty: add `goal` and `steps`.', start: 0, end: 1 });
  if (playbook && flaws.length === 0) return { playbook };

  const lines = lineStarts(text);
  const sorted = flaws.sort((a, b) => a.start - b.start).slice(0, MAX_PROBLEMS);
  return { problems: sorted.map((flaw) => located(flaw, lines, text.length)) };
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (const match of text.matchAll(/\r\n|\n|\r/g)) starts.push(match.index + match[0].length);
  return starts;
}

function located(flaw: Flaw, lines: readonly number[], length: number): PlaybookProblem {
  const start = position(Math.min(flaw.start, length), lines);
  const end = position(Math.max(Math.min(flaw.end, length), Math.min(flaw.start, length)), lines);
  return { message: flaw.message, line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
}

function position(offset: number, lines: readonly number[]): { line: number; column: number } {
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lines[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - lines[low]! + 1 };
}
