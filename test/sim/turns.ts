/**
 * Who may go on next. Everything the simulated world does waits for its turn, so a test can let it go on piece by piece, step
 * in between any two of them, or drop all of it: that is the process dying.
 */
import type { Random } from './random';

/** All that can run without the world has run. */
export const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class Turns {
  private waiting: (() => void)[] = [];

  constructor(private readonly random: Random) {}

  /** Settles when it is this caller's turn; never, where the world crashes before. */
  take(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Gives one turn, to any of those that wait; false: nobody waits. */
  async step(): Promise<boolean> {
    await quiet();
    if (this.waiting.length === 0) return false;
    const [next] = this.waiting.splice(this.random.below(this.waiting.length), 1);
    next?.();
    await quiet();
    return true;
  }

  /** Nobody who waits now will ever go on. */
  drop(): void {
    this.waiting = [];
  }
}
