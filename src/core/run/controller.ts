/**
 * The loop of one run: folds events into the state, makes them durable, and performs what `transition` asks for.
 * Intents are on disk before effects, results after; what is shown is what is stored.
 */
import { Snapshots } from '../checkpoints/snapshots';
import { StorageError } from '../errors';
import type { JournalRecord, Model, Ports, RunStore } from '../ports';
import { observe } from '../reconcile/observe';
import { CommandWatch } from '../reconcile/commandWatch';
import { takeSide } from '../reconcile/takeSide';
import { check } from './check';
import type { Command } from './command';
import type { Effect, RunEvent } from './events';
import { endBackground, endFrozen, killBackground, killCommand } from './endings';
import { Expiry } from './expiry';
import { GUARDS, haltedBy, needsSync, STOPPING } from './durability';
import { executeStep, type StepHost } from './execute';
import { firstLook } from './firstLook';
import { FlightHost, leave } from './flightHost';
import { givenUp } from './giveUp';
import { limitReached } from './limits';
import { Requests } from './prompt';
import { Repositories } from './repositories';
import { RunServers } from './servers';
import { talk } from './talk';
import { thaw } from './thaw';
import { RunJournal } from './journal';
import { mistaken, over } from './over';
import { isActive, isFinal, type RunState } from './state';
import { transition } from './transition';
import { stepOf } from './update';

/** What is in flight now, and how a stop reaches it. */
export interface Flight {
  abort: AbortController;
  /** Set for commands, which can be frozen; everything else hears the signal. */
  interrupt?: (how: 'pause' | 'end' | 'force') => void;
  /** A force stop has given it up: what it still says is late, and its right to have an effect is gone. */
  givenUp?: boolean;
}

/** The states before and after what was folded as one. */
interface Folded {
  before: RunState;
  after: RunState;
}

/** Where a run uses up what `holdfast.limits` counts. */
const LIMITED: ReadonlySet<Effect['type']> = new Set(['askModel', 'runStep']);

export class RunController implements StepHost {
  private tail: Promise<void> = Promise.resolve();
  private flight: Flight | undefined;
  private readonly commands = new Map<string, { command: Command; flight: Flight }>();
  private readonly journal: RunJournal;
  private model: Model | undefined;
  private readonly requests = new Requests();
  private readonly expiry: Expiry;
  private readonly snapshots: Snapshots;
  readonly servers = new RunServers(this);
  closed = false;
  private closing = false;
  private readonly repositories = new Repositories(this);
  readonly watch: CommandWatch;

  constructor(
    readonly ports: Ports,
    store: RunStore,
    private current: RunState,
    private readonly changed: (state: RunState) => void,
  ) {
    this.snapshots = new Snapshots(store, ports.log);
    this.journal = new RunJournal(ports, store);
    this.expiry = new Expiry(ports.clock, (decisionId) => void this.dispatch({ type: 'decisionExpired', decisionId }));
    this.watch = new CommandWatch(ports);
  }

  get state(): RunState {
    return this.current;
  }

  /** false: what is shown is not on disk yet. */
  get durable(): boolean {
    return this.journal.durable;
  }

  /** Makes the first record of a new run. */
  static async begin(
    ports: Ports,
    store: RunStore,
    event: Extract<RunEvent, { type: 'runStarted' | 'runForked' }>,
    runs: { add: (controller: RunController) => void; changed: (state: RunState) => void },
  ): Promise<void> {
    const record: JournalRecord = { seq: 1, at: ports.clock.now(), event };
    const { state, effects } = transition(undefined, record);
    await store.append([record], { sync: true, boundary: false });
    const controller = new RunController(ports, store, state, runs.changed);
    runs.add(controller); // before anybody is told: who is told looks it up
    runs.changed(state);
    for (const effect of effects) controller.perform(effect);
  }

  /**
   * Folds events in as one durable unit. Rejects only for `effectRequested` and `restoreRequested` that could not be made
   * durable: then nothing was folded and the effect must not start.
   */
  dispatch(...events: RunEvent[]): Promise<void> {
    const work = this.tail.then(async () => void (await this.fold(events)));
    this.tail = work.catch(() => undefined);
    return work;
  }

  /**
   * As `dispatch`, for words of the human: folded only when they are on disk. undefined: they are not, nothing was taken.
   */
  offer(event: RunEvent): Promise<Folded | undefined> {
    const work = this.tail.then(() => this.fold([event], true));
    this.tail = work.then(
      () => undefined,
      () => undefined,
    );
    return work;
  }

  private draft(events: readonly RunEvent[]): { state: RunState; records: JournalRecord[]; effects: Effect[] } {
    let state = this.current;
    const records: JournalRecord[] = [];
    const effects: Effect[] = [];
    for (const event of events) {
      const record: JournalRecord = { seq: state.seq + 1, at: this.ports.clock.now(), event };
      const next = transition(state, record);
      state = next.state;
      records.push(record);
      effects.push(...next.effects);
    }
    return { state, records, effects };
  }

  private async fold(events: readonly RunEvent[], offered = false): Promise<Folded | undefined> {
    if (this.closed) return undefined;
    try {
      await this.catchUp();
      const before = this.current;
      if (events.length === 0) return { before, after: before };
      const { state, records, effects } = this.draft(events);
      const { status } = before;
      const boundary = events.some((event) => event.type === 'stepEnded');
      const sync = (state.status !== status && state.status !== 'stopping') || events.some(needsSync);
      // a stop is heard before it is written: what it stops does not go on for as long as a disk takes
      for (const effect of effects) if (effect.type === 'interrupt') this.interrupt(effect.how);
      await this.journal.append(records, { sync, boundary });
      this.show(state);
      if (isFinal(state.status) && !isFinal(status)) void this.ports.tree?.forget(state.runId);
      const looking = boundary ? this.repositories.find() : undefined;
      if (looking) await looking;
      for (const effect of effects) if (effect.type !== 'interrupt') this.perform(effect);
      if (boundary || state.status !== status) this.snapshots.consider(state);
      return { before, after: state };
    } catch (error) {
      this.foldUnstored(error, events, offered);
      return undefined;
    }
  }

  /** What could not be written before goes first; rejects while it still cannot. */
  private async catchUp(): Promise<void> {
    if (this.journal.durable) return;
    const { state, records } = this.draft([{ type: 'stored' }]);
    await this.journal.append(records, { sync: true, boundary: false });
    this.show(state);
  }

  /** State cannot be made durable: stops reach what is at work, nothing else starts, and the reason is said. */
  private foldUnstored(error: unknown, events: readonly RunEvent[], offered: boolean): void {
    const words = error instanceof Error ? error.message : String(error);
    this.ports.log.error('the journal cannot be written', error);
    if (events.some((event) => GUARDS.has(event.type))) throw new StorageError(words);
    const taken = offered ? [] : events;
    const atWork = (s: RunState): boolean => isActive(s.status) && !s.stopping;
    if (taken.length === 0 && !atWork(this.current)) return;
    const all: RunEvent[] = [{ type: 'unstored', text: words }, ...taken];
    let next = this.draft(all);
    if (atWork(next.state)) next = this.draft([...all, haltedBy(new StorageError(words))]);
    this.journal.keep(next.records, () => this.dispatch());
    this.show(next.state);
    if (next.state.inFlight === null) {
      this.flight?.abort.abort();
      leave(this.flight, this.commands.values());
    }
    for (const effect of next.effects) if (STOPPING.has(effect.type)) this.perform(effect);
  }

  private show(state: RunState): void {
    this.current = state;
    this.expiry.watch(state);
    this.changed(state);
    // An abort has ended them already, before its status; what the human asks of an ended run may need them once more.
    if (isFinal(state.status) && state.inFlight === null && state.servers?.length)
      void this.servers.end(this.ports.settings.stopGraceMs());
  }

  // ------------------------------------------------------------ effects

  private perform(effect: Effect): void {
    if (effect.type === 'interrupt') {
      this.interrupt(effect.how);
      return;
    }
    if (this.closing) return;
    const limit = LIMITED.has(effect.type) ? limitReached(this.current, this.ports.settings.limits()) : undefined;
    if (limit !== undefined) {
      void this.dispatch(
        { type: 'halted', code: 'limit', text: limit },
        ...over(effect, 'a limit of the run is reached'),
      );
      return;
    }
    const work = this.start(effect);
    work.catch((error: unknown) => {
      this.ports.log.error(`${effect.type} failed`, error);
      const words = error instanceof Error ? error.message : String(error);
      if (error instanceof StorageError) {
        // A stop that waits for it hears that it is over, without any effect.
        void this.dispatch(haltedBy(error), ...over(effect, words));
      } else {
        void this.dispatch(mistaken(effect, words));
      }
    });
  }

  private async start(effect: Exclude<Effect, { type: 'interrupt' }>): Promise<void> {
    switch (effect.type) {
      case 'prepare':
        return this.prepare(effect.files);
      case 'askModel':
        return this.askModel(effect.requestId);
      case 'waitRetry':
        return this.waitRetry(effect.until);
      case 'runStep':
        return this.inFlight((flight) => executeStep(new FlightHost(this, flight), effect.stepId, flight));
      case 'compensate':
        return this.inFlight(async (flight) => {
          await this.servers.again();
          await executeStep(new FlightHost(this, flight), effect.stepId, flight);
        });
      case 'reconcile':
        return this.reconcile();
      case 'thaw': {
        const kept = this.commands.get(effect.stepId);
        this.flight = kept?.flight;
        return kept && thaw(this, effect.stepId, kept);
      }
      case 'endFrozen':
        this.flight = this.commands.get(effect.stepId)?.flight;
        return endFrozen(this, effect.stepId);
      case 'checkEffect':
        return this.inFlight(async (flight) => {
          await this.servers.again();
          const step = stepOf(this.current, effect.stepId);
          const found = await check(this.ports, this.servers, step, flight.abort.signal);
          await new FlightHost(this, flight).dispatch({
            type: 'effectChecked',
            decisionId: effect.decisionId,
            ...found,
          });
        });
      case 'takeSide':
        return this.inFlight((flight) => takeSide(new FlightHost(this, flight), effect, flight.abort.signal));
      case 'endBackground':
        return endBackground(this);
      case 'killCommand':
        return killCommand(this, effect.stepId);
    }
  }

  private async inFlight(work: (flight: Flight) => Promise<void>): Promise<void> {
    const flight: Flight = { abort: new AbortController() };
    this.flight = flight;
    await work(flight);
    if (this.flight === flight) this.flight = undefined;
  }

  private interrupt(how: 'pause' | 'end' | 'force'): void {
    const { inFlight } = this.current;
    // A kept (frozen) command is reached through its own flight, whatever flew last.
    const kept = inFlight?.kind === 'step' ? this.commands.get(inFlight.stepId) : undefined;
    const flight = kept?.flight ?? this.flight;
    this.flight?.abort.abort();
    flight?.abort.abort();
    flight?.interrupt?.(how);
    if (how !== 'force') return;
    if (inFlight?.kind === 'endBackground') killBackground(this);
    // What does not hear the signal is given up; whatever it still answers is late and changes nothing.
    if (!inFlight || flight?.interrupt) return;
    if (flight) flight.givenUp = true;
    const over = givenUp(inFlight);
    if (over) void this.dispatch(over);
  }

  private prepare(files: readonly string[]): Promise<void> {
    this.watch.begin(this.current.runId);
    return this.inFlight(async (flight) => {
      const { signal } = flight.abort;
      const found = await firstLook(this.ports, this.current, files, signal);
      // Cut, it has not seen all: it is made anew when the run goes on.
      await new FlightHost(this, flight).dispatch(
        signal.aborted ? { type: 'prepareCut' } : { type: 'prepared', ...found },
      );
    });
  }

  private askModel(requestId: string): Promise<void> {
    return this.inFlight(async (flight) => {
      if (!this.model) {
        const opened = await this.ports.models.open(this.current.engine);
        if ('error' in opened) {
          await this.dispatch({ type: 'modelFailed', requestId, error: opened.error });
          return;
        }
        this.model = opened;
      }
      const { signal } = flight.abort;
      const specs = this.model.info.fixed ? [] : await this.servers.specs(signal);
      await talk(
        this,
        this.model,
        this.requests.next(this.current, requestId, this.ports.processes.shell, specs),
        signal,
      );
    });
  }

  private waitRetry(until: number): Promise<void> {
    return this.inFlight(async (flight) => {
      const left = Math.max(0, until - this.ports.clock.now());
      const due = await this.ports.clock.sleep(left, flight.abort.signal).then(
        () => true,
        () => false,
      );
      await new FlightHost(this, flight).dispatch({ type: due ? 'retryDue' : 'retryCut' });
    });
  }

  private reconcile(): Promise<void> {
    return this.inFlight(async (flight) => {
      const { signal } = flight.abort;
      // Given up by a force stop, it has no word any more: another one may be in flight by now.
      const host = new FlightHost(this, flight);
      try {
        const seen = await observe(this.ports, this.current, this.watch, signal);
        await this.ports.probe.at('reconcile:beforeApply', 0);
        signal.throwIfAborted();
        await host.dispatch({ type: 'reconciled', ...seen });
        if (!flight.givenUp) this.watch.told();
      } catch (error) {
        if (!signal.aborted) throw error;
        await host.dispatch({ type: 'reconcileCut' });
      }
    });
  }

  // ------------------------------------------------------------ for steps

  /** A frozen command outlives other flights: its own comes back with its thaw. */
  keepCommand(stepId: string, command: Command, flight: Flight): void {
    this.commands.set(stepId, { command, flight });
  }

  commandOf(stepId: string): Command | undefined {
    return this.commands.get(stepId)?.command;
  }

  dropCommand(stepId: string): void {
    this.commands.delete(stepId);
  }

  /** Everything dispatched until now has been folded. */
  idle(): Promise<void> {
    return this.tail;
  }

  /** The host closes: nothing more is folded; commands are left to the watcher, state is on disk already. */
  async close(): Promise<void> {
    this.closing = true;
    this.expiry.stop();
    this.flight?.abort.abort();
    await this.tail;
    // What a full disk did not take is tried once more; there may be room by now.
    await this.catchUp().catch((error: unknown) => this.ports.log.error('state is lost at the close', error));
    this.closed = true;
    await Promise.all([
      this.servers.end(0),
      ...[...this.commands.values()].map(({ command }) => command.end('stop', 0)),
    ]);
    await this.snapshots.idle();
    await this.journal.close();
  }
}
