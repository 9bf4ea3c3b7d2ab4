/** Time that passes only when the test says so. */
import type { Clock } from '../../src/core/ports';
import type { Turns } from './turns';

interface Timer {
  due: number;
  ring(): void;
}

export class SimClock implements Clock {
  private time = 1_700_000_000_000;
  private timers: Timer[] = [];
  private skew = 0;

  constructor(private readonly turns: Turns) {}

  now(): number {
    return this.time + this.skew;
  }

  /** Somebody sets it back; what sleeps is not woken later for that. */
  setBack(ms: number): void {
    this.skew -= ms;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (ms <= 0) {
      await this.turns.take();
      signal.throwIfAborted();
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer: Timer = { due: this.time + ms, ring: resolve };
      this.timers.push(timer);
      const stop = (): void => {
        this.timers = this.timers.filter((t) => t !== timer);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', stop, { once: true });
    });
  }

  /** For what is no part of the host: programs, other people. */
  after(ms: number, ring: () => void): void {
    this.timers.push({ due: this.time + ms, ring });
  }

  /** How long until something rings; undefined: nothing will. */
  next(): number | undefined {
    return this.timers.length === 0 ? undefined : Math.min(...this.timers.map((t) => t.due)) - this.time;
  }

  advance(ms: number): void {
    this.time += ms;
    const due = this.timers.filter((t) => t.due <= this.time).sort((a, b) => a.due - b.due);
    this.timers = this.timers.filter((t) => t.due > this.time);
    for (const timer of due) timer.ring();
  }

  /** Nobody who sleeps now wakes again. */
  drop(): void {
    this.timers = [];
  }
}
