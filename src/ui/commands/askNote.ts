import { ThemeIcon, window } from 'vscode';

export interface NoteQuestion {
  title: string;
  prompt: string;
  /** A button that stops the step in flight first. */
  nowButton: boolean;
  mayBeEmpty: boolean;
  /** What stands in it at first. */
  value?: string;
}

/** An input box that stays while one looks something up. undefined: closed without an answer. */
export function askNote(question: NoteQuestion): Promise<{ text: string; now: boolean } | undefined> {
  const box = window.createInputBox();
  box.title = question.title;
  box.prompt = question.prompt;
  box.value = question.value ?? '';
  box.ignoreFocusOut = true;
  if (question.nowButton)
    box.buttons = [{ iconPath: new ThemeIcon('debug-stop'), tooltip: 'Steer Now: stop the step in flight first' }];
  return new Promise((resolve) => {
    const accept = (now: boolean): void => {
      const text = box.value.trim();
      if (text === '' && !question.mayBeEmpty) {
        box.validationMessage = 'Write a note, or press Escape.';
        return;
      }
      resolve({ text, now });
      box.dispose();
    };
    box.onDidChangeValue(() => (box.validationMessage = undefined));
    box.onDidAccept(() => accept(false));
    box.onDidTriggerButton(() => accept(true));
    box.onDidHide(() => {
      resolve(undefined);
      box.dispose();
    });
    box.show();
  });
}
