import { TabInputText, TabInputTextDiff, Uri, window, type Tab } from 'vscode';

async function close(wanted: (tab: Tab) => boolean): Promise<void> {
  const tabs = allTabs().filter((tab) => wanted(tab) && !tab.isDirty);
  if (tabs.length > 0) await window.tabGroups.close(tabs, true);
}

const allTabs = (): Tab[] => window.tabGroups.all.flatMap((group) => group.tabs);

/** Closes the diff editors whose right side is this document, in every group. */
export const closeDiffsOf = (modified: Uri): Promise<void> =>
  close((tab) => tab.input instanceof TabInputTextDiff && tab.input.modified.toString() === modified.toString());

/** A diff of several files has no input that an extension can look at, only its title, to which VS Code may add how many they are. */
export const isTitled = (tab: Tab | undefined, title: string): boolean => tab?.label.startsWith(title) === true;

export const closeTitled = (title: string): Promise<void> => close((tab) => isTitled(tab, title));

/** What a tab edits: a file, the right side of a diff, the result of a merge. */
export function editedBy({ input }: Tab): { uri: Uri; merge: boolean } | undefined {
  if (input instanceof TabInputText) return { uri: input.uri, merge: false };
  if (input instanceof TabInputTextDiff) return { uri: input.modified, merge: false };
  // The class of a merge editor's input is not public yet.
  const result: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'result') : undefined;
  return result instanceof Uri ? { uri: result, merge: true } : undefined;
}

export const tabsOf = (uri: Uri): Tab[] => allTabs().filter((tab) => editedBy(tab)?.uri.toString() === uri.toString());

/** What all tabs edit, each once. */
export const edited = (): Uri[] => allTabs().flatMap((tab) => editedBy(tab)?.uri ?? []);

/** By the tab in front. */
export function editedInFront(): Uri | undefined {
  const tab = window.tabGroups.activeTabGroup.activeTab;
  return tab && editedBy(tab)?.uri;
}
