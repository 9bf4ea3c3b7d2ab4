/** Fork Run, and Continue in a Fork for a note that came too late. */
import { commands } from 'vscode';
import type { ForkRequest } from '../../core/checkpoints/fork';
import type { Refusal } from '../../core/errors';
import { VIEWS } from '../../vscode/ids';
import type { Ui } from '../context';
import { answered } from '../commands/target';
import { inform, isRefusal } from '../messages';

export class Forks {
  constructor(private readonly ui: Ui) {}

  /** The fork stands paused: it is shown, and offered to go on. */
  async fork(request: ForkRequest): Promise<{ runId: string } | Refusal> {
    const { core } = this.ui;
    const result = await core.forkRun(request);
    if (isRefusal(result)) return result;
    await commands.executeCommand(`${VIEWS.run}.focus`, { preserveFocus: true });
    const first = request.note === undefined ? '' : ' Your note comes first.';
    void inform(`The fork is paused; the files are as they are.${first}`, {
      title: 'Resume',
      run: () => answered(true, core.resume(result)),
    });
    return result;
  }
}
