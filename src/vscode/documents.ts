/** `Buffers` on the open documents of the workspace folders. */
import { EndOfLine, Range, workspace, WorkspaceEdit, type TextDocument } from 'vscode';
import type { Buffers, BufferSeen, BufferState, DocumentEncoding, Path } from '../core/ports';
import { onDocument } from './activeEditor';
import { asBuffer, leastEdit } from './edits';
import { pathOf, uriOf, workspaceRoots } from './roots';

const SETTLE_MS = 1000;

/** The line end of the whole document: it knows one only. */
export const eolOf = (document: TextDocument): '\n' | '\r\n' => (document.eol === EndOfLine.CRLF ? '\r\n' : '\n');

const isStill = (document: TextDocument, seen: BufferSeen | undefined): boolean =>
  seen === undefined || (document.version === seen.version && document.getText() === seen.text);

function documentAt(path: Path): TextDocument | undefined {
  const uri = uriOf(path)?.toString();
  return workspace.textDocuments.find((one) => !one.isClosed && one.uri.toString() === uri);
}

/**
 * Note for readers of `text`: VS Code makes mixed line ends uniform when it opens a document, and keeps the byte order
 * mark out of it. Only the bytes on disk tell what a clean file really holds.
 */
export class VscodeBuffers implements Buffers {
  get(path: Path): BufferState | undefined {
    const document = documentAt(path);
    return (
      document && {
        path,
        text: document.getText(),
        dirty: document.isDirty,
        version: document.version,
        eol: eolOf(document),
      }
    );
  }

  dirty(): readonly Path[] {
    const roots = workspaceRoots();
    return workspace.textDocuments
      .filter((one) => one.isDirty && !one.isClosed)
      .map((one) => pathOf(one.uri, roots))
      .filter((path) => path !== undefined);
  }

  encoding(path: Path): DocumentEncoding | undefined {
    const id = documentAt(path)?.encoding;
    if (id === undefined) return undefined;
    return {
      id,
      decode: (bytes) => workspace.decode(bytes, { encoding: id }),
      encode: (text) => workspace.encode(text, { encoding: id }),
    };
  }

  /** VS Code takes the version along with the edit and drops it when the human has typed meanwhile. */
  async edit(path: Path, seen: BufferSeen, text: string): Promise<boolean> {
    const document = documentAt(path);
    if (!document || !isStill(document, seen)) return false;
    const wanted = asBuffer(text, eolOf(document));
    const least = leastEdit(document.getText(), wanted);
    if (!least) return true;
    const change = new WorkspaceEdit();
    const range = new Range(document.positionAt(least.start), document.positionAt(least.end));
    change.replace(document.uri, range, least.text);
    return workspace.applyEdit(change);
  }

  /** As it is: `saveWithoutFormatting` skips every save participant (formatters, code actions, trimming). */
  save(path: Path, seen?: BufferSeen): Promise<boolean> {
    return this.settled(path, 'workbench.action.files.saveWithoutFormatting', seen);
  }

  discard(path: Path, seen: BufferSeen): Promise<boolean> {
    return this.settled(path, 'workbench.action.files.revert', seen);
  }

  private async settled(path: Path, command: string, seen: BufferSeen | undefined): Promise<boolean> {
    const document = documentAt(path);
    if (!document || !isStill(document, seen)) return false;
    // Looked at once more when the document is in front: until then the human could type.
    if (document.isDirty && !(await onDocument(command, document, () => isStill(document, seen)))) return false;
    return !document.isDirty;
  }

  settle(path: Path, text: string, signal: AbortSignal): Promise<'shown' | 'dirty' | 'notOpen' | 'late'> {
    const look = (): 'shown' | 'dirty' | 'notOpen' | undefined => {
      const document = documentAt(path);
      if (!document) return 'notOpen';
      if (document.isDirty) return 'dirty';
      return document.getText() === asBuffer(text, eolOf(document)) ? 'shown' : undefined;
    };
    const now = look();
    if (now || signal.aborted) return Promise.resolve(now ?? 'late');
    return new Promise((resolve) => {
      const end = (result: 'shown' | 'dirty' | 'notOpen' | 'late'): void => {
        clearTimeout(timer);
        for (const one of heard) one.dispose();
        signal.removeEventListener('abort', cut);
        resolve(result);
      };
      const again = (): void => {
        const found = look();
        if (found) end(found);
      };
      const cut = (): void => end(look() ?? 'late');
      const timer = setTimeout(cut, SETTLE_MS);
      const heard = [workspace.onDidChangeTextDocument(again), workspace.onDidCloseTextDocument(again)];
      signal.addEventListener('abort', cut, { once: true });
    });
  }
}
