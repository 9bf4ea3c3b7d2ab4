/** The question about a workspace that changed while a command stood frozen. Pure. */
import type { Effect } from './events';
import type { RunState } from './state';
import { pendingDecisions, setDecision } from './update';

export const UNDER_FROZEN = 'The workspace changed under a frozen command';
export const END_COMMAND = { id: 'end', label: 'End the Command' };

/** The command is over, by whatever hand: what is asked stays, in words for that, and there is nothing left to end. */
export function frozenIsOver(s: RunState): Effect[] {
  s.frozen = null;
  for (const { id, kind, title, choices } of pendingDecisions(s)) {
    if (kind !== 'worldChanged') continue;
    setDecision(s, id, {
      ...(title === UNDER_FROZEN ? { title: 'The workspace changed under a command that is over now' } : {}),
      choices: choices.filter((choice) => choice.id !== END_COMMAND.id),
    });
  }
  return [];
}
