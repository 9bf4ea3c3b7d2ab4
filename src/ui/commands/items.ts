/** Commands on one decision, note, file or run. */
import { QuickPickItemKind, window, type QuickPickItem } from 'vscode';
import { isFinal, type Decision, type DecisionChoice } from '../../core/run/state';
import type { CommandHandlers, RunTarget } from '../../vscode/ids';
import { ResultFiles } from '../../vscode/resultFiles';
import { editedInFront } from '../../vscode/tabs';
import type { Ui } from '../context';
import type { Answers } from '../decisions/answer';
import { choicesOf, lookLabel } from '../decisions/choices';
import { factsOf, messageOf } from '../decisions/words';
import { showChange } from '../documents/compare';
import { inform, isRefusal, refusal, showRefusal } from '../messages';
import { inMessage, inPick, plural, runNamed } from '../render/words';
import { answered, byHuman, fieldOf, runOf, targetOf } from './target';

type Items =
  | 'holdfast.decide'
  | 'holdfast.answer'
  | 'holdfast.writeResult'
  | 'holdfast.showChange'
  | 'holdfast.withdrawNote'
  | 'holdfast.saveFile'
  | 'holdfast.deleteRun'
  | 'holdfast.takeControlHere'
  | 'holdfast.pinRun'
  | 'holdfast.unpinRun'
  | 'holdfast.setApiKey';

/** An answer to give, or the change to look at first. */
type Picked = { id: string; choice: string } | { id: string; look: true };

function answersOf(
  d: Decision,
  choices: readonly DecisionChoice[],
  look: string | undefined,
): (QuickPickItem & { answer: Picked })[] {
  const { id } = d;
  const own = d.kind === 'question' && d.freeText;
  return [
    ...choices.map(({ id: choice, label }) => ({ label: inPick(label), answer: { id, choice } })),
    ...(own ? [{ label: 'Answer in your own words…', answer: { id, choice: '' } }] : []),
    ...(look !== undefined ? [{ label: look, answer: { id, look: true as const } }] : []),
  ];
}

export function itemCommands(ui: Ui, answers: Answers): Pick<CommandHandlers, Items> {
  const { core } = ui;

  /** The view shows the change. */
  async function pin(argument: RunTarget | undefined, pinned: boolean): ReturnType<CommandHandlers['holdfast.pinRun']> {
    const human = byHuman(argument);
    const run = human ? await runOf(ui, argument) : undefined;
    const result = await answered(human, core.pinRun({ ...targetOf(argument), pinned }));
    ui.watch.refresh();
    if (run && !('refused' in run) && !isRefusal(result))
      void inform(
        pinned
          ? `Pinned ${inMessage(runNamed(run), 160)}: retention keeps it.`
          : `No longer pinned: ${inMessage(runNamed(run), 160)}. Retention may remove it.`,
      );
    return result;
  }

  /** The question stands above its answers, with what it is about: nobody answers blind. */
  async function pickAnswer(): Promise<Picked | undefined> {
    const { state } = ui.watch;
    const open = state?.decisions.filter((d) => d.state === 'pending') ?? [];
    if (open.length === 0) return void inform('Nothing waits for an answer now.');
    const [first] = open;
    const one = open.length === 1 && first !== undefined;
    const items = open.flatMap((d) => [
      ...(one ? [] : [{ label: messageOf(d), kind: QuickPickItemKind.Separator, answer: undefined }]),
      ...answersOf(d, choicesOf(state, d, ui.drafts.begun), lookLabel(state, d)),
    ]);
    const picked = await window.showQuickPick(items, {
      title: one ? inMessage(first.title, 100) : plural(open.length, 'Open Question'),
      placeHolder: (one && factsOf(first)) || 'Pick an answer',
    });
    return picked?.answer;
  }

  return {
    'holdfast.decide': async (argument) => {
      if (!byHuman(argument) && argument) {
        const { decisionId, choice, text } = argument;
        return core.decide({ decisionId, choice, ...(text === undefined ? {} : { text }) });
      }
      const picked = await pickAnswer();
      if (!picked) return undefined;
      if ('choice' in picked) return answers.answer(picked.id, picked.choice);
      const looked = answers.find(picked.id);
      if (looked) await showChange(looked);
      return undefined;
    },
    'holdfast.answer': async (item) => {
      const decisionId = fieldOf(item, 'decisionId');
      return decisionId === undefined ? undefined : answers.answer(decisionId, fieldOf(item, 'choice') ?? '');
    },
    'holdfast.writeResult': async (uri) => {
      const decisionId = ResultFiles.keyOf(uri) ?? ResultFiles.keyOf(editedInFront());
      return decisionId === undefined ? undefined : answers.answer(decisionId, 'edit');
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
        const { runId: id } = run;
        const facts = core.runs().some((one) => one.runId === id && one.pinned) ? ['pinned'] : [];
        const said = `Delete the run ${inMessage(runNamed(run, facts), 160)} with its transcript and checkpoints? Your files stay as they are.`;
        if ((await window.showWarningMessage(said, { modal: true }, yes)) !== yes) return undefined;
      }
      const { runId } = targetOf(argument);
      const result = await answered(human, core.deleteRun({ runId: runId ?? run.runId }));
      ui.watch.refresh();
      return result;
    },
    'holdfast.takeControlHere': async () => {
      const result = await answered(true, core.takeControlHere());
      ui.watch.refresh();
      return result;
    },
    'holdfast.pinRun': (argument) => pin(argument, true),
    'holdfast.unpinRun': (argument) => pin(argument, false),
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
