/** Kill This Command: from its row in the tree, or from the palette, where one of several is picked. */
import { window } from 'vscode';
import { livingCommands } from '../../core/run/kill';
import type { CommandHandlers } from '../../vscode/ids';
import type { Ui } from '../context';
import { inform } from '../messages';
import { inPick } from '../render/words';
import { answered, byHuman, fieldOf, targetOf } from './target';

export function killCommands({ core, watch }: Ui): Pick<CommandHandlers, 'holdfast.killCommand'> {
  async function pick(): Promise<string | undefined> {
    const living = watch.state ? livingCommands(watch.state).reverse() : [];
    if (living.length === 0) void inform('No command of the run is at work now.');
    if (living.length < 2) return living[0]?.id;
    const items = living.map((step) => ({
      label: inPick(step.title, 100),
      description: `step ${step.n}, process ${step.process?.id.pid ?? '?'}`,
      stepId: step.id,
    }));
    return (await window.showQuickPick(items, { title: 'Kill This Command', placeHolder: 'Pick a command' }))?.stepId;
  }

  return {
    'holdfast.killCommand': async (argument, context) => {
      // A row of the tree is named by its step.
      const row = typeof argument === 'object' && 'node' in argument ? fieldOf(argument, 'id') : undefined;
      const human = row !== undefined || byHuman(argument, context);
      const stepId = row ?? fieldOf(argument, 'stepId') ?? (human ? await pick() : undefined);
      if (human && stepId === undefined) return undefined;
      const named = stepId === undefined ? {} : { stepId };
      return answered(human, core.killCommand({ ...targetOf(argument), ...named }));
    },
  };
}
