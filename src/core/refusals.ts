/** What a command answers that does not apply, in words. */
import type { Refusal } from './errors';
import type { DecisionState, RunState } from './run/state';

export const refuse = (code: Refusal['code'], message: string): Refusal => ({ refused: true, code, message });

export const FINAL_WORDS: Partial<Record<RunState['status'], string>> = {
  completed: 'The run had already completed; nothing was changed. Start a new run to go on.',
  failed: 'The run had already failed; nothing was changed. Start a new run to go on.',
  aborted: 'The run was aborted and cannot go on. Start a new run.',
};

/** Why a question takes no answer any more, and what becomes of what it asked. */
export const SETTLED: Readonly<Record<Exclude<DecisionState, 'pending'>, string>> = {
  granted: 'You have allowed that already; nothing more was done.',
  rejected: 'You have rejected that already; nothing more was done.',
  answered: 'That question was answered already; nothing more was done.',
  expired: 'That question has expired; nothing was done. Resume asks it anew.',
  withdrawn:
    'That question was taken back when the run stopped; nothing was done. If it is still open, resume asks it anew.',
  stale: 'What that question was about has changed since; nothing was done. It is asked anew, about what is there now.',
};

export const isTextOrNone = (value: unknown): boolean => value === undefined || typeof value === 'string';
export const isObjectOrNone = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null);

export const NO_RUN = 'There is no run. Start one with "Holdfast: Start Run".';
export const NOT_STORED = "The run's state cannot be written: nothing was taken. Make room, then try again.";
export const UNDOING = 'A step of the run is being undone. Wait for its receipt, or answer what it asks.';
export const undoingIn = (goal: string): string =>
  `A step of another run ("${goal}") is being undone. Wait for its receipt, or answer what it asks.`;
export const NO_FOLDER = 'Holdfast works in a folder: open one, then start the run.';
