/** The status bar item: status, control, step count; a click lists what applies now. */
import { StatusBarAlignment, ThemeColor, window, type StatusBarItem } from 'vscode';
import { Disposable } from '../vscode/disposable';
import type { CommandId } from '../vscode/ids';
import type { Ui } from './context';
import { redrawIn } from './render/retry';
import { inMessage } from './render/words';
import { statusItem } from './statusText';
import { Throttle } from './throttle';

export class StatusBar extends Disposable {
  private readonly item: StatusBarItem = this._register(
    window.createStatusBarItem('holdfast.status', StatusBarAlignment.Left, 50),
  );

  private clock: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ui: Ui) {
    super();
    this.item.name = 'Holdfast';
    this.item.command = 'holdfast.showActions' satisfies CommandId;
    const draw = this._register(new Throttle(200, () => this.draw()));
    this._register(ui.watch.onDidChange(() => draw.call()));
    this._register({ dispose: () => clearTimeout(this.clock) });
    this.draw();
  }

  private draw(): void {
    clearTimeout(this.clock);
    const due = redrawIn(this.ui.watch.state, Date.now());
    if (due !== undefined) this.clock = setTimeout(() => this.draw(), due);
    const state = this.ui.watch.state;
    if (this.ui.blocked() === 'noFolder') return this.item.hide();
    const { text, tooltip, spoken } = statusItem(state, Date.now(), this.ui.core.heldBy());
    // The one colour VS Code has for what waits: it is seen with the side bar closed too.
    const waits = state?.status === 'awaitingApproval' || state?.status === 'needsHuman';
    this.item.backgroundColor = waits ? new ThemeColor('statusBarItem.warningBackground') : undefined;
    this.item.text = text;
    this.item.tooltip = inMessage(tooltip, 400);
    this.item.accessibilityInformation = { label: spoken, role: 'button' };
    this.item.show();
  }
}
