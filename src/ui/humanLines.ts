/** A quiet mark in the gutter and the overview ruler beside the human's lines, in files the run knows. */
import {
  OverviewRulerLane,
  Range,
  ThemeColor,
  Uri,
  window,
  workspace,
  type TextEditor,
  type TextEditorDecorationType,
} from 'vscode';
import type { LineRange } from '../core/lineRanges';
import { Disposable } from '../vscode/disposable';
import { SCHEMES } from '../vscode/ids';
import { pathOf } from '../vscode/roots';
import { marksHumanLines } from '../vscode/settings';
import type { Ui } from './context';
import { blobUri } from './documents/blobs';

/** Typing is followed when it pauses, and a write of the agent when its record is there. */
const QUIET_MS = 300;

export class HumanLineMarks extends Disposable {
  private type: TextEditorDecorationType | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ui: Ui) {
    super();
    const begin = (): void => {
      // without a run no line is anybody's
      if (this.type === undefined && ui.watch.state !== undefined) this.begin();
      if (this.type !== undefined) this.soon();
    };
    this._register(ui.watch.onDidChange(begin));
    this._register({ dispose: () => clearTimeout(this.timer) });
    begin();
  }

  private begin(): void {
    this.type = this._register(
      window.createTextEditorDecorationType({
        gutterIconPath: Uri.joinPath(this.ui.extensionUri, 'media', 'human-line.svg'),
        gutterIconSize: 'contain',
        overviewRulerColor: new ThemeColor('charts.purple'),
        overviewRulerLane: OverviewRulerLane.Left,
      }),
    );
    const soon = (): void => this.soon();
    this._register(window.onDidChangeVisibleTextEditors(soon));
    this._register(workspace.onDidChangeTextDocument(soon));
    this._register(workspace.onDidChangeConfiguration(soon));
  }

  private soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), QUIET_MS);
  }

  private async refresh(): Promise<void> {
    const { type } = this;
    if (type === undefined) return;
    for (const editor of window.visibleTextEditors) {
      const { version } = editor.document;
      const ranges = await this.rangesOf(editor).catch(() => []);
      if (this.isDisposed || editor.document.version !== version) return;
      editor.setDecorations(
        type,
        ranges.map(({ from, to }) => editor.document.validateRange(new Range(from - 1, 0, to - 1, 0))),
      );
    }
  }

  private rangesOf({ document }: TextEditor): Promise<readonly LineRange[]> {
    const { uri } = document;
    if (!marksHumanLines()) return Promise.resolve([]);
    if (uri.scheme === SCHEMES.blob) return Promise.resolve(this.askedAbout(uri));
    const path = uri.scheme === 'file' ? pathOf(uri) : undefined;
    if (path === undefined) return Promise.resolve([]);
    return this.ui.core.humanLines({ path, text: document.getText() });
  }

  /** In the diff of a proposal, on the side that is there now: those it would take. */
  private askedAbout(uri: Uri): readonly LineRange[] {
    const asked = this.ui.watch.state?.decisions.find(
      (d) =>
        d.state === 'pending' &&
        d.humanLines &&
        typeof d.change?.before === 'string' &&
        blobUri(d.path ?? '', d.change.before).toString() === uri.toString(),
    );
    return asked?.humanLines ?? [];
  }
}
