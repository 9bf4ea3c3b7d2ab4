/** Quick picks in front of a restore: which checkpoint, which files, which single changes. */
import { window, type QuickPickItem } from 'vscode';
import type { checkpointsOf } from '../../core/checkpoints/history';
import type { FilePlan } from '../../core/checkpoints/types';
import { clock, inPick, plural } from '../render/words';
import type { FileChoice } from './words';

/** Newest first. undefined: closed without an answer. */
export async function chooseCheckpoint(
  all: ReturnType<typeof checkpointsOf>,
  title: string,
): Promise<number | undefined> {
  const items = all.map(({ n, title: step, at, files }) => ({
    label: n === 0 ? 'Before the first step' : `After step ${n}: ${inPick(step)}`,
    description: [clock(at), files.length === 0 ? '' : plural(files.length, 'file')].filter(Boolean).join(' · '),
    n,
  }));
  const picked = await window.showQuickPick(items.toReversed(), {
    title,
    placeHolder: 'Which checkpoint?',
    matchOnDescription: true,
  });
  return picked?.n;
}

type FileItem = QuickPickItem & { choice: FileChoice };

/** Files to take, each with whether single changes of it are to be picked. */
export function chooseFiles(
  choices: readonly FileChoice[],
  words: { title: string; placeholder: string },
): Promise<{ choice: FileChoice; single: boolean }[] | undefined> {
  const box = window.createQuickPick<FileItem>();
  box.title = words.title;
  box.placeholder = words.placeholder;
  box.canSelectMany = true;
  // The diff beside it is looked at meanwhile.
  box.ignoreFocusOut = true;
  box.matchOnDescription = true;
  box.items = choices.map((choice) => ({
    label: inPick(choice.label),
    description: inPick(choice.description),
    ...(choice.detail === undefined ? {} : { detail: choice.detail }),
    choice,
  }));
  box.selectedItems = box.items.filter((item) => item.choice.picked);
  return new Promise((resolve) => {
    box.onDidAccept(() => {
      resolve(box.selectedItems.map(({ choice }) => ({ choice, single: choice.plan.action === 'merge' })));
      box.dispose();
    });
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}

/** Places of the picked changes, each with its words. undefined: closed without an answer. */
export async function chooseHunks(
  plan: FilePlan,
  labels: readonly { label: string; detail: string }[],
  position: string,
): Promise<number[] | undefined> {
  const items = labels.map((words, i) => ({ ...words, i, picked: true }));
  const picked = await window.showQuickPick(items, {
    title: `${plan.path}${position}`,
    placeHolder: 'Which changes of the run go back? Your own lines stay.',
    canPickMany: true,
    ignoreFocusOut: true,
    matchOnDetail: true,
  });
  return picked?.map((item) => item.i);
}
