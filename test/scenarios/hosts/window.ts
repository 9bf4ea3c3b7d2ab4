/** What the launcher of a VS Code window and the tests inside it agree on. */
import type { Result } from '../player';

/** Names of environment variables: a JSON file with the plan, and the file that results are appended to. */
export const PLAN = 'SCENARIO_PLAN';
export const RESULTS = 'SCENARIO_RESULTS';

export interface WindowPlan {
  /** Files of the scenarios, in order. */
  files: string[];
  /** Holds the workspace and what `../outside/x` means. */
  root: string;
  /** Sub-folders opened as roots; absent: the workspace itself, or nothing at all. */
  folders?: string[];
  userDataDir: string;
}

/** One line of the results; `started` tells which one a crash belongs to. */
export type WindowLine = { started: string } | { file: string; result: Result };

/** Id of the extension under test. */
export const EXTENSION = 'holdfast.holdfast';
