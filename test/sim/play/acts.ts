/** What may happen in a simulated session. Numbers are taken modulo what there is to choose from. */
import type { StoreOp } from '../store';

/** One call of the agent. `a` and `b` choose lines and variants. */
export interface AgentCall {
  do: 'read' | 'edit' | 'write' | 'delete' | 'move' | 'command' | 'ask' | 'search' | 'outside' | 'remote';
  file: number;
  a: number;
  b: number;
}

export type HumanDeed =
  | 'addLine'
  | 'deleteLine'
  | 'typeLine'
  | 'typeDelete'
  | 'save'
  | 'revert'
  | 'rename'
  | 'delete'
  | 'create'
  | 'switchBranch';

export type Act =
  | { act: 'agent'; calls: AgentCall[] }
  | { act: 'human'; deed: HumanDeed; file: number; a: number }
  /** The world goes on for so many turns. */
  | { act: 'go'; turns: number }
  | { act: 'wait'; ms: number }
  /** The clock is set back: order must come from numbers. */
  | { act: 'clockBack'; ms: number }
  | { act: 'pause' | 'takeOver' | 'abort' | 'forceStop' | 'resume' | 'resumeTwice' | 'crash' | 'killCommand' }
  | { act: 'steer'; now: boolean }
  | { act: 'withdraw' }
  | { act: 'protect'; file: number }
  | { act: 'decide'; which: number; choice: number }
  /** Everything is answered and resumed until the run is over. */
  | { act: 'finish' }
  /** Files back to a checkpoint; `picks`: of what the preview offers change by change, some. */
  | { act: 'restore'; checkpoint: number; picks: boolean }
  | { act: 'undoRestore' }
  /** The run is aborted, and another one goes on from a checkpoint of it. */
  | { act: 'fork'; checkpoint: number }
  /** The last command that can be taken back is. */
  | { act: 'undoStep' }
  /** Storage is full for so many operations. */
  | { act: 'full'; op: StoreOp; times: number }
  | { act: 'space' }
  /** The system refuses the next operation on a file of the workspace. */
  | { act: 'refuse'; op: 'read' | 'write' | 'remove'; file: number };

export const FILES = ['a.txt', 'b.txt', 'c.txt'] as const;
/** Where files get by a rename or a move. */
export const PLACES = [...FILES, 'd.txt', 'e.txt'] as const;
export const LOG = 'log.txt';

export const at = <T>(from: readonly T[], n: number): T | undefined =>
  from.length === 0 ? undefined : from[n % from.length];

/** Each line of a session is unique: what is twice was written twice, what is gone was taken away. */
export const LINE = /\b(base|agent|human)-\d{4}\b/g;
export const humanLines = (text: string): string[] => text.match(/\bhuman-\d{4}\b/g) ?? [];
export const lineName = (who: 'base' | 'agent' | 'human', n: number): string => `${who}-${String(n).padStart(4, '0')}`;

/** So is each note, so that it can be found in what the model is sent. */
export const NOTE = /\bnote-\d{4}\b/g;
export const noteName = (n: number): string => `note-${String(n).padStart(4, '0')}`;

/** The word that a call leaves in the log of the commands, or on the server. */
export function wordOf({ args }: { args: unknown }): string | undefined {
  const { command, word } = (args ?? {}) as { command?: string; word?: string };
  return word ?? /echo (\S+)/.exec(command ?? '')?.[1];
}
