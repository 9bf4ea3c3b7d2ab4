/** Steering notes: Steer, Steer Now, and taking one back. */
import type { SteerResult } from '../api';
import type { Refusal } from '../errors';
import { refuse } from '../refusals';
import type { RunRegistry } from '../registry';
import { offerGuard } from '../run/guards';
import { isFinal } from '../run/state';

export async function steer(
  runs: RunRegistry,
  note: { runId?: string; text: string; now?: boolean },
): Promise<SteerResult | Refusal> {
  const run = await runs.target(note);
  if ('refused' in run) return run;
  if (typeof note?.text !== 'string' || note.text.trim() === '')
    return refuse('badArgument', 'A steering note needs a text.');
  // The id is that of the fold: dispatch is a queue, so count what it will become there.
  const known = new Set(run.state.notes.map((n) => n.id));
  await run.dispatch({ type: 'noteAdded', text: note.text, now: note.now ?? false });
  const added = run.state.notes.find((n) => !known.has(n.id) && n.text === note.text);
  if (!added) return refuse('storage', 'The note could not be stored. Your text was not taken.');
  const offer = isFinal(run.state.status) ? undefined : offerGuard(note.text);
  return { noteId: added.id, state: added.state, ...(offer ? { offer } : {}) };
}

export async function withdrawNote(
  runs: RunRegistry,
  target: { runId?: string; noteId: string },
): Promise<SteerResult | Refusal> {
  if (typeof (target as Partial<typeof target> | undefined)?.noteId !== 'string')
    return refuse('badArgument', 'Withdrawing needs the id of a note.');
  const run = await runs.target(target);
  if ('refused' in run) return run;
  await run.dispatch({ type: 'noteWithdrawn', noteId: target.noteId });
  const note = run.state.notes.find((n) => n.id === target.noteId);
  if (!note) return refuse('badArgument', 'There is no such note.');
  return { noteId: note.id, state: note.state };
}
