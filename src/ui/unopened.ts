/** A storage that does not open: nothing runs here, and it is said why. */
import { commands } from 'vscode';
import type { HoldfastCore } from '../core/api';
import type { Log } from '../core/ports';
import { emptyCore } from './guard';
import { complain, refusal, SHOW_LOG } from './messages';

/** The core did not open: said once, and every command says it again. */
export function unopened(log: Log, error: unknown): HoldfastCore {
  log.error('the storage of this workspace did not open', error);
  const message = 'Holdfast could not open its storage in this workspace: see the log, then reload the window.';
  void complain(message, SHOW_LOG, {
    title: 'Reload Window',
    run: () => commands.executeCommand('workbench.action.reloadWindow'),
  });
  const why = refusal('storage', message);
  return emptyCore(why, why);
}
