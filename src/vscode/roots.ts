/** Workspace folders and the paths of the core: `src/a.ts` in one folder, `web/src/a.ts` in several. */
import { workspace, Uri } from 'vscode';
import { sep } from 'node:path';
import type { Path } from '../core/ports';

export interface Root {
  name: string;
  /** Absolute folder on this machine. */
  dir: string;
}

/** Local folders in order, with names made unique (`web`, `web-2`). */
export function workspaceRoots(): Root[] {
  const taken = new Set<string>();
  const roots: Root[] = [];
  for (const folder of workspace.workspaceFolders ?? []) {
    if (folder.uri.scheme !== 'file') continue;
    const plain = folder.name.replaceAll('/', '-') || 'folder';
    let name = plain;
    for (let n = 2; taken.has(name); n += 1) name = `${plain}-${n}`;
    taken.add(name);
    roots.push({ name, dir: folder.uri.fsPath });
  }
  return roots;
}

/** undefined: the folder named by the path is not open. */
export function uriOf(path: Path, roots: readonly Root[] = workspaceRoots()): Uri | undefined {
  const only = roots.length === 1 ? roots[0] : undefined;
  if (only) return Uri.joinPath(Uri.file(only.dir), ...path.split('/'));
  const [name, ...rest] = path.split('/');
  const root = roots.find((one) => one.name === name);
  return root && Uri.joinPath(Uri.file(root.dir), ...rest);
}

/** undefined: not a file of the workspace folders. The innermost folder wins where they are nested. */
export function pathOf(uri: Uri, roots: readonly Root[] = workspaceRoots()): Path | undefined {
  if (uri.scheme !== 'file') return undefined;
  const file = uri.fsPath;
  const within = (dir: string): boolean => file.startsWith(dir.endsWith(sep) ? dir : dir + sep);
  const root = roots.filter((one) => within(one.dir)).sort((a, b) => b.dir.length - a.dir.length)[0];
  if (!root) return undefined;
  const rest = file.slice(root.dir.length).split(sep).filter(Boolean).join('/');
  return roots.length === 1 ? rest : `${root.name}/${rest}`;
}
