import { commands, workspace } from 'vscode';
import { Disposable } from '../vscode/disposable';
import { inform } from './messages';

/** The folders of a window are those it was opened with: a run must not find its paths meaning something else. */
export class FolderChanges extends Disposable {
  constructor() {
    super();
    let said = false;
    this._register(
      workspace.onDidChangeWorkspaceFolders(() => {
        if (said) return;
        said = true;
        const reload = { title: 'Reload Window', run: () => commands.executeCommand('workbench.action.reloadWindow') };
        void inform(
          'The folders of this workspace changed: reload the window, then runs work in the new ones.',
          reload,
        );
      }),
    );
  }
}
