/** The answer `edit`: the human writes the text in an unsaved document beside what was proposed. */
import {
  commands,
  Position,
  Range,
  TabInputTextDiff,
  window,
  workspace,
  WorkspaceEdit,
  type TextDocument,
} from 'vscode';
import type { Decision } from '../../core/run/state';
import { Disposable } from '../../vscode/disposable';
import { blobUri } from '../documents/blobs';
import { inMessage } from '../render/words';

export class Drafts extends Disposable {
  private readonly open = new Map<string, TextDocument>();

  constructor() {
    super();
    this._register(
      workspace.onDidCloseTextDocument((closed) => {
        for (const [id, document] of this.open) if (document === closed) this.open.delete(id);
      }),
    );
  }

  /** What the human has written so far; undefined: nothing was begun. */
  text(decisionId: string): string | undefined {
    const document = this.open.get(decisionId);
    return document && !document.isClosed ? document.getText() : undefined;
  }

  /** `start`: what the document begins with. Left stands what is there now, right what will be written. */
  async begin(decision: Decision, start: string): Promise<void> {
    const path = decision.path ?? 'text';
    const name = path.slice(path.lastIndexOf('/') + 1);
    const left = blobUri(
      path,
      decision.kind === 'conflict' ? (decision.change?.after ?? null) : (decision.change?.before ?? null),
    );
    const language = (await workspace.openTextDocument(left)).languageId;
    const document = await workspace.openTextDocument({ content: '', language });
    const fill = new WorkspaceEdit();
    fill.insert(document.uri, new Position(0, 0), start);
    await workspace.applyEdit(fill);
    this.open.set(decision.id, document);
    await commands.executeCommand('vscode.diff', left, document.uri, `${name}: what will be written (right side)`, {
      preview: false,
    });
  }

  /** Empties and closes the document of a settled decision: its text is with the core now. */
  async end(decisionId: string): Promise<void> {
    const document = this.open.get(decisionId);
    this.open.delete(decisionId);
    if (!document || document.isClosed) return;
    const clear = new WorkspaceEdit();
    clear.delete(document.uri, new Range(new Position(0, 0), document.positionAt(document.getText().length)));
    await workspace.applyEdit(clear);
    const tabs = window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(
        (tab) => tab.input instanceof TabInputTextDiff && tab.input.modified.toString() === document.uri.toString(),
      );
    await window.tabGroups.close(tabs, true);
  }
}

export const draftMessage = (decision: Decision): string =>
  `Edit the right side, then press Write My Version: ${inMessage(decision.path ?? decision.title)}.`;
