/** The question which version of a file stays after a command went over it: its answers, and what it is about once the file moved on. Pure. */
import type { Hash, Path } from '../ports';
import type { Decision, DecisionChoice, DecisionRequest } from '../run/state';

export const MINE: DecisionChoice = { id: 'mine', label: 'Keep Mine' };
export const AGENT: DecisionChoice = { id: 'agent', label: "Take the Command's" };
export const EDIT: DecisionChoice = { id: 'edit', label: 'Edit by Hand' };

/** What stands there now neither of them made: the same answers are about other texts. */
const LATER: Readonly<Record<string, string>> = { mine: 'Put Mine Back', agent: 'Keep What Is There' };

/** What the question is bound to begins so: the command, and the file it went over. */
export const sideSubject = (stepId: string, path: Path): string => `command:${stepId}:${path}:`;

type Change = DecisionRequest['change'];

/** What the command made, whatever is there by now. */
const commandsOf = (change: Change): Hash | null | undefined =>
  change?.command === undefined ? change?.after : change.command;

export const isCommands = (change: Change, hash: Hash | null): boolean => commandsOf(change) === hash;

/** The question after an answer that could not be carried out; `now`: what it is about from here on, where that is another text. */
export function afterFailure(
  decision: Decision,
  said: string,
  now: { hash: Hash | null } | undefined,
): Partial<Decision> {
  const { change, choices, detail } = decision;
  const words = { detail: `${said}\n\n${detail.replace(`${said}\n\n`, '')}` };
  if (!now || !change) return words;
  const moved = !isCommands(change, now.hash);
  const named = [MINE, AGENT, EDIT].map((one) => ({ ...one, label: (moved && LATER[one.id]) || one.label }));
  return {
    ...words,
    change: { ...change, after: now.hash, command: commandsOf(change) ?? null },
    choices: choices.map((one) => named.find(({ id }) => id === one.id) ?? one),
  };
}
