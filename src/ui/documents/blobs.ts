/** `holdfast-blob:` documents: stored content of a file, for diff editors. Never changes, never editable. */
import { Uri, workspace, type Disposable } from 'vscode';
import type { HoldfastCore } from '../../core/api';
import { SCHEMES } from '../../vscode/ids';
import { decodeText } from './decode';

export { decodeText };

/** The path gives the tab its name and language. null: nothing was there. */
export function blobUri(path: string, hash: string | null): Uri {
  return Uri.from({ scheme: SCHEMES.blob, path: `/${path}`, query: hash ?? '' });
}

export function registerBlobs(core: HoldfastCore): Disposable {
  return workspace.registerTextDocumentContentProvider(SCHEMES.blob, {
    async provideTextDocumentContent(uri) {
      if (uri.query === '') return '';
      const bytes = await core.content(uri.query);
      return bytes ? decodeText(bytes) : '(this content is not stored)\n';
    },
  });
}
