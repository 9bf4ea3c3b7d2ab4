/** The commands on checkpoints: for programs they only answer, to the human they speak. */
import type { CommandHandlers } from '../../vscode/ids';
import type { Ui } from '../context';
import { answered, byHuman, checkpointIn, runOf, targetOf } from '../commands/target';
import { isRefusal } from '../messages';
import { chooseCheckpoint } from './choose';
import { Forks } from './fork';
import type { Restores } from './restore';

type Acts =
  | 'holdfast.restoreCheckpoint'
  | 'holdfast.undoRestore'
  | 'holdfast.reviewChanges'
  | 'holdfast.chooseChanges'
  | 'holdfast.forkRun';

export function checkpointCommands(ui: Ui, restores: Restores): Pick<CommandHandlers, Acts> {
  const forks = new Forks(ui);

  /** The checkpoint of the row, or one that is asked for. */
  async function chosen(argument: unknown, title: string) {
    const run = await runOf(ui, argument as object | undefined);
    if (isRefusal(run)) return run;
    const given = checkpointIn(argument);
    const n = given === 'start' ? 0 : (given ?? (await chooseCheckpoint(ui.texts().checkpointsOf(run), title)));
    return n === undefined ? undefined : { run, n };
  }

  return {
    'holdfast.restoreCheckpoint': async (argument, context) => {
      if (!byHuman(argument, context) && argument) return ui.core.restoreCheckpoint(argument);
      const at = await chosen(argument, 'Restore Files');
      if (!at || isRefusal(at)) return answered(true, Promise.resolve(at));
      return answered(true, restores.show({ runId: at.run.runId, kind: 'restore', checkpoint: at.n }));
    },
    'holdfast.undoRestore': (argument) => (byHuman(argument) ? restores.undo() : ui.core.undoRestore(argument)),
    'holdfast.reviewChanges': async (argument, context) => {
      const run = await runOf(ui, argument);
      const review = isRefusal(run) ? Promise.resolve(run) : restores.review(run);
      return answered(byHuman(argument, context), review);
    },
    'holdfast.chooseChanges': () => answered(true, restores.chooseShown()),
    'holdfast.forkRun': async (argument, context) => {
      if (!byHuman(argument, context) && argument) return ui.core.forkRun(argument);
      const at = await chosen(argument, 'Fork Run');
      if (!at || isRefusal(at)) return answered(true, Promise.resolve(at));
      return answered(true, forks.fork({ ...targetOf({ runId: at.run.runId }), checkpoint: at.n }));
    },
  };
}
