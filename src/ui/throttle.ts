import type { Disposes } from '../vscode/disposable';

/** Runs `work` at once and then at most every `ms`; the last call is never lost. */
export class Throttle implements Disposes {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = -Infinity;

  constructor(
    private readonly ms: number,
    private readonly work: () => void,
  ) {}

  call(): void {
    if (this.timer !== undefined) return;
    const wait = this.last + this.ms - Date.now();
    if (wait <= 0) this.run();
    else this.timer = setTimeout(() => this.run(), wait);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private run(): void {
    this.timer = undefined;
    this.last = Date.now();
    this.work();
  }
}
