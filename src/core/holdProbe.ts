/** A probe that a test controls: it arms points, hears when the run stands at one, and lets it go on. */
import type { Probe, ProbePoint } from './probe';

export interface Held {
  point: ProbePoint;
  step: number;
}

interface Arming {
  point: ProbePoint;
  /** undefined: any step. */
  step: number | undefined;
}

interface Waiting extends Held {
  arming: Arming;
  letGo(): void;
}

export class HoldProbe implements Probe {
  private armed: Arming[] = [];
  private waiting: Waiting[] = [];

  /** Called when the run has come to an armed point. */
  onHeld: ((held: Held) => void) | undefined;

  at(point: ProbePoint, step: number): Promise<void> {
    const arming = this.armed.find((a) => a.point === point && (a.step === undefined || a.step === step));
    if (!arming) return Promise.resolve();
    this.armed = this.armed.filter((a) => a !== arming);
    return new Promise<void>((resolve) => {
      this.waiting.push({ point, step, arming, letGo: resolve });
      this.onHeld?.({ point, step });
    });
  }

  /** Holds the next arrival at the point; armed once. Without a step it fits any. */
  hold(point: ProbePoint, step?: number): void {
    this.armed.push({ point, step });
  }

  /** The counterpart of `hold` with the same values: lets go what it holds, or disarms it where nothing came by yet. */
  release(point: ProbePoint, step?: number): void {
    const same = (a: Arming): boolean => a.point === point && a.step === step;
    this.armed = this.armed.filter((a) => !same(a));
    this.letGo((w) => same(w.arming));
  }

  /** Lets go and disarms everything. */
  releaseAll(): void {
    this.armed = [];
    this.letGo(() => true);
  }

  held(): Held[] {
    return this.waiting.map(({ point, step }) => ({ point, step }));
  }

  private letGo(which: (w: Waiting) => boolean): void {
    const free = this.waiting.filter(which);
    this.waiting = this.waiting.filter((w) => !free.includes(w));
    for (const w of free) w.letGo();
  }
}
