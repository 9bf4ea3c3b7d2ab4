/** A first playbook to look at, run and change: it works in any folder and needs no model. */
import { Position, Uri, window, workspace, WorkspaceEdit } from 'vscode';
import { EXAMPLE } from './example';

const NAME = 'example';

/** An unsaved document beside the files of the first folder; saving it is one key, and it runs unsaved too. */
export async function newPlaybook(): Promise<void> {
  const folder = workspace.workspaceFolders?.[0]?.uri;
  if (!folder) return;
  const uri = (await freeName(folder)).with({ scheme: 'untitled' });
  const document = await workspace.openTextDocument(uri);
  if (document.getText() === '') {
    const fill = new WorkspaceEdit();
    fill.insert(uri, new Position(0, 0), EXAMPLE);
    await workspace.applyEdit(fill);
  }
  await window.showTextDocument(document, { preview: false });
}

async function freeName(folder: Uri): Promise<Uri> {
  for (let n = 1; ; n += 1) {
    const uri = Uri.joinPath(folder, `${NAME}${n === 1 ? '' : `-${n}`}.playbook.yaml`);
    const taken = await workspace.fs.stat(uri).then(
      () => true,
      () => false,
    );
    if (!taken) return uri;
  }
}
