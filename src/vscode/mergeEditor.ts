/**
 * VS Code's three-way merge editor. Its command is the one VS Code's own git extension opens it by, and no public one: where it
 * is missing the caller shows a document with marks instead.
 */
import { commands, type Uri } from 'vscode';

const OPEN = '_open.mergeEditor';
/** Asks about places that are not decided, then saves the result and closes the editor. */
const COMPLETE = 'mergeEditor.acceptMerge';
/** Decides every place, so that nothing is asked. */
const ACCEPT_LEFT = 'merge.acceptAllInput1';

export interface MergeSide {
  uri: Uri;
  title: string;
  description: string;
}

export interface MergeSides {
  base: Uri;
  /** On the left. */
  input1: MergeSide;
  input2: MergeSide;
  /** A file that can be written; with conflict marks in it the editor begins with what both sides agree on. */
  output: Uri;
}

/** false: this VS Code has no such editor. */
export async function openMergeEditor(sides: MergeSides): Promise<boolean> {
  if (!(await commands.getCommands(false)).includes(OPEN)) return false;
  await commands.executeCommand(OPEN, sides);
  return true;
}

/** Of the merge editor in front; false: the human goes on with it. */
export async function completeMerge(): Promise<boolean> {
  const answer: unknown = await commands.executeCommand(COMPLETE);
  return typeof answer === 'object' && answer !== null && Reflect.get(answer, 'successful') === true;
}

/** Closes the merge editor in front, whatever is in it. */
export async function dropMerge(): Promise<void> {
  await commands.executeCommand(ACCEPT_LEFT);
  await completeMerge();
}
