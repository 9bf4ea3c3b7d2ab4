/** Steering notes: Steer, Steer Now, changing a queued one, and taking it back. */
import type { SteerResult } from '../api';
import type { Refusal } from '../errors';
import { NOT_STORED, refuse } from '../refusals';
import type { RunRegistry } from '../registry';
import type { RunEvent } from '../run/events';
import { offerGuards } from '../run/offers';
import { isFinal } from '../run/state';

export async function steer(
  runs: RunRegistry,
  note: { runId?: string; text: string; now?: boolean },
): Promise<SteerResult | Refusal> {
  const run = await runs.target(note);
  if ('refused' in run) return run;
  if (typeof note?.text !== 'string' || note.text.trim() === '')
    return refuse('badArgument', 'A steering note needs a text.');
  const folded = await run.offer({ type: 'noteAdded', text: note.text, now: note.now ?? false });
  // Its own, whatever else was noted meanwhile: the one that came with this very fold.
  const added = folded?.after.notes[folded.before.notes.length];
  if (!added) return refuse('storage', 'The note could not be stored. Your text was not taken.');
  const offers = isFinal(run.state.status) ? [] : offerGuards(note.text);
  return { noteId: added.id, state: added.state, ...(offers.length > 0 ? { offers } : {}) };
}

type Named = { runId?: string; noteId: string };

export async function withdrawNote(runs: RunRegistry, target: Named): Promise<SteerResult | Refusal> {
  return change(runs, target, ({ noteId }) => ({ type: 'noteWithdrawn', noteId }));
}

/** A note that was delivered meanwhile stays as it was: the answer says its state. */
export async function editNote(
  runs: RunRegistry,
  note: { runId?: string; noteId: string; text: string },
): Promise<SteerResult | Refusal> {
  const text: unknown = note?.text;
  if (typeof text !== 'string' || text.trim() === '')
    return refuse('badArgument', 'A note needs a text; to take it back, withdraw it.');
  return change(runs, note, ({ noteId }) => ({ type: 'noteEdited', noteId, text }));
}

async function change(
  runs: RunRegistry,
  target: Named,
  event: (target: Named) => RunEvent,
): Promise<SteerResult | Refusal> {
  if (typeof (target as Partial<Named> | undefined)?.noteId !== 'string')
    return refuse('badArgument', 'That needs the id of a note.');
  const run = await runs.target(target);
  if ('refused' in run) return run;
  if (!(await run.offer(event(target)))) return refuse('storage', NOT_STORED);
  const note = run.state.notes.find((n) => n.id === target.noteId);
  if (!note) return refuse('badArgument', 'There is no such note.');
  return { noteId: note.id, state: note.state };
}
