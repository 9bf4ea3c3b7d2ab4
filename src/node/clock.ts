/** Real time, and real time that a test can move. */
import type { Clock } from '../core/ports';

/** Longest delay `setTimeout` takes; a longer one fires at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Wall clock and timers of the system. Sleeping does not follow changes of the wall clock. */
export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => new ShiftedClock().sleep(ms, signal),
};

/**
 * Real time plus an offset. Moved forward, everything that sleeps is looked at again and wakes if its time has come;
 * moved back, only `now()` changes, as with a system whose wall clock is set back.
 */
export class ShiftedClock implements Clock {
  private offset = 0;
  private skipped = 0;
  private readonly sleepers = new Set<() => void>();

  now(): number {
    return Date.now() + this.offset;
  }

  advance(ms: number): void {
    this.offset += ms;
    if (ms > 0) this.skipped += ms;
    for (const look of [...this.sleepers]) look();
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    const due = this.elapsed() + ms;
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        this.sleepers.delete(look);
        signal.removeEventListener('abort', stop);
        settle();
      };
      const stop = (): void => end(() => reject(asError(signal.reason)));
      const look = (): void => {
        clearTimeout(timer);
        const left = due - this.elapsed();
        if (left <= 0) end(resolve);
        else timer = setTimeout(look, Math.min(Math.ceil(left), LONGEST_MS));
      };
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop);
      this.sleepers.add(look);
      look();
    });
  }

  /** Monotonic, so that a wall clock set back does not lengthen a sleep. */
  private elapsed(): number {
    return performance.now() + this.skipped;
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
