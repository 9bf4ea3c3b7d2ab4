/** `holdfast-blob:` documents: stored content of a file, for diff editors. Never changes, never editable. */
import { Uri, workspace, type Disposable } from 'vscode';
import type { HoldfastCore } from '../../core/api';
import { SCHEMES } from '../../vscode/ids';

/** The path gives the tab its name and language. null: nothing was there. */
export function blobUri(path: string, hash: string | null): Uri {
  return Uri.from({ scheme: SCHEMES.blob, path: `/${path}`, query: hash ?? '' });
}

export function registerBlobs(core: HoldfastCore): Disposable {
  return workspace.registerTextDocumentContentProvider(SCHEMES.blob, {
    async provideTextDocumentContent(uri) {
      const text = await core.text({ path: uri.path.slice(1), hash: uri.query || null });
      return text ?? '(this content is not stored)\n';
    },
  });
}
