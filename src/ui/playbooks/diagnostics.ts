/** Problems of open playbook files, as the models bundle finds them. */
import { Diagnostic, DiagnosticSeverity, languages, Range, workspace, type TextDocument, type Uri } from 'vscode';
import { Disposable } from '../../vscode/disposable';
import type { Ui } from '../context';
import { formatOf, onlyOurs, type PlaybookProblem } from './parser';

const WAIT_MS = 300;
const SOURCE = 'Holdfast';

export const rangeOf = (p: PlaybookProblem): Range =>
  new Range(p.line - 1, p.column - 1, p.endLine - 1, p.endColumn - 1);

export class PlaybookDiagnostics extends Disposable {
  private readonly shown = this._register(languages.createDiagnosticCollection('holdfast'));
  /** What we found, and what of it is said, by document. */
  private readonly found = new Map<string, readonly PlaybookProblem[]>();
  private readonly said = new Map<string, string>();
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(private readonly ui: Ui) {
    super();
    this._register(workspace.onDidOpenTextDocument((document) => this.check(document)));
    this._register(workspace.onDidCloseTextDocument(({ uri }) => this.forget(uri)));
    this._register(workspace.onDidChangeTextDocument(({ document }) => this.later(document)));
    // VS Code's own JSON checks say some of it too, later than we do: a line is not complained about twice.
    this._register(
      languages.onDidChangeDiagnostics(({ uris }) => {
        for (const uri of uris) if (this.found.has(uri.toString())) this.show(uri);
      }),
    );
    this._register({ dispose: () => this.timers.forEach((timer) => clearTimeout(timer)) });
    workspace.textDocuments.forEach((document) => this.check(document));
  }

  private later(document: TextDocument): void {
    const key = document.uri.toString();
    if (formatOf(document.uri.path) === undefined) return;
    clearTimeout(this.timers.get(key));
    const check = (): void => {
      this.timers.delete(key);
      if (!document.isClosed) this.check(document);
    };
    this.timers.set(key, setTimeout(check, WAIT_MS));
  }

  private check(document: TextDocument): void {
    const { scheme, path } = document.uri;
    const format = scheme === 'file' || scheme === 'untitled' ? formatOf(path) : undefined;
    if (!format) return;
    const parsed = this.ui.playbooks.parse(document.getText(), format);
    this.found.set(document.uri.toString(), 'problems' in parsed ? parsed.problems : []);
    this.show(document.uri);
  }

  private forget(uri: Uri): void {
    this.found.delete(uri.toString());
    this.said.delete(uri.toString());
    this.shown.delete(uri);
  }

  private show(uri: Uri): void {
    const others = languages.getDiagnostics(uri).filter((one) => one.source !== SOURCE);
    const lines = others.map(({ range }) => range.start.line + 1);
    const mine = onlyOurs(this.found.get(uri.toString()) ?? [], lines);
    const key = JSON.stringify(mine);
    if (this.said.get(uri.toString()) === key) return;
    this.said.set(uri.toString(), key);
    this.shown.set(
      uri,
      mine.map((problem) => {
        const found = new Diagnostic(rangeOf(problem), problem.message, DiagnosticSeverity.Error);
        found.source = SOURCE;
        return found;
      }),
    );
  }
}
