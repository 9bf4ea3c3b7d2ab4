/** Guards: set from the palette or offered after a note, removed from their row in the tree. */
import { window, workspace } from 'vscode';
import type { GuardResult } from '../../core/api';
import type { Refusal } from '../../core/errors';
import { GUARD_KINDS, type GuardKind, type GuardRequest, guardProblem, guardWords } from '../../core/run/guards';
import type { CommandHandlers } from '../../vscode/ids';
import type { Ui } from '../context';
import { inform, isRefusal } from '../messages';
import { inMessage } from '../render/words';
import { pickStep } from './pickStep';
import { answered, byHuman, fieldOf, NO_RUN, targetOf } from './target';

const KINDS: Record<GuardKind, { label: string; detail: string; prompt?: string; placeHolder?: string }> = {
  protect: {
    label: 'Protect a Path',
    detail: 'The agent may not write, delete or move anything there.',
    prompt: 'A path or a pattern of paths; a folder covers what is in it.',
    placeHolder: 'src/auth',
  },
  forbidCommand: {
    label: 'Forbid a Command',
    detail: 'A command line with these words is not run.',
    prompt: 'The words of the command.',
    placeHolder: 'git push',
  },
  stopBefore: {
    label: 'Stop Before a Step',
    detail: 'The run pauses before it; Resume runs it.',
  },
  skip: {
    label: 'Skip a Step',
    detail: 'The step is not run, and the run goes on.',
  },
};

/** Copy Path gives the whole path of a file: a guard takes it from the workspace folder on. */
function meant(kind: GuardKind, text: string): string {
  if (kind !== 'protect') return text;
  const path = text.trim();
  return workspace.workspaceFolders?.length === 1 && workspace.workspaceFolders[0]?.uri.fsPath === path
    ? '.'
    : workspace.asRelativePath(path);
}

export function guardCommands(ui: Ui): Pick<CommandHandlers, 'holdfast.addGuard' | 'holdfast.removeGuard'> {
  const { core, watch } = ui;

  async function ask(): Promise<GuardResult | Refusal | undefined> {
    const run = watch.state;
    if (!run) return NO_RUN;
    const items = GUARD_KINDS.map((guard) => ({ ...KINDS[guard], guard }));
    const picked = await window.showQuickPick(items, {
      title: 'Add Guard',
      placeHolder: 'What should Holdfast enforce, whatever the agent does?',
    });
    if (!picked) return undefined;
    const { guard: kind, label, prompt = '', placeHolder = '' } = picked;
    const isStep = kind === 'stopBefore' || kind === 'skip';
    const ask = isStep
      ? pickStep(label, ui.texts().guardTargets(run), (text) => guardProblem({ kind, value: text }))
      : window.showInputBox({
          title: label,
          prompt,
          placeHolder,
          validateInput: (text) => guardProblem({ kind, value: meant(kind, text) }),
        });
    const value = await ask;
    return value === undefined ? undefined : core.addGuard({ runId: run.runId, kind, value: meant(kind, value) });
  }

  return {
    'holdfast.addGuard': (argument) =>
      argument === undefined || byHuman(argument)
        ? answered(true, ask())
        : core.addGuard({ ...targetOf(argument), kind: argument.kind, value: argument.value }),
    'holdfast.removeGuard': (item) => {
      const guardId = fieldOf(item, 'guardId') ?? '';
      const runId = guardId.slice(0, Math.max(0, guardId.lastIndexOf('/')));
      return answered(byHuman(item), core.removeGuard({ ...(runId === '' ? {} : { runId }), guardId }));
    },
  };
}

/** A note that seems to ask for guards: one press makes the runtime enforce them. */
export function offerGuards({ core }: Pick<Ui, 'core'>, runId: string, offers: readonly GuardRequest[] = []): void {
  if (offers.length === 0) return;
  const named = offers.map((offer) => `“${inMessage(guardWords(offer), 120)}”`).join(' and ');
  const add = async (): Promise<GuardResult | Refusal | undefined> => {
    let result: GuardResult | Refusal | undefined;
    for (const offer of offers) {
      result = await core.addGuard({ runId, ...offer });
      if (isRefusal(result)) break;
    }
    return result;
  };
  void inform(`The agent is told. Should Holdfast also enforce ${named}?`, {
    title: 'Enforce It',
    run: () => answered(true, add()),
  });
}
