/** `holdfast-blob:` documents: stored content of a file, for diff editors. Never changes, never editable. */
import { Uri, workspace, type Disposable } from 'vscode';
import type { HoldfastCore } from '../../core/api';
import { SCHEMES } from '../../vscode/ids';
import { pathOf, uriOf } from '../../vscode/roots';

/**
 * The path is that of the file itself: it gives the tab its name and language, and a diff of several files takes two sides with
 * different paths for a rename. null: nothing was there.
 */
export function blobUri(path: string, hash: string | null): Uri {
  return Uri.from({ scheme: SCHEMES.blob, path: uriOf(path)?.path ?? `/${path}`, query: hash ?? '' });
}

const PROPOSED = /^proposed=(.*)&(before|after)$/;

/** A side of a change that is stored nowhere: made each time it is looked at. */
export const proposedUri = (path: string, decisionId: string, side: 'before' | 'after'): Uri =>
  blobUri(path, `proposed=${decisionId}&${side}`);

const pathIn = (uri: Uri): string => pathOf(Uri.from({ scheme: 'file', path: uri.path })) ?? uri.path.slice(1);

export function registerBlobs(core: HoldfastCore): Disposable {
  return workspace.registerTextDocumentContentProvider(SCHEMES.blob, {
    async provideTextDocumentContent(uri) {
      const [, decisionId, side] = PROPOSED.exec(uri.query) ?? [];
      if (decisionId !== undefined)
        return (await core.proposed(decisionId))?.[side as 'before' | 'after'] ?? '(this text is kept nowhere)\n';
      const text = await core.text({ path: pathIn(uri), hash: uri.query || null });
      return text ?? '(this content is not stored)\n';
    },
  });
}
