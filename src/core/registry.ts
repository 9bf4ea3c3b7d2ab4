/** The runs that are known: their index, those that are open, who holds control, and who waits for what. */
import type { Refusal } from './errors';
import type { RunSize } from './checkpoints/retention';
import { Follower } from './follow';
import { KnownRuns } from './knownRuns';
import { HELD, type Holder, type LeaseOwner } from './lease';
import { settleRestores } from './checkpoints/settle';
import type { Ports } from './ports';
import { NO_FOLDER, NO_RUN, refuse, undoingIn } from './refusals';
import { RunController } from './run/controller';
import { livesOn } from './run/flow';
import { loadFolded } from './run/load';
import { settleAfterCrash } from './run/settle';

import { isActive, isWaiting, isFinal, type RunState, type RunSummary } from './run/state';

export type Target = { runId?: string } | undefined;

/** A resume or hand back on its way to its run. */
export interface Preparing {
  runId: string | undefined;
  /** A stop came meanwhile: the last word of the human counts. */
  overtaken: boolean;
}

export class RunRegistry {
  private readonly runsById = new Map<string, RunController>();
  private readonly opening = new Map<string, Promise<RunController | undefined>>();
  private readonly index: KnownRuns;
  private readonly listeners = new Set<(state: RunState) => void>();
  closed = false;
  private readonly waiting = new Set<(closed: RunController) => void>();
  /** Taking control is one at a time: who comes second sees what the first has done. */
  private turn: Promise<unknown> = Promise.resolve();
  /** Going on is asked for and not folded yet: a stop that comes now overtakes it. */
  private readonly preparing = new Set<Preparing>();
  private starting: Promise<unknown> | undefined;

  private follower: Follower | undefined;
  private takingHere: Promise<Refusal | undefined> | undefined;

  constructor(readonly ports: Ports) {
    this.index = new KnownRuns(ports);
  }

  async open(): Promise<void> {
    if (this.ports.files.roots().length === 0) return;
    const stored = await this.ports.store.list(true);
    for (const summary of stored) this.index.remember(summary);
    // nothing is written before there is a run
    const owner = stored.length > 0 ? await this.ports.lease?.take() : await this.ports.lease?.other();
    if (owner) {
      this.follow(owner);
      return;
    }
    // Only what lost its process, or waits for an answer, is read now; the rest when it is wanted.
    for (const summary of this.index.all()) {
      if (!summary.live && !isActive(summary.status) && !isWaiting(summary.status)) continue;
      // One run that cannot be read keeps no other from being offered.
      await this.controller(summary.runId).catch((error: unknown) =>
        this.ports.log.error(`the run ${summary.runId} cannot be read`, error),
      );
    }
  }

  /** Another window has control: its runs are shown, and nothing of them is changed. */
  get following(): boolean {
    return this.follower !== undefined;
  }

  /** undefined: this window has control, or nobody has. */
  get holder(): Holder | undefined {
    return this.follower?.holder;
  }

  private follow(owner: LeaseOwner): void {
    const listed = (runs: readonly RunSummary[]): void => runs.forEach((run) => this.index.remember(run));
    this.follower = new Follower(this.ports, owner, { listed, changed: this.tell });
    this.follower.start();
  }

  /** Takes control of the storage where nobody who lives has it. */
  takeHere(): Promise<Refusal | undefined> {
    this.takingHere ??= this.takeNow().finally(() => (this.takingHere = undefined));
    return this.takingHere;
  }

  private async takeNow(): Promise<Refusal | undefined> {
    const owner = await this.ports.lease?.take();
    if (owner) {
      if (!this.follower) this.follow(owner);
      return refuse('elsewhere', HELD(owner));
    }
    const { follower } = this;
    if (!follower) return undefined;
    await follower.stop();
    this.follower = undefined;
    await this.open();
    return undefined;
  }

  readonly changed = (state: RunState): void => {
    this.index.changed(state, this.runsById.get(state.runId)?.durable ?? true);
    this.tell(state);
  };

  private readonly tell = (state: RunState): void => {
    for (const listener of [...this.listeners]) {
      try {
        listener(state);
      } catch (error) {
        this.ports.log.error('a listener failed', error);
      }
    }
  };

  /** What the index says now is on disk, or its failure was logged. */
  indexWritten(): Promise<void> {
    return this.index.isWritten();
  }

  /** The state of a stored run. */
  async stateOf(runId: string): Promise<RunState | undefined> {
    return this.follower ? this.follower.load(runId) : (await this.controller(runId))?.state;
  }

  /** Opens a stored run; what lost its process is settled first and offered, never restarted. */
  controller(runId: string): Promise<RunController | undefined> {
    const known = this.runsById.get(runId);
    if (known) return Promise.resolve(known);
    const before = this.opening.get(runId);
    if (before) return before;
    const work = this.reopen(runId).finally(() => this.opening.delete(runId));
    this.opening.set(runId, work);
    return work;
  }

  private async reopen(runId: string): Promise<RunController | undefined> {
    const loaded = await loadFolded(this.ports.store, runId);
    for (const damage of loaded?.damage ?? []) this.ports.log.warn(`${runId}: ${damage}`);
    const state = loaded?.state;
    if (!state) return undefined;
    const controller = new RunController(this.ports, await this.ports.store.open(runId), state, this.changed);
    this.runsById.set(runId, controller);
    if (isActive(state.status)) {
      const found = await settleAfterCrash(this.ports, state);
      await controller.dispatch({ type: 'interrupted', ...found });
    } else if (needsSettling(state)) {
      const found = await settleAfterCrash(this.ports, state);
      await controller.dispatch({ type: 'reopened', ...found });
    }
    for (const event of await settleRestores(this.ports, controller.state)) await controller.dispatch(event);
    this.changed(controller.state);
    return controller;
  }

  currentId(): string | undefined {
    return this.index.currentId();
  }

  async target(target: Target): Promise<RunController | Refusal> {
    if (this.ports.files.roots().length === 0) return refuse('noFolder', NO_FOLDER);
    if (this.closed) return refuse('noRun', 'Holdfast is closing.');
    const elsewhere = this.follower && (await this.takeHere());
    if (elsewhere) return elsewhere;
    const runId = this.idOf(target);
    const controller = runId !== undefined ? await this.readable(runId) : undefined;
    if (!controller) return refuse('noRun', NO_RUN);
    return controller;
  }

  private async readable(runId: string): Promise<RunController | undefined> {
    try {
      return await this.controller(runId);
    } catch (error) {
      this.ports.log.error(`the run ${runId} cannot be read`, error);
      return undefined;
    }
  }

  /** One run at a time may hold control. */
  busy(except?: string): Refusal | undefined {
    const isBusy = ({ status, runId, compensating }: RunState): boolean =>
      runId !== except && (isActive(status) || isWaiting(status) || Boolean(compensating));
    const other = [...this.runsById.values()].find((run) => isBusy(run.state));
    if (!other) return undefined;
    const { goal, compensating } = other.state;
    // It may have ended long ago: there is nothing to pause or abort.
    if (compensating) return refuse('busy', undoingIn(goal));
    return refuse('busy', `Another run is at work ("${goal}"). Pause or abort it first.`);
  }

  /** Settles with the first state that fits; the present one counts. */
  until(controller: RunController, fits: (state: RunState) => boolean): Promise<RunState> {
    if (fits(controller.state)) return Promise.resolve(controller.state);
    const { runId } = controller.state;
    return new Promise((resolve) => {
      const settle = (state: RunState): void => {
        stop();
        this.waiting.delete(give);
        resolve(state);
      };
      const stop = this.onDidChange((state) => {
        if (state.runId === runId && fits(state)) settle(state);
      });
      // A run that is closed makes no further state: who waits gets the last one.
      const give = (closed: RunController): void => {
        if (closed === controller) settle(controller.state);
      };
      this.waiting.add(give);
    });
  }

  /** One at a time, in the order of asking. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.turn.then(work, work);
    this.turn = next.catch(() => undefined);
    return next;
  }

  /** Notes at once, before anything is waited for, that a run is to go on; `done` when that is folded or refused. */
  prepare(target: Target): { mark: Preparing; done: () => void } {
    const mark: Preparing = { runId: this.idOf(target), overtaken: false };
    this.preparing.add(mark);
    return { mark, done: () => this.preparing.delete(mark) };
  }

  /** A stop was asked for: what is to go on and has not yet, does not. */
  overtake(target: Target): void {
    const runId = this.idOf(target);
    for (const mark of this.preparing) if (mark.runId === runId) mark.overtaken = true;
  }

  /** A run in the making has no id yet: a stop that names none, and finds nothing at work, means that one. */
  started(work: Promise<unknown>): void {
    const over = work.then(
      () => undefined,
      () => undefined,
    );
    this.starting = over;
    void over.then(() => {
      if (this.starting === over) this.starting = undefined;
    });
  }

  /** What such a stop waits for; undefined: nothing is in the making. */
  inTheMaking(target: Target): Promise<unknown> | undefined {
    return target?.runId === undefined && !this.busy() ? this.starting : undefined;
  }

  private idOf(target: Target): string | undefined {
    const runId: unknown = target?.runId ?? this.currentId();
    return typeof runId === 'string' ? runId : undefined;
  }

  add(controller: RunController): void {
    this.runsById.set(controller.state.runId, controller);
  }

  /** The index, newest first. */
  summaries(): RunSummary[] {
    return this.index.sorted();
  }

  known(runId: string): RunState | undefined {
    return this.runsById.get(runId)?.state ?? this.follower?.get(runId);
  }

  onDidChange(listener: (state: RunState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** What the storage says of its runs. */
  measured(sizes: ReadonlyMap<string, RunSize>, pinned: ReadonlySet<string>): void {
    for (const [runId, size] of sizes) this.index.restate(runId, { size, pinned: pinned.has(runId) });
  }

  pinned({ state }: RunController, pinned: boolean): void {
    this.index.restate(state.runId, { pinned });
    this.changed(state);
  }

  /** An old run goes; false: it is at work, shown, or gone already. */
  removeOld(runId: string): Promise<boolean> {
    return this.inTurn(async () => {
      const summary = this.index.get(runId);
      const open = this.runsById.get(runId) ?? (await this.opening.get(runId));
      if (
        this.closed ||
        !summary ||
        !isFinal(summary.status) ||
        (open && (!isFinal(open.state.status) || open.state.compensating))
      )
        return false;
      if (runId === this.currentId()) return false;
      if (open) await this.remove(open);
      else await this.forget(runId);
      return true;
    });
  }

  /** Closes a run and forgets it; its storage goes too. */
  async remove(run: RunController): Promise<void> {
    const { runId } = run.state;
    await run.close();
    this.release(run);
    this.runsById.delete(runId);
    await this.forget(runId);
  }

  private async forget(runId: string): Promise<void> {
    this.index.forget(runId);
    await this.index.isWritten();
    await this.ports.store.remove(runId);
  }

  private release(closed: RunController): void {
    for (const give of [...this.waiting]) give(closed);
  }

  /** The host closes: nothing is opened or started any more. */
  async close(): Promise<void> {
    this.closed = true;
    await this.follower?.stop();
    const open = [...this.runsById.values()];
    await Promise.all(open.map((run) => run.close()));
    for (const run of open) this.release(run);
    await this.index.isWritten();
    await this.ports.lease?.release();
    this.listeners.clear();
  }
}

/** Something of it may have died with its host, or its question was asked before the world moved on. */
const needsSettling = (s: RunState): boolean =>
  s.frozen !== null || s.inFlight !== null || livesOn(s) || s.unstored !== undefined || isWaiting(s.status);
