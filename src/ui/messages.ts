/** One sentence to the human, with the next action as a button where there is one. Never awaited by the work itself. */
import { commands, window } from 'vscode';
import type { Refusal } from '../core/errors';
import { execute } from '../vscode/register';
import { inMessage } from './render/words';

export interface MessageAction {
  title: string;
  run(): unknown;
}

async function press(shown: Thenable<MessageAction | undefined>): Promise<void> {
  await (await shown)?.run();
}

/** Settles when the human pressed a button or the message went away. */
export const inform = (text: string, ...actions: MessageAction[]): Promise<void> =>
  press(window.showInformationMessage(text, ...actions));
export const warn = (text: string, ...actions: MessageAction[]): Promise<void> =>
  press(window.showWarningMessage(text, ...actions));
export const complain = (text: string, ...actions: MessageAction[]): Promise<void> =>
  press(window.showErrorMessage(text, ...actions));

export const OPEN_FOLDER: MessageAction = {
  title: 'Open Folder',
  run: () => commands.executeCommand('workbench.action.files.openFolder'),
};
export const MANAGE_TRUST: MessageAction = {
  title: 'Manage Trust',
  run: () => commands.executeCommand('workbench.trust.manage'),
};

export const SHOW_LOG: MessageAction = { title: 'Show Log', run: () => execute('holdfast.showLog') };

export function isRefusal(answer: unknown): answer is Refusal {
  return typeof answer === 'object' && answer !== null && Reflect.get(answer, 'refused') === true;
}

/** Says why a command does not apply now. */
export function showRefusal(refusal: Refusal, ...more: MessageAction[]): void {
  const action = refusal.code === 'noFolder' ? [OPEN_FOLDER] : refusal.code === 'untrusted' ? [MANAGE_TRUST] : [];
  void inform(inMessage(refusal.message, 400), ...action, ...more);
}

export const refusal = (code: Refusal['code'], message: string): Refusal => ({ refused: true, code, message });
