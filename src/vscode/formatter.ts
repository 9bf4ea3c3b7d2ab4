/** `Formatter` on the formatters that extensions have registered with the editor. */
import { commands, window, workspace, type FormattingOptions, type TextDocument, type TextEdit } from 'vscode';
import type { Formatted, Formatter } from '../core/formatter';
import type { Buffers, Path } from '../core/ports';
import { asBuffer, withEdits } from './edits';
import { eolOf } from './documents';
import { uriOf } from './roots';
import { formatsOnWrite } from './settings';

const NONE: Formatted = { kind: 'none' };

/** As an editor that shows it has found them, else as the settings say for such a file. */
function optionsFor(document: TextDocument): FormattingOptions {
  const shown = window.visibleTextEditors.find((one) => one.document === document)?.options;
  const settings = workspace.getConfiguration('editor', document);
  const tabSize = shown?.tabSize ?? settings.get('tabSize');
  const insertSpaces = shown?.insertSpaces ?? settings.get('insertSpaces');
  return { tabSize: typeof tabSize === 'number' ? tabSize : 4, insertSpaces: insertSpaces !== false };
}

export class VscodeFormatter implements Formatter {
  constructor(private readonly buffers: Buffers) {}

  wanted(path: Path): boolean {
    const uri = uriOf(path);
    return uri !== undefined && formatsOnWrite(uri);
  }

  /** The formatter is given the document; its edits are put into a text, and nowhere else. */
  async format(path: Path, text: string, signal: AbortSignal): Promise<Formatted> {
    const uri = uriOf(path);
    if (!uri) return NONE;
    const document = await workspace.openTextDocument(uri);
    if (!document.isDirty) await this.buffers.settle(path, text, signal);
    const before = document.getText();
    if (signal.aborted || before !== asBuffer(text, eolOf(document))) return NONE;
    const { version } = document;
    const edits = await commands.executeCommand<TextEdit[] | undefined>(
      'vscode.executeFormatDocumentProvider',
      uri,
      optionsFor(document),
    );
    if (signal.aborted || document.version !== version || !edits || edits.length === 0) return NONE;
    const spans = edits.map(({ range, newText }) => ({
      start: document.offsetAt(range.start),
      end: document.offsetAt(range.end),
      text: newText,
    }));
    const after = withEdits(before, spans);
    if (after === undefined) return { kind: 'failed', why: 'its edits overlap' };
    return after === before ? NONE : { kind: 'text', text: after };
  }
}
