/** The answer `edit`: the human writes the text in an unsaved document beside what was proposed. */
import { commands, Position, Range, workspace, WorkspaceEdit, type TextDocument } from 'vscode';
import type { Decision } from '../../core/run/state';
import { Disposable } from '../../vscode/disposable';
import { closeDiffsOf } from '../../vscode/tabs';
import { blobUri } from '../documents/blobs';
import { inform } from '../messages';
import { inMessage } from '../render/words';
import { WRITE_MINE } from './choices';

interface Draft {
  document: TextDocument;
  /** What it began with. */
  start: string;
}

export class Drafts extends Disposable {
  private readonly open = new Map<string, Draft>();

  /** `changed`: what is begun is another set now. */
  constructor(private readonly changed: () => void) {
    super();
    this._register(
      workspace.onDidCloseTextDocument((closed) => {
        for (const [id, { document }] of this.open) if (document === closed) this.forget(id);
      }),
    );
  }

  /** The decisions for which a text was begun. */
  get begun(): ReadonlySet<string> {
    return new Set(this.open.keys());
  }

  /** What the human has written so far; undefined: nothing was begun. */
  text(decisionId: string): string | undefined {
    const document = this.open.get(decisionId)?.document;
    return document && !document.isClosed ? document.getText() : undefined;
  }

  private forget(decisionId: string): void {
    if (this.open.delete(decisionId)) this.changed();
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
    this.open.set(decision.id, { document, start: document.getText() });
    this.changed();
    await commands.executeCommand('vscode.diff', left, document.uri, `${name}: what will be written (right side)`, {
      preview: false,
    });
  }

  /**
   * Empties and closes the document of a settled decision. Not where the human has written in it and the answer is another
   * one (`sent` false): their words are nowhere else, so it stays open as theirs.
   */
  async end(decision: Decision, sent: boolean): Promise<void> {
    const draft = this.open.get(decision.id);
    if (!draft) return;
    this.forget(decision.id);
    const { document, start } = draft;
    if (document.isClosed) return;
    if (!sent && document.getText() !== start) return void inform(keptMessage(decision));
    const clear = new WorkspaceEdit();
    clear.delete(document.uri, new Range(new Position(0, 0), document.positionAt(document.getText().length)));
    await workspace.applyEdit(clear);
    await closeDiffsOf(document.uri);
  }
}

const about = (decision: Decision): string => inMessage(decision.path ?? decision.title);

export const draftMessage = (decision: Decision): string =>
  `Edit the right side, then press ${WRITE_MINE}: ${about(decision)}.`;

const keptMessage = (decision: Decision): string =>
  `Your own version of ${about(decision)} was not used: the question was settled without it. Its text is still open.`;
