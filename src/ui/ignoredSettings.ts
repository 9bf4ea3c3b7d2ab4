/** A setting of the machine that stands in the workspace has no effect. In the bundle of the engine. */
import { commands, window, workspace, Uri } from 'vscode';
import { ignoredWords, settingsIn } from './render/ignoredSettings';

async function ignoredIn(file: Uri, folder: Uri | undefined): Promise<string[]> {
  const bytes = await workspace.fs.readFile(file).then(
    (read) => read,
    () => undefined,
  );
  const keys = bytes ? settingsIn(new TextDecoder().decode(bytes)) : [];
  return keys.filter((key) => {
    // VS Code takes out what may not be set there.
    const { workspaceValue, workspaceFolderValue } = workspace.getConfiguration(undefined, folder).inspect(key) ?? {};
    return workspaceValue === undefined && workspaceFolderValue === undefined;
  });
}

/** Said when a run starts in which it would have counted. Settles when that is said, or need not be. */
export async function tellIgnored(): Promise<void> {
  const folders = (workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  const found = await Promise.all([
    ...folders.map((uri) => ignoredIn(Uri.joinPath(uri, '.vscode', 'settings.json'), uri)),
    ...(workspace.workspaceFile ? [ignoredIn(workspace.workspaceFile, folders[0])] : []),
  ]);
  const text = ignoredWords(found.flat());
  const open = 'Open Settings';
  if (text !== undefined && (await window.showWarningMessage(text, open)) === open)
    await commands.executeCommand('workbench.action.openSettings', 'holdfast');
}
