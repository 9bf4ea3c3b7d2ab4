/** The runs of another window, shown live and read-only. What is stored is read again when it has changed; nothing is written. */
import type { Holder, LeaseOwner } from './lease';
import type { Ports } from './ports';
import { loadFolded, summarize } from './run/load';
import { isActive, isWaiting, type RunState, type RunSummary } from './run/state';

const EVERY_MS = 1000;

export class Follower {
  private readonly states = new Map<string, RunState>();
  private readonly stamps = new Map<string, string>();
  private readonly stopping = new AbortController();
  private working: Promise<void> | undefined;

  /** As of the last look. */
  holder: Holder;

  constructor(
    private readonly ports: Ports,
    owner: LeaseOwner,
    private readonly hears: { listed(runs: readonly RunSummary[]): void; changed(state: RunState): void },
  ) {
    this.holder = { pid: owner.pid, host: owner.host, gone: false };
  }

  start(): void {
    this.working ??= this.follow();
  }

  get(runId: string): RunState | undefined {
    return this.states.get(runId);
  }

  /** Read now, whatever was known of it. */
  async load(runId: string): Promise<RunState | undefined> {
    const state = (await loadFolded(this.ports.store, runId))?.state;
    if (state) this.states.set(runId, state);
    return state;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.working;
  }

  private async follow(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      await this.look().catch((error: unknown) =>
        this.ports.log.warn(`what another window does cannot be read: ${String(error)}`),
      );
      await this.ports.clock.sleep(EVERY_MS, signal).catch(() => undefined);
    }
  }

  /** Whoever holds it may close, and another window may take it: what is shown of each run says so. */
  private async lookAtHolder(): Promise<void> {
    const owner = await this.ports.lease?.other();
    const { pid, host, gone } = this.holder;
    const now: Holder = owner ? { pid: owner.pid, host: owner.host, gone: false } : { pid, host, gone: true };
    if (this.stopping.signal.aborted || (now.pid === pid && now.host === host && now.gone === gone)) return;
    this.holder = now;
    for (const state of this.states.values()) this.hears.changed(state);
  }

  private async look(): Promise<void> {
    await this.lookAtHolder();
    const runs = await this.ports.store.list(true);
    if (this.stopping.signal.aborted) return;
    this.hears.listed(runs);
    const newest = [...runs].sort((a, b) => (a.runId < b.runId ? 1 : -1))[0]?.runId;
    for (const { runId, status, live } of runs) {
      if (runId !== newest && !live && !isActive(status) && !isWaiting(status) && !this.states.has(runId)) continue;
      const stamp = (await this.ports.lease?.stamp(runId)) ?? '';
      if (stamp === this.stamps.get(runId)) continue;
      const before = this.states.get(runId);
      const state = await this.load(runId);
      if (this.stopping.signal.aborted) return;
      this.stamps.set(runId, stamp);
      if (!state || state.seq === before?.seq) continue;
      this.hears.listed([summarize(state)]);
      this.hears.changed(state);
    }
  }
}
