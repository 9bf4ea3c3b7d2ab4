/** Rows of the section Steering: notes and guards, each with its fate. Pure. */
import { type Guard, guardWords } from '../../core/run/guards';
import type { Note, RunState } from '../../core/run/state';
import { ITEMS } from '../../vscode/ids';
import { noteWaits } from '../render/noteWaits';
import { capital, GUARD, NOTE, oneLine } from '../render/words';
import type { TreeNode } from './node';

const NOTE_ICON: Readonly<Record<Note['state'], string>> = {
  queued: 'clock',
  delivered: 'check',
  undelivered: 'warning',
  withdrawn: 'circle-slash',
};

function noteRow(note: Note, { fixed, waits }: { fixed: boolean; waits: string }): TreeNode {
  // A playbook reads none: it stays with the run, and nothing has gone wrong.
  const kept = fixed && (note.state === 'queued' || note.state === 'undelivered');
  const fate = kept
    ? 'kept'
    : note.state === 'delivered' && note.deliveredAfter !== undefined
      ? `delivered after step ${note.deliveredAfter}`
      : note.state === 'queued' && waits !== ''
        ? `${NOTE.queued}, ${waits}`
        : NOTE[note.state];
  return {
    id: note.id,
    label: oneLine(note.text),
    description: fate,
    tooltip: `${note.text}\n\n${fate}`,
    spoken: `Note, ${fate}: ${oneLine(note.text)}`,
    icon: { id: kept ? 'note' : NOTE_ICON[note.state] },
    ...(note.state === 'queued' ? { context: ITEMS.queuedNote } : {}),
    noteId: note.id,
    children: [],
  };
}

function guardRow(guard: Guard): TreeNode {
  const words = capital(guardWords(guard));
  return {
    id: guard.id,
    label: oneLine(words),
    description: GUARD[guard.state],
    tooltip: `${words}\n\nHoldfast itself enforces this, whatever the agent does: ${GUARD[guard.state]}.`,
    spoken: `Guard, ${GUARD[guard.state]}: ${oneLine(words)}`,
    icon: { id: 'shield' },
    ...(guard.state === 'active' ? { context: ITEMS.activeGuard } : {}),
    guardId: guard.id,
    children: [],
  };
}

/** What the human said with the last Hand Back is no queued note: it was given with it. */
function handedBack({ runId, report, model }: RunState): TreeNode[] {
  const note = report?.note;
  if (note === undefined || note === '') return [];
  const fate = model.fixed ? 'kept, from Hand Back' : 'delivered with Hand Back';
  return [
    {
      id: `${runId}/handBack`,
      label: oneLine(note),
      description: fate,
      tooltip: `${note}\n\n${fate}`,
      spoken: `Note, ${fate}: ${oneLine(note)}`,
      icon: { id: model.fixed ? 'note' : 'check' },
      children: [],
    },
  ];
}

/** Guards that hold come first; removed ones are history and left out. */
export const steeringRows = (s: RunState): TreeNode[] => [
  ...(s.guards ?? []).filter((guard) => guard.state !== 'removed').map(guardRow),
  ...handedBack(s),
  ...s.notes.map((note) => noteRow(note, { fixed: s.model.fixed, waits: noteWaits(s).short })),
];
