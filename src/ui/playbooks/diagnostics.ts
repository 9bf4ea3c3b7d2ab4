/** Problems of open playbook files, as the models bundle finds them. */
import { Diagnostic, DiagnosticSeverity, languages, Range, workspace, type TextDocument } from 'vscode';
import { Disposable } from '../../vscode/disposable';
import type { Ui } from '../context';
import { formatOf, type PlaybookProblem } from './parser';

const WAIT_MS = 300;

export const rangeOf = (p: PlaybookProblem): Range =>
  new Range(p.line - 1, p.column - 1, p.endLine - 1, p.endColumn - 1);

export class PlaybookDiagnostics extends Disposable {
  private readonly shown = this._register(languages.createDiagnosticCollection('holdfast'));
  private readonly timers = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(private readonly ui: Ui) {
    super();
    this._register(workspace.onDidOpenTextDocument((document) => this.check(document)));
    this._register(workspace.onDidCloseTextDocument(({ uri }) => this.shown.delete(uri)));
    this._register(workspace.onDidChangeTextDocument(({ document }) => this.later(document)));
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
    const format = document.uri.scheme === 'file' ? formatOf(document.uri.path) : undefined;
    if (!format) return;
    const parsed = this.ui.playbooks.parse(document.getText(), format);
    const problems = 'problems' in parsed ? parsed.problems : [];
    this.shown.set(
      document.uri,
      problems.map((problem) => {
        const found = new Diagnostic(rangeOf(problem), problem.message, DiagnosticSeverity.Error);
        found.source = 'Holdfast';
        return found;
      }),
    );
  }
}
