/** The thin bar over the run view while a stop settles or the world is looked at. */
import { window } from 'vscode';
import { Disposable } from '../vscode/disposable';
import { VIEWS } from '../vscode/ids';
import type { Ui } from './context';

export class ViewProgress extends Disposable {
  private end: (() => void) | undefined;

  constructor(ui: Ui) {
    super();
    const follow = (): void => {
      const status = ui.watch.state?.status;
      const busy = status === 'stopping' || status === 'reconciling';
      if (busy && !this.end) {
        const settled = new Promise<void>((resolve) => (this.end = resolve));
        void window.withProgress({ location: { viewId: VIEWS.run } }, () => settled);
      }
      if (!busy) this.stop();
    };
    this._register(ui.watch.onDidChange(follow));
    this._register({ dispose: () => this.stop() });
    follow();
  }

  private stop(): void {
    this.end?.();
    this.end = undefined;
  }
}
