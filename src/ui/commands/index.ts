/** The command table: every id has its handler, or this does not compile. */
import { Disposable } from '../../vscode/disposable';
import type { CommandHandlers } from '../../vscode/ids';
import { registerCommands } from '../../vscode/register';
import { checkpointCommands } from '../checkpoints/commands';
import type { Restores } from '../checkpoints/restore';
import type { Ui } from '../context';
import type { Answers } from '../decisions/answer';
import type { RunDocuments } from '../documents/runDocuments';
import { compensateCommands } from './compensate';
import { editNote } from './editNote';
import { documentCommands } from './documents';
import { guardCommands } from './guards';
import { itemCommands } from './items';
import { killCommands } from './killCommand';
import { serverCommands } from '../servers/servers';
import type { RunCommands } from './run';
import { showActions } from './showActions';
import type { StartCommands } from './start';
import { transferCommands } from '../transfer/commands';

interface Parts {
  start: StartCommands;
  run: RunCommands;
  documents: RunDocuments;
  answers: Answers;
  restores: Restores;
}

export class Commands extends Disposable {
  constructor(ui: Ui, parts: Parts) {
    super();
    const table: CommandHandlers = {
      ...parts.start.handlers(),
      ...parts.run.handlers(),
      ...documentCommands(ui, parts.documents),
      ...itemCommands(ui, parts.answers),
      ...killCommands(ui),
      ...compensateCommands(ui),
      ...checkpointCommands(ui, parts.restores),
      ...serverCommands(ui.servers, ui.serverTrust),
      ...guardCommands(ui),
      ...transferCommands(ui, parts.documents),
      'holdfast.editNote': (item) => editNote(ui, item),
      'holdfast.showActions': () => showActions(ui),
    };
    for (const registered of registerCommands(table)) this._register(registered);
  }
}
