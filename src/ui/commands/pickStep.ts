/** The step or the tool a guard is set on: picked from what is known to come, or part of a title in one's own words. */
import { window, type QuickPickItem } from 'vscode';

type Target = QuickPickItem & { value: string };

/** undefined: closed without an answer. `problem`: why a value is none. */
export function pickStep(
  title: string,
  targets: readonly Target[],
  problem: (value: string) => string | undefined,
): Promise<string | undefined> {
  const box = window.createQuickPick<Target>();
  box.title = title;
  box.placeholder = 'Pick a step or a tool, or type part of a step’s title';
  box.items = targets;
  box.onDidChangeValue((text) => {
    const value = text.trim();
    // Always shown: what is typed need not be in the list.
    const own = { label: 'Every step whose title has these words', description: value, value, alwaysShow: true };
    box.items = value === '' || problem(value) !== undefined ? targets : [...targets, own];
  });
  return new Promise((resolve) => {
    box.onDidAccept(() => {
      const [picked] = box.selectedItems;
      if (!picked) return;
      resolve(picked.value);
      box.dispose();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}
