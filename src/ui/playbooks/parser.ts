/** What the UI needs of the models bundle; it is loaded when first asked for. */
import { PLAYBOOK_NAME } from '../../vscode/ids';

/** Lines and columns from 1; the end is exclusive. */
export interface PlaybookProblem {
  message: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

export type ParsedPlaybook = { playbook: { goal: string } } | { problems: PlaybookProblem[] };

export type PlaybookFormat = 'json' | 'yaml';

export interface PlaybookParser {
  parse(source: string, format: PlaybookFormat): ParsedPlaybook;
}

/** undefined: not a playbook by its name. */
export const formatOf = (path: string): PlaybookFormat | undefined =>
  !PLAYBOOK_NAME.test(path) ? undefined : path.toLowerCase().endsWith('.json') ? 'json' : 'yaml';

/** Problems on lines about which nobody else complains already. Lines from 1. */
export const onlyOurs = (problems: readonly PlaybookProblem[], taken: readonly number[]): PlaybookProblem[] =>
  problems.filter((problem) => !taken.includes(problem.line));
