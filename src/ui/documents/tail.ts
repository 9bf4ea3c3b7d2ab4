/** Keeps an editor at the end of a document that grows, as long as its reader is there. */
import { Range, TextEditorRevealType, window, workspace, type TextEditor, type Uri } from 'vscode';
import { Disposable } from '../../vscode/disposable';

const atEnd = (editor: TextEditor): boolean => {
  const last = editor.visibleRanges.at(-1);
  return last === undefined || last.end.line >= editor.document.lineCount - 2;
};

const reveal = (editor: TextEditor): void => {
  const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
  editor.revealRange(new Range(end, end), TextEditorRevealType.Default);
};

export class TailFollower extends Disposable {
  private following = new Set<TextEditor>();

  constructor(scheme: string) {
    super();
    this._register(
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (document.uri.scheme !== scheme || contentChanges.length === 0) return;
        for (const editor of this.editors(document.uri)) if (this.following.has(editor)) reveal(editor);
      }),
    );
  }

  /** Remembers who reads the end now; the text that comes moves it away. */
  beforeChange(uri: Uri): void {
    const shown = this.editors(uri);
    this.following = new Set(
      [...this.following].filter((one) => window.visibleTextEditors.includes(one) && !shown.includes(one)),
    );
    for (const editor of shown) if (atEnd(editor)) this.following.add(editor);
  }

  toEnd(uri: Uri): void {
    for (const editor of this.editors(uri)) {
      this.following.add(editor);
      reveal(editor);
    }
  }

  private editors(uri: Uri): readonly TextEditor[] {
    return window.visibleTextEditors.filter((editor) => editor.document.uri.toString() === uri.toString());
  }
}
