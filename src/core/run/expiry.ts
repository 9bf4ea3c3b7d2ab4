/** Approvals expire by themselves: the alarm for the one that is next. */
import type { Clock } from '../ports';
import { isFinal, type RunState } from './state';
import { pendingDecisions } from './update';

export class Expiry {
  private waiting: AbortController | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly due: (decisionId: string) => void,
  ) {}

  /** Set anew with each state: what is answered rings no more. */
  watch(state: RunState): void {
    this.stop();
    const next = pendingDecisions(state)
      .filter((d) => d.expiresAt !== undefined)
      .sort((a, b) => (a.expiresAt ?? 0) - (b.expiresAt ?? 0))[0];
    if (next?.expiresAt === undefined || isFinal(state.status)) return;
    const waiting = new AbortController();
    this.waiting = waiting;
    this.clock.sleep(Math.max(0, next.expiresAt - this.clock.now()), waiting.signal).then(
      () => this.due(next.id),
      () => undefined,
    );
  }

  stop(): void {
    this.waiting?.abort();
    this.waiting = undefined;
  }
}
