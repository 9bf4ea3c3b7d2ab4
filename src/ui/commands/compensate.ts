/** Undo a Step: from its row, from a receipt, or picked; what will run is shown before it does. */
import { window } from 'vscode';
import { compensable, mayCompensate, type UndoCall } from '../../core/run/compensable';
import type { Receipt, RunState, Step } from '../../core/run/state';
import type { CommandHandlers, KillArgument } from '../../vscode/ids';
import { Disposable } from '../../vscode/disposable';
import { execute } from '../../vscode/register';
import type { Ui } from '../context';
import { inform, isRefusal, showRefusal, type MessageAction } from '../messages';
import { inMessage, inPick } from '../render/words';
import { endedUndo, waitingUndo } from '../render/undo';
import { answered, byHuman, fieldOf, runOf, targetOf } from './target';

type Undoable = { step: Step; undo: UndoCall };

const ROW = 160;
export function compensateCommands(ui: Ui): Pick<CommandHandlers, 'holdfast.compensate'> {
  const { core } = ui;

  /** The row of the list has shown the whole call: picking it is the word. */
  const fitsInList = ({ undo }: Undoable): boolean => {
    const { text, whole } = ui.texts().agreement(undo);
    return whole && text.length < ROW && text.split('\n').length <= 2;
  };

  async function pick(state: RunState): Promise<Undoable | undefined> {
    const all = mayCompensate(state) ? compensable(state) : [];
    if (all.length === 0)
      void inform('No step of the run can be undone now: none names what would undo it, or it was undone already.');
    const items = all.map((one) => ({
      label: `Step ${one.step.n}: ${inPick(one.step.title, 80)}`,
      detail: inPick(ui.texts().callWords(one.undo.tool, one.undo.args), ROW),
      one,
    }));
    if (items.length === 0) return undefined;
    const title = 'Undo a Step';
    return (await window.showQuickPick(items, { title, placeHolder: 'The last one first: that is the safe order' }))
      ?.one;
  }

  /** The one question there is: what runs, in whole. */
  async function confirmed({ step, undo }: Undoable): Promise<boolean> {
    const yes = 'Undo';
    const detail = ui.texts().agreement(undo).text;
    return (
      (await window.showWarningMessage(
        `Undo step ${step.n} “${inMessage(step.title, 80)}”?`,
        { modal: true, detail },
        yes,
      )) === yes
    );
  }

  /** What they have just agreed to is not asked a second time. */
  async function agree(runId: string, open: readonly string[], undo: UndoCall): Promise<void> {
    const [only, ...more] = (core.get(runId)?.decisions ?? []).filter((d) => open.includes(d.id));
    if (!only || more.length > 0 || !ui.texts().isAgreed(only, undo)) return;
    const answer = await core.decide({ decisionId: only.id, choice: 'grant' });
    if (isRefusal(answer)) showRefusal(answer);
  }

  async function asked(argument: KillArgument | undefined): ReturnType<CommandHandlers['holdfast.compensate']> {
    // A row of the tree is named by its step.
    const wanted = fieldOf(argument, 'stepId') ?? fieldOf(argument, 'id');
    const runId = wanted?.slice(0, wanted.lastIndexOf('/s'));
    const run = await runOf(ui, runId === undefined || runId === '' ? targetOf(argument) : { runId });
    if ('refused' in run) return run;
    const named = compensable(run).find(({ step }) => step.id === wanted);
    const chosen = named ?? (await pick(run));
    if (!chosen || !(named || !fitsInList(chosen) ? await confirmed(chosen) : true)) return undefined;
    const result = await core.compensate({ stepId: chosen.step.id });
    if (!isRefusal(result) && 'waitsFor' in result) await agree(run.runId, result.waitsFor, chosen.undo);
    if (!isRefusal(result) && 'message' in result) tellUndo(result, run.runId);
    return result;
  }

  return {
    'holdfast.compensate': (argument, context) =>
      byHuman(argument, context)
        ? answered(true, asked(argument))
        : core.compensate({
            ...targetOf(argument),
            ...(argument?.stepId === undefined ? {} : { stepId: argument.stepId }),
          }),
  };
}

const RECEIPT = (runId: string): MessageAction => ({
  title: 'Open Receipt',
  run: () => execute('holdfast.openReceipt', { runId }),
});

const tellUndo = ({ message }: Receipt, runId: string): void => void inform(inMessage(message, 300), RECEIPT(runId));

/** What had to be asked first has no caller any more that could say how it ended. */
export class UndoOutcomes extends Disposable {
  private readonly waiting = new Map<string, string>();

  constructor({ watch }: Pick<Ui, 'watch'>) {
    super();
    this._register(watch.onDidChangeRun((state) => this.look(state)));
    if (watch.state) this.look(watch.state);
  }

  private look(state: RunState): void {
    const { runId } = state;
    const asked = waitingUndo(state);
    if (asked !== undefined) this.waiting.set(runId, asked);
    const stepId = this.waiting.get(runId);
    if (stepId === undefined || state.compensating?.stepId === stepId) return;
    this.waiting.delete(runId);
    const receipt = endedUndo(state, stepId);
    if (receipt) tellUndo(receipt, runId);
  }
}

/** After an abort by the human: what was done can still be taken back, one step at a time, when they want it. */
export function offerUndo(receipt: unknown): void {
  const { recovery, message, effects } = (receipt ?? {}) as Partial<Receipt>;
  if (recovery !== 'compensate' || message === undefined) return;
  const runId = effects?.[0]?.stepId.split('/s')[0];
  void inform(
    inMessage(message, 200),
    { title: 'Undo a Step…', run: () => execute('holdfast.compensate') },
    ...(runId === undefined ? [] : [RECEIPT(runId)]),
  );
}
