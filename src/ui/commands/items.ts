/** Commands on one decision, note, file or run. */
import { window } from 'vscode';
import { isFinal } from '../../core/run/state';
import type { CommandHandlers } from '../../vscode/ids';
import type { Ui } from '../context';
import type { Answers } from '../decisions/answer';
import { choicesOf } from '../decisions/choices';
import { showChange } from '../documents/compare';
import { inform, refusal, showRefusal } from '../messages';
import { inMessage } from '../render/words';
import { answered, byHuman, fieldOf, runOf, targetOf } from './target';

type Items =
  | 'holdfast.decide'
  | 'holdfast.answer'
  | 'holdfast.showChange'
  | 'holdfast.withdrawNote'
  | 'holdfast.saveFile'
  | 'holdfast.deleteRun'
  | 'holdfast.setApiKey';

export function itemCommands(ui: Ui, answers: Answers): Pick<CommandHandlers, Items> {
  const { core } = ui;

  async function pickDecision(): Promise<{ id: string; choice: string } | undefined> {
    const open = ui.watch.state?.decisions.filter((d) => d.state === 'pending') ?? [];
    const items = open.flatMap((d) =>
      choicesOf(ui.watch.state, d).map((choice) => ({
        label: choice.label.replaceAll('$(', '$ ('),
        description: inMessage(d.title, 100),
        answer: { id: d.id, choice: choice.id },
      })),
    );
    if (items.length === 0) {
      void inform('Nothing waits for an answer now.');
      return undefined;
    }
    const picked = await window.showQuickPick(items, {
      title: 'Answer',
      placeHolder: 'Pick an answer',
      matchOnDescription: true,
    });
    return picked?.answer;
  }

  return {
    'holdfast.decide': async (argument) => {
      if (!byHuman(argument) && argument) {
        const { decisionId, choice, text } = argument;
        return core.decide({ decisionId, choice, ...(text === undefined ? {} : { text }) });
      }
      const picked = await pickDecision();
      return picked && answers.answer(picked.id, picked.choice);
    },
    'holdfast.answer': async (item) => {
      const decisionId = fieldOf(item, 'decisionId');
      return decisionId === undefined ? undefined : answers.answer(decisionId, fieldOf(item, 'choice') ?? '');
    },
    'holdfast.showChange': async (item) => {
      const decision = answers.find(fieldOf(item, 'decisionId') ?? '');
      if (decision) await showChange(decision);
    },
    'holdfast.withdrawNote': async (item) => {
      const noteId = fieldOf(item, 'noteId');
      if (noteId === undefined) return undefined;
      return answered(true, core.withdrawNote({ runId: noteId.slice(0, noteId.lastIndexOf('/')), noteId }));
    },
    'holdfast.saveFile': async (item) => {
      const path = fieldOf(item, 'path');
      if (path === undefined || (await ui.buffers.save(path))) return undefined;
      const refused = refusal('badArgument', `${path} could not be saved: open it and save it there.`);
      showRefusal(refused);
      return refused;
    },
    'holdfast.deleteRun': async (argument) => {
      const human = byHuman(argument);
      const run = await runOf(ui, argument);
      if ('refused' in run) return answered(human, Promise.resolve(run));
      if (human) {
        if (!isFinal(run.status))
          return answered(
            true,
            Promise.resolve(refusal('busy', 'The run has not ended: abort it first, then delete it.')),
          );
        const yes = 'Delete';
        const said = `Delete the run “${inMessage(run.goal, 80)}” with its transcript and checkpoints? Your files stay as they are.`;
        if ((await window.showWarningMessage(said, { modal: true }, yes)) !== yes) return undefined;
      }
      const { runId } = targetOf(argument);
      const result = await answered(human, core.deleteRun({ runId: runId ?? run.runId }));
      ui.watch.refresh();
      return result;
    },
    'holdfast.setApiKey': async () => {
      const key = await window.showInputBox({
        title: 'Set API Key',
        prompt:
          'The key of the OpenAI-compatible service. It is kept in VS Code’s secret storage only. Empty removes it.',
        password: true,
        ignoreFocusOut: true,
      });
      if (key === undefined) return undefined;
      await ui.keys.setOpenai(key.trim());
      const paused = ui.watch.state;
      const waits = paused?.status === 'paused' && paused.reason?.code === 'auth';
      if (waits && key.trim() !== '')
        void inform('The key is stored.', {
          title: 'Resume',
          run: () => answered(true, core.resume({ runId: paused.runId })),
        });
      else
        window.setStatusBarMessage(
          key.trim() === '' ? 'Holdfast: the key is removed.' : 'Holdfast: the key is stored.',
          4000,
        );
      return undefined;
    },
  };
}
