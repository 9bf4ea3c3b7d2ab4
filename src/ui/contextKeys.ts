import { compensable, mayCompensate } from '../core/run/compensable';
import { livingCommands } from '../core/run/kill';
import { isFinal } from '../core/run/state';
import { Disposable } from '../vscode/disposable';
import { ContextKeys } from '../vscode/register';
import type { Ui } from './context';

/** Keeps VS Code's context keys at what the current run is; views, menus and keys are bound to them. */
export class RunContextKeys extends Disposable {
  private readonly keys = new ContextKeys();

  constructor(private readonly ui: Ui) {
    super();
    this._register(ui.watch.onDidChange(() => this.set()));
    this.set();
  }

  private set(): void {
    const state = this.ui.watch.state;
    // Of a run of another window nothing applies here, but to go on with it.
    const held = this.ui.core.heldBy() !== undefined;
    this.keys.set('holdfast.status', held ? 'elsewhere' : (state?.status ?? 'none'));
    this.keys.set('holdfast.control', !state || held || isFinal(state.status) ? 'none' : state.control);
    // One that has ended is read when somebody looks; it is there before.
    this.keys.set('holdfast.hasRun', state !== undefined || this.ui.core.runs().length > 0);
    this.keys.set('holdfast.needsHuman', !held && (state?.decisions.some((d) => d.state === 'pending') ?? false));
    this.keys.set('holdfast.hasCommand', !held && state !== undefined && livingCommands(state).length > 0);
    this.keys.set(
      'holdfast.canUndo',
      !held && state !== undefined && mayCompensate(state) && compensable(state).length > 0,
    );
    this.keys.set('holdfast.undoing', !held && Boolean(state?.compensating));
  }
}
