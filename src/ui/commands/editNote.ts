/** Edit Note: a queued note, from its row. What comes too late is offered as a note of its own. */
import type { Refusal } from '../../core/errors';
import type { SteerResult } from '../../core/api';
import { VIEWS } from '../../vscode/ids';
import { commands } from 'vscode';
import type { Ui } from '../context';
import { inform, isRefusal, showRefusal } from '../messages';
import { askNote } from './askNote';
import { fieldOf } from './target';

export async function editNote(ui: Ui, item: unknown): Promise<SteerResult | Refusal | undefined> {
  const noteId = fieldOf(item, 'noteId');
  if (noteId === undefined) return undefined;
  const runId = noteId.slice(0, noteId.lastIndexOf('/'));
  const note = ui.core.get(runId)?.notes.find((one) => one.id === noteId);
  const given = fieldOf(item, 'text');
  if (given !== undefined) return ui.core.editNote({ runId, noteId, text: given });
  if (note?.state !== 'queued') return void inform('The note is not queued any more: it cannot be changed.');
  // A box of one line would lose the others.
  if (note.text.includes('\n')) {
    await commands.executeCommand(`${VIEWS.steer}.focus`);
    return void inform('That note has several lines: press Edit beside it in the Steer view.');
  }
  const prompt = 'The note keeps its place in the queue.';
  const written = await askNote({ title: 'Edit Note', prompt, nowButton: false, mayBeEmpty: false, value: note.text });
  if (!written) return undefined;
  const { text } = written;
  const result = await ui.core.editNote({ runId, noteId, text });
  if (isRefusal(result)) showRefusal(result);
  else if (result.state !== 'queued')
    void inform('The note was delivered before your change.', {
      title: 'Send as a New Note',
      run: () => ui.core.steer({ runId, text }),
    });
  return result;
}
