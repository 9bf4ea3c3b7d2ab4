import { commands, TabInputText, window, ViewColumn, type Tab, type TextDocument } from 'vscode';

const tabOf = (document: TextDocument, column: ViewColumn | undefined): Tab | undefined =>
  window.tabGroups.all
    .filter((group) => column === undefined || group.viewColumn === column)
    .flatMap((group) => group.tabs)
    .find((tab) => tab.input instanceof TabInputText && tab.input.uri.toString() === document.uri.toString());

/** A tab learns a moment after its document that nothing is unsaved; a dirty one would ask the human. */
async function closeTab(document: TextDocument, column: ViewColumn): Promise<void> {
  for (let tries = 0; tries < 20 && tabOf(document, column)?.isDirty && !document.isDirty; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  const tab = tabOf(document, column);
  if (tab && !tab.isDirty) await window.tabGroups.close(tab, true);
}

/**
 * Runs a workbench command that knows only "the active editor" on one document: VS Code has no such command for another
 * document. The document is brought to the front of the active group without taking the keyboard, and what was in
 * front before comes back, with its selection; a tab that was not there before is closed again. `holds` is asked last of
 * all: false, and the command does not run, nor does this answer true.
 */
export async function onDocument(command: string, document: TextDocument, holds: () => boolean): Promise<boolean> {
  const run = async (): Promise<boolean> => {
    if (!holds()) return false;
    await commands.executeCommand(command);
    return true;
  };
  const before = window.activeTextEditor;
  if (before?.document === document) return run();
  const column = window.tabGroups.activeTabGroup.viewColumn;
  const front = window.tabGroups.activeTabGroup.activeTab;
  const wasThere = tabOf(document, column) !== undefined;
  await window.showTextDocument(document, { viewColumn: ViewColumn.Active, preserveFocus: true, preview: false });
  try {
    return await run();
  } finally {
    if (!wasThere) await closeTab(document, column);
    if (front && before) {
      await window.showTextDocument(before.document, {
        viewColumn: column,
        preserveFocus: true,
        preview: front.isPreview,
        selection: before.selection,
      });
    }
  }
}
