/** The facade: commands in, snapshots out. Built the same by the extension and by the host that plays scenarios. */
import type { HoldfastCore, ResumeResult, StartOptions, SteerResult } from './api';
import type { Refusal } from './errors';
import type { Ports } from './ports';
import { FINAL_WORDS, isObjectOrNone, isTextOrNone, NO_FOLDER, refuse } from './refusals';
import { RunController } from './run/controller';
import type { RunEvent } from './run/events';
import { foldLoaded, isActive, isResting, isWaiting, summarize } from './run/load';
import { settleAfterCrash } from './run/settle';
import { isFinal, type Receipt, type RunState, type RunSummary, type StopIntent } from './run/state';
import { pendingDecisions } from './run/update';

type Target = { runId?: string } | undefined;

class Holdfast implements HoldfastCore {
  private readonly runsById = new Map<string, RunController>();
  private readonly opening = new Map<string, Promise<RunController | undefined>>();
  private readonly index = new Map<string, RunSummary>();
  private readonly listeners = new Set<(state: RunState) => void>();
  private closed = false;
  private readonly waiting = new Set<(closed: RunController) => void>();
  private indexWrites: Promise<void> = Promise.resolve();
  /** Taking control is one at a time: who comes second sees what the first has done. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly ports: Ports) {}

  async open(): Promise<void> {
    if (this.ports.files.roots().length === 0) return;
    for (const summary of await this.ports.store.list()) this.index.set(summary.runId, summary);
    // Only what lost its process, or waits for an answer, is read now; the rest when it is wanted.
    for (const summary of [...this.index.values()]) {
      if (!summary.live && !isActive(summary.status) && !isWaiting(summary.status)) continue;
      // One run that cannot be read keeps no other from being offered.
      await this.controller(summary.runId).catch((error: unknown) =>
        this.ports.log.error(`the run ${summary.runId} cannot be read`, error),
      );
    }
  }

  // ------------------------------------------------------------ runs

  private readonly changed = (state: RunState): void => {
    const summary = summarize(state);
    const old = this.index.get(state.runId);
    this.index.set(state.runId, summary);
    if (!old || old.status !== summary.status || old.live !== summary.live || old.control !== summary.control)
      this.writeIndex(summary);
    for (const listener of [...this.listeners]) {
      try {
        listener(state);
      } catch (error) {
        this.ports.log.error('a listener failed', error);
      }
    }
  };

  /** Derived and rebuilt when lost: a failure is no loss. */
  private writeIndex(summary: RunSummary): void {
    this.indexWrites = this.indexWrites
      .then(() => this.ports.store.updateIndex(summary))
      .catch((error: unknown) => this.ports.log.warn(`the index was not written: ${String(error)}`));
  }

  /** Opens a stored run; what lost its process is settled first and offered, never restarted. */
  private controller(runId: string): Promise<RunController | undefined> {
    const known = this.runsById.get(runId);
    if (known) return Promise.resolve(known);
    const before = this.opening.get(runId);
    if (before) return before;
    const work = this.reopen(runId).finally(() => this.opening.delete(runId));
    this.opening.set(runId, work);
    return work;
  }

  private async reopen(runId: string): Promise<RunController | undefined> {
    const loaded = await this.ports.store.load(runId);
    if (!loaded) return undefined;
    for (const damage of loaded.damage) this.ports.log.warn(`${runId}: ${damage}`);
    const state = foldLoaded(loaded);
    if (!state) return undefined;
    const controller = new RunController(this.ports, await this.ports.store.open(runId), state, this.changed);
    this.runsById.set(runId, controller);
    if (isFinal(state.status)) {
      this.index.set(runId, summarize(state));
    } else if (isActive(state.status)) {
      const found = await settleAfterCrash(this.ports, state);
      await controller.dispatch({ type: 'interrupted', ...found });
    } else if (state.frozen !== null || state.inFlight || state.background.length > 0 || isWaiting(state.status)) {
      const found = await settleAfterCrash(this.ports, state);
      await controller.dispatch({ type: 'reopened', ...found });
    }
    this.changed(controller.state);
    return controller;
  }

  private currentId(): string | undefined {
    const rank = (run: RunSummary): number =>
      isActive(run.status) || isWaiting(run.status) ? 2 : isFinal(run.status) ? 0 : 1;
    // Order by id where times are equal: ids are sorted by creation.
    const newest = (a: RunSummary, b: RunSummary): number => rank(b) - rank(a) || (a.runId < b.runId ? 1 : -1);
    return [...this.index.values()].sort(newest)[0]?.runId;
  }

  private async target(target: Target): Promise<RunController | Refusal> {
    if (this.ports.files.roots().length === 0) return refuse('noFolder', NO_FOLDER);
    if (this.closed) return refuse('noRun', 'Holdfast is closing.');
    const runId: unknown = target?.runId ?? this.currentId();
    const controller = typeof runId === 'string' ? await this.readable(runId) : undefined;
    if (!controller) return refuse('noRun', 'There is no run. Start one with "Holdfast: Start Run".');
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
  private busy(except?: string): Refusal | undefined {
    const isBusy = ({ status, runId }: RunState): boolean =>
      runId !== except && (isActive(status) || isWaiting(status));
    const other = [...this.runsById.values()].find((run) => isBusy(run.state));
    return other && refuse('busy', `Another run is at work ("${other.state.goal}"). Pause or abort it first.`);
  }

  /** Settles with the first state that fits; the present one counts. */
  private until(controller: RunController, fits: (state: RunState) => boolean): Promise<RunState> {
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

  // ------------------------------------------------------------ commands

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.turn.then(work, work);
    this.turn = next.catch(() => undefined);
    return next;
  }

  startRun(options: StartOptions): Promise<{ runId: string } | Refusal> {
    return this.inTurn(() => this.start(options));
  }

  private async start(options: StartOptions): Promise<{ runId: string } | Refusal> {
    const { files, models, ids, store } = this.ports;
    if (files.roots().length === 0) return refuse('noFolder', NO_FOLDER);
    if (this.closed) return refuse('noRun', 'Holdfast is closing.');
    const given: unknown = options;
    if (typeof given !== 'object' || given === null || !isTextOrNone(options.goal) || !isObjectOrNone(options.engine))
      return refuse('badArgument', 'A run needs a goal, as text. Say what is to be done.');
    const busy = this.busy();
    if (busy) return busy;
    const engine = options.engine ?? (await models.defaultRef());
    if ('error' in engine) return refuse('badArgument', engine.error.message);
    const model = await models.open(engine);
    if ('error' in model) return refuse('badArgument', model.error.message);
    const { info } = model;
    const goal = options.goal?.trim() || info.goal?.trim();
    if (!goal) return refuse('badArgument', 'A run needs a goal. Say what is to be done.');
    const runId = ids.run();
    const event: Extract<RunEvent, { type: 'runStarted' }> = {
      type: 'runStarted',
      runId,
      goal,
      engine,
      model: { provider: info.provider, label: info.label, fixed: info.fixed },
      outline: [...info.outline],
      files: [...info.files],
    };
    try {
      this.runsById.set(runId, await RunController.begin(this.ports, await store.open(runId), event, this.changed));
    } catch (error) {
      this.ports.log.error('a run could not be started', error);
      return refuse(
        'storage',
        `The run's state cannot be written (${error instanceof Error ? error.message : String(error)}). Make room, then start again.`,
      );
    }
    return { runId };
  }

  private async stop(target: Target, intent: StopIntent): Promise<Receipt | Refusal> {
    const run = await this.target(target);
    if ('refused' in run) return run;
    const { state } = run;
    if (isFinal(state.status) && !(state.status === 'aborted' && intent === 'abort'))
      return refuse('final', FINAL_WORDS[state.status] ?? '');
    await run.dispatch({ type: 'stopRequested', intent });
    const settled = await this.until(run, (s) => !isActive(s.status) && !isWaiting(s.status));
    if (isFinal(settled.status) && settled.status !== 'aborted')
      return refuse('final', FINAL_WORDS[settled.status] ?? '');
    // Repeating an intent is success: the receipt there is, whichever press made it.
    const receipt = settled.receipts.at(-1);
    return receipt ?? refuse('final', FINAL_WORDS[settled.status] ?? 'The run had already ended.');
  }

  pause(target?: Target): Promise<Receipt | Refusal> {
    return this.stop(target, 'pause');
  }

  abort(target?: Target): Promise<Receipt | Refusal> {
    return this.stop(target, 'abort');
  }

  takeOver(target?: Target): Promise<Receipt | Refusal> {
    return this.stop(target, 'takeOver');
  }

  async forceStop(target?: Target): Promise<Receipt | Refusal> {
    const run = await this.target(target);
    if ('refused' in run) return run;
    if (run.state.status !== 'stopping')
      return refuse('notStopping', 'Nothing is being stopped. Use Pause or Abort first.');
    await run.dispatch({ type: 'forceRequested' });
    const settled = await this.until(run, (s) => !isActive(s.status));
    return settled.receipts.at(-1) ?? refuse('final', 'The run had already ended.');
  }

  private async goOn(target: Target, via: 'resume' | 'handBack', note?: string): Promise<ResumeResult | Refusal> {
    const run = await this.target(target);
    if ('refused' in run) return run;
    const { runId } = run.state;
    const refusal = await this.inTurn(async () => {
      const cannot = this.cannotGoOn(run.state, via) ?? (isResting(run.state.status) ? this.busy(runId) : undefined);
      // Folded before the next one's turn: it sees this run at work.
      if (!cannot) await run.dispatch({ type: 'resumeRequested', via, ...(note ? { note } : {}) });
      return cannot;
    });
    if (refusal) return refusal;
    const settled = await this.until(run, (s) => s.status !== 'reconciling' && s.status !== 'stopping');
    const waiting = isWaiting(settled.status) || settled.status === 'paused';
    return { runId, reconcile: settled.report, waitsFor: waiting ? pendingDecisions(settled).map((d) => d.id) : [] };
  }

  private cannotGoOn({ status }: RunState, via: 'resume' | 'handBack'): Refusal | undefined {
    if (isFinal(status)) return refuse('final', FINAL_WORDS[status] ?? '');
    if (status === 'stopping')
      return refuse('notYet', 'The run is still stopping. Wait for its receipt, or use Force Stop.');
    if (via === 'resume' && status === 'humanControl')
      return refuse('humanControl', 'You have control. Hand Back gives it to the agent.');
    if (via === 'handBack' && status === 'paused')
      return refuse('notHumanControl', 'The run is paused. Resume lets it go on.');
    return undefined;
  }

  resume(target?: Target): Promise<ResumeResult | Refusal> {
    return this.goOn(target, 'resume');
  }

  handBack(target?: { runId?: string; note?: string }): Promise<ResumeResult | Refusal> {
    return this.goOn(target, 'handBack', target?.note);
  }

  async steer(note: { runId?: string; text: string; now?: boolean }): Promise<SteerResult | Refusal> {
    const run = await this.target(note);
    if ('refused' in run) return run;
    if (typeof note?.text !== 'string' || note.text.trim() === '')
      return refuse('badArgument', 'A steering note needs a text.');
    // The id is that of the fold: dispatch is a queue, so count what it will become there.
    const known = new Set(run.state.notes.map((n) => n.id));
    await run.dispatch({ type: 'noteAdded', text: note.text, now: note.now ?? false });
    const added = run.state.notes.find((n) => !known.has(n.id) && n.text === note.text);
    if (!added) return refuse('storage', 'The note could not be stored. Your text was not taken.');
    return { noteId: added.id, state: added.state };
  }

  async withdrawNote(target: { runId?: string; noteId: string }): Promise<SteerResult | Refusal> {
    if (typeof (target as Partial<typeof target> | undefined)?.noteId !== 'string')
      return refuse('badArgument', 'Withdrawing needs the id of a note.');
    const run = await this.target(target);
    if ('refused' in run) return run;
    await run.dispatch({ type: 'noteWithdrawn', noteId: target.noteId });
    const note = run.state.notes.find((n) => n.id === target.noteId);
    if (!note) return refuse('badArgument', 'There is no such note.');
    return { noteId: note.id, state: note.state };
  }

  async decide(answer: { decisionId: string; choice: string; text?: string }): Promise<{ state: string } | Refusal> {
    const { decisionId, choice, text } = (answer as Partial<typeof answer> | undefined) ?? {};
    if (typeof decisionId !== 'string' || typeof choice !== 'string')
      return refuse('badArgument', 'A decision needs its id and a choice.');
    const run = await this.target({ runId: decisionId.slice(0, decisionId.lastIndexOf('/d')) });
    if ('refused' in run) return refuse('noDecision', 'There is no such question.');
    const decision = run.state.decisions.find((d) => d.id === decisionId);
    if (!decision) return refuse('noDecision', 'There is no such question.');
    if (decision.state !== 'pending')
      return refuse('noDecision', `That question is ${decision.state}; nothing was done.`);
    if (choice === 'runAgain' && decision.kind === 'unknownEffect' && isFinal(run.state.status))
      return refuse('badChoice', 'The run is over: nothing of it runs again. Say whether it happened.');
    const step = run.state.steps.find((s) => s.id === decision.stepId);
    const isText = step?.tool === 'write_file' || step?.tool === 'edit_file';
    const named =
      decision.choices.some((c) => c.id === choice) ||
      // Not offered where nothing can be compared; asked for all the same it answers that.
      (decision.kind === 'unknownEffect' && choice === 'check') ||
      (decision.kind === 'approval' && choice === 'edit' && isText && text !== undefined);
    if (!named && !(decision.kind === 'question' && decision.freeText)) {
      return refuse(
        'badChoice',
        `"${choice}" is no answer to that; use one of: ${decision.choices.map((c) => c.id).join(', ')}.`,
      );
    }
    await run.dispatch({ type: 'decisionAnswered', decisionId, choice, ...(text === undefined ? {} : { text }) });
    return { state: run.state.decisions.find((d) => d.id === decisionId)?.state ?? decision.state };
  }

  async deleteRun(target: { runId: string }): Promise<{ deleted: true } | Refusal> {
    if (typeof (target as unknown as Target)?.runId !== 'string')
      return refuse('badArgument', 'Deleting needs the id of a run.');
    const run = await this.target(target);
    if ('refused' in run) return run;
    if (isActive(run.state.status) || isWaiting(run.state.status) || run.state.frozen !== null) {
      return refuse('busy', 'The run is at work. Abort it first.');
    }
    await run.close();
    this.release(run);
    this.runsById.delete(target.runId);
    this.index.delete(target.runId);
    await this.indexWrites;
    await this.ports.store.remove(target.runId);
    return { deleted: true };
  }

  private release(closed: RunController): void {
    for (const give of [...this.waiting]) give(closed);
  }

  // ------------------------------------------------------------ snapshots

  current(): RunState | undefined {
    const id = this.currentId();
    return id === undefined ? undefined : this.runsById.get(id)?.state;
  }

  get(runId: string): RunState | undefined {
    return this.runsById.get(runId)?.state;
  }

  async load(runId: string): Promise<RunState | undefined> {
    return (await this.controller(runId))?.state;
  }

  runs(): readonly RunSummary[] {
    return [...this.index.values()].sort((a, b) => (a.runId < b.runId ? 1 : -1));
  }

  onDidChange(listener: (state: RunState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async settled(runId: string): Promise<RunState> {
    const run = await this.controller(runId);
    if (!run) throw new Error(`no run ${runId}`);
    return this.until(run, (s) => !isActive(s.status));
  }

  content(hash: string): Promise<Uint8Array | undefined> {
    return this.ports.store.blobs.get(hash);
  }

  async dispose(): Promise<void> {
    this.closed = true;
    const open = [...this.runsById.values()];
    await Promise.all(open.map((run) => run.close()));
    for (const run of open) this.release(run);
    await this.indexWrites;
    this.listeners.clear();
  }
}

/** Opens the core on its ports: reads the small index, and settles what an earlier process left in the middle. */
export async function openHoldfast(ports: Ports): Promise<HoldfastCore> {
  const holdfast = new Holdfast(ports);
  await holdfast.open();
  return holdfast;
}
