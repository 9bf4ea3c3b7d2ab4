/** What a human does in editors, through the editors of a real VS Code. */
import fs from 'node:fs';
import {
  commands,
  EndOfLine,
  Position,
  Range,
  type TextDocument,
  type TextEditor,
  Uri,
  window,
  workspace,
} from 'vscode';
import type { Human } from '../types';
import type { Place } from '../workspace';

const SETTLE_MS = 3000;

export function openDocument(file: string): TextDocument | undefined {
  return workspace.textDocuments.find((doc) => doc.uri.scheme === 'file' && doc.uri.fsPath === file && !doc.isClosed);
}

export async function showEditor(file: string): Promise<TextEditor> {
  const shown = window.visibleTextEditors.find(
    (e) => e.document.uri.fsPath === file && e.document.uri.scheme === 'file',
  );
  return shown ?? window.showTextDocument(Uri.file(file), { preview: false });
}

/** The keys of a human action that need an editor; `read` the others. */
export async function actInEditor(key: keyof Human, human: Human, place: Place): Promise<void> {
  if (key === 'open' && human.open !== undefined) {
    await window.showTextDocument(Uri.file(place.at(human.open)), { preview: false });
  } else if (key === 'save' && human.save !== undefined) {
    const editor = await showEditor(place.at(human.save));
    if (!(await editor.document.save())) throw new Error(`human.save: ${human.save} was not saved`);
  } else if (key === 'type' && human.type) {
    const { path, line, column, text } = human.type;
    const at = new Position(line - 1, column - 1);
    const editor = await showEditor(place.at(path));
    if (!editor.document.validatePosition(at).isEqual(at))
      throw new Error(`human.type: ${path} has no ${line}:${column}`);
    await edit(editor, 'human.type', (builder) => builder.insert(at, text));
  } else if (key === 'replaceText' && human.replaceText) {
    const { path, old, new: fresh } = human.replaceText;
    const editor = await showEditor(place.at(path));
    const at = editor.document.getText().indexOf(old);
    if (at < 0) throw new Error(`human.replaceText: ${path} does not hold ${JSON.stringify(old)}`);
    const range = new Range(editor.document.positionAt(at), editor.document.positionAt(at + old.length));
    await edit(editor, 'human.replaceText', (builder) => builder.replace(range, fresh));
  } else if (key === 'setEol' && human.setEol) {
    const { path, eol } = human.setEol;
    const editor = await showEditor(place.at(path));
    await edit(editor, 'human.setEol', (builder) => builder.setEndOfLine(eol === 'lf' ? EndOfLine.LF : EndOfLine.CRLF));
  } else throw new Error(`human.${key}: not an action in an editor`);
}

/** Fails where the editor refused it: it moved on in between. */
async function edit(editor: TextEditor, what: string, make: Parameters<TextEditor['edit']>[0]): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt++) if (await editor.edit(make)) return;
  throw new Error(`${what}: the editor refused the edit`);
}

/** Reverts what is unsaved and closes all editors. */
export async function closeEditors(): Promise<void> {
  for (const doc of workspace.textDocuments) {
    if (!doc.isDirty) continue;
    await window.showTextDocument(doc, { preview: false });
    await commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  }
  await commands.executeCommand('workbench.action.closeAllEditors');
  const dirty = workspace.textDocuments.filter((doc) => doc.isDirty);
  if (dirty.length > 0) throw new Error(`still unsaved: ${dirty.map((doc) => doc.uri.fsPath).join(', ')}`);
}

/** Documents outlive their editors for a while: waits until none shows the text of a former scenario. */
export async function documentsShowDisk(below: string): Promise<void> {
  const end = Date.now() + SETTLE_MS;
  for (;;) {
    const stale = workspace.textDocuments.filter((doc) => doc.uri.fsPath.startsWith(below) && !showsDisk(doc));
    if (stale.length === 0) return;
    if (Date.now() > end)
      throw new Error(`documents of a former scenario: ${stale.map((d) => d.uri.fsPath).join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function showsDisk(doc: TextDocument): boolean {
  if (doc.uri.scheme !== 'file' || doc.isClosed) return true;
  let bytes: Buffer;
  try {
    bytes = fs.readFileSync(doc.uri.fsPath);
  } catch {
    return true; // gone: whoever opens that path anew gets an error, not the old text
  }
  const plain = (text: string): string => text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  return plain(doc.getText()) === plain(bytes.toString('utf8'));
}
