/**
 * Who may go on next. Everything the simulated world does waits for its turn, so a test can let it go on piece by piece, step
 * in between any two of them, or drop all of it: that is the process dying.
 */
import type { Random } from './random';

/**
 * All that can run without the world has run: a tick asked for among promises comes when no promise is left to go on. The world
 * needs no real input or timer, so the event loop, which costs several times as much, is not gone round.
 */
export const quiet = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

export class Turns {
  private waiting: (() => void)[] = [];

  constructor(private readonly random: Random) {}

  /** Settles when it is this caller's turn; never, where the world crashes before. */
  take(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Gives one turn at once, to any of those that wait; false: nobody waits. Ask only when all is `quiet`. */
  give(): boolean {
    const { waiting } = this;
    if (waiting.length === 0) return false;
    const n = waiting.length === 1 ? 0 : this.random.below(waiting.length);
    const next = waiting[n];
    waiting.splice(n, 1);
    next?.();
    return true;
  }

  /** As `give`, with quiet before and after. */
  async step(): Promise<boolean> {
    await quiet();
    if (!this.give()) return false;
    await quiet();
    return true;
  }

  /** Nobody who waits now will ever go on. */
  drop(): void {
    this.waiting = [];
  }
}
