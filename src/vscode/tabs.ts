import { TabInputTextDiff, window, type Tab, type Uri } from 'vscode';

async function close(wanted: (tab: Tab) => boolean): Promise<void> {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => wanted(tab) && !tab.isDirty);
  if (tabs.length > 0) await window.tabGroups.close(tabs, true);
}

/** Closes the diff editors whose right side is this document, in every group. */
export const closeDiffsOf = (modified: Uri): Promise<void> =>
  close((tab) => tab.input instanceof TabInputTextDiff && tab.input.modified.toString() === modified.toString());

/** A diff of several files has no input that an extension can look at, only its title. */
export const closeTitled = (title: string): Promise<void> => close((tab) => tab.label === title);
