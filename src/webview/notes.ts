/** Queued notes: read, changed in place, or taken back, until the agent has them. */
import type { SteerNote } from '../protocol/steer';
import { confirmLoss, quoted } from './confirm';
import { button, el } from './dom';

export interface NoteActs {
  withdraw(noteId: string): void;
  edit(noteId: string, text: string): void;
  /** What a note is being changed to; undefined: it is not. Kept over redraws and reloads. */
  draft(noteId: string): string | undefined;
  setDraft(noteId: string, text: string | undefined): void;
  redraw(): void;
}

/** `kept`: of a playbook, which reads none. `waits`: why the agent has not got them yet. */
export function noteList(
  notes: readonly SteerNote[],
  { kept, waits }: { kept: boolean; waits: string },
  acts: NoteActs,
): Node[] {
  if (notes.length === 0) return [];
  const items = notes.map((note) =>
    el('li', {}, ...(acts.draft(note.id) === undefined ? row(note, acts) : field(note, acts))),
  );
  const heading = `${kept ? 'Kept' : 'Queued'} ${notes.length === 1 ? 'note' : 'notes'}`;
  const why = waits === '' ? [] : [el('p', { class: 'hint' }, waits)];
  return [el('h3', {}, heading), ...why, el('ul', {}, ...items)];
}

function row({ id, text }: SteerNote, acts: NoteActs): Node[] {
  const begin = (): void => {
    acts.setDraft(id, text);
    acts.redraw();
    document.querySelector<HTMLElement>(`[data-name="${CSS.escape(`${id}/field`)}"]`)?.focus();
  };
  return [
    el('span', {}, text),
    button('Edit', begin, { title: 'Change this note before the agent reads it', name: `${id}/edit` }),
    button('Withdraw', () => acts.withdraw(id), { title: 'Take this note back before the agent reads it', name: id }),
  ];
}

function field({ id }: SteerNote, acts: NoteActs): Node[] {
  const input = el('textarea', { rows: '2', 'aria-label': 'Queued note', 'data-name': `${id}/field` });
  input.value = acts.draft(id) ?? '';
  const store = (): void => {
    if (input.value.trim() !== '') acts.edit(id, input.value);
  };
  const leave = (): void => {
    acts.setDraft(id, undefined);
    acts.redraw();
  };
  input.addEventListener('input', () => acts.setDraft(id, input.value));
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') leave();
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.defaultPrevented) return;
    event.preventDefault();
    store();
  });
  return [
    input,
    button('Save', store, { primary: true, title: 'Put this in the place of the note (Enter)', name: `${id}/save` }),
    button('Cancel', leave, { title: 'Leave the note as it is (Escape)', name: `${id}/cancel` }),
  ];
}

/** Texts that were written and not sent, for something that is not in the box now. `dropping`: asked about before it goes. */
export function unsentList(
  texts: readonly (readonly [key: string, text: string])[],
  acts: { use(key: string): void; askDiscard(key: string, ask: boolean): void; discard(key: string): void },
  dropping: string | undefined,
): Node[] {
  if (texts.length === 0) return [];
  const buttons = (key: string): Node[] => [
    button('Put in the Box', () => acts.use(key), { title: 'Nothing is sent by that', name: `${key}/use` }),
    button('Discard…', () => acts.askDiscard(key, true), {
      title: 'It was not sent, and goes; you are asked first',
      name: `${key}/discard`,
    }),
  ];
  const asking = (key: string, words: string): Node[] =>
    confirmLoss(
      {
        question: `Discard ${quoted(words)}? It was not sent and is kept nowhere else.`,
        ...{ yes: 'Discard It', title: 'The text goes for good', name: `${key}/discard` },
      },
      () => acts.discard(key),
      () => acts.askDiscard(key, false),
    );
  const items = texts.map(([key, words]) =>
    el('li', {}, el('span', {}, words), ...(key === dropping ? asking(key, words) : buttons(key))),
  );
  return [el('h3', {}, 'Written before and not sent'), el('ul', {}, ...items)];
}
