/** Plays one history on a simulated world under the eyes of the oracle, and brings it to its end. */
import { foldLoaded } from '../../../src/core/run/load';
import { isActive, isWaiting, type Decision, isFinal, type RunState } from '../../../src/core/run/state';
import { pendingDecisions, stepOf } from '../../../src/core/run/update';
import { DiskStore } from '../diskStore';
import { quiet } from '../turns';
import { SimWorld, Stuck } from '../world';
import { type Act, at, FILES, lineName, LOG, noteName, PLACES, wordOf } from './acts';
import { AgentBrain } from './agent';
import type { History } from './history';
import { Human } from './human';
import { Oracle } from './oracle';

/** How often the end may have to answer, resume or wait: more than any session has questions. */
const PATIENCE = 80;
/** So that the world does not repeat what the history's own numbers chose. */
const WORLD_SEED = 0x5bd1e995;

/** Everything wrong in one history, one sentence each; a world that gets stuck or throws is wrong too. */
export async function play(history: History, onState?: (state: RunState) => void): Promise<string[]> {
  const session = new Session(history);
  if (onState) session.oracle.onState = onState;
  try {
    await session.begin();
    for (const act of history.acts) {
      await session.do(act);
      if (session.oracle.wrong.length > 0) return session.oracle.wrong;
    }
    await session.end();
  } catch (error) {
    session.oracle.blame(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  return session.oracle.wrong;
}

export class Session {
  readonly world: SimWorld;
  readonly oracle: Oracle;
  private readonly brain = new AgentBrain();
  private readonly human: Human;
  private runId = '';
  private notes = 0;
  /** A fork is asked for, and not there yet: no other run is begun meanwhile. */
  private forking = false;
  private undoing = false;
  /** Some operation of the store may have failed: what is logged about that is no fault. */
  wasFull = false;
  /** Notes that were taken, and must not get lost. */
  private readonly taken = new Map<string, string>();

  constructor({ seed, options }: History) {
    const { approvals, pauseCommands, unsavedOnResume, lines, reads, disk, servers, tree } = options;
    const settings = { approvals, pauseCommands, unsavedOnResume };
    this.world = new SimWorld({
      ...{ seed: seed ^ WORLD_SEED, brain: this.brain, settings },
      ...(servers ? { servers } : {}),
      ...(tree ? { tree } : {}),
      ...(disk ? { store: (turns, random) => new DiskStore(turns, random) } : {}),
    });
    // A history has some hundred turns.
    this.world.restless = 3000;
    this.oracle = new Oracle(this.world);
    this.human = new Human(this.world);
    this.oracle.deleted = this.human.deleted;
    let n = 0;
    for (const path of FILES)
      this.world.files.put(path, Array.from({ length: lines }, () => `${lineName('base', (n += 1))}\n`).join(''));
    this.brain.add(
      FILES.flatMap((_, file) => (reads & (1 << file) ? [{ do: 'read' as const, file, a: 0, b: 0 }] : [])),
    );
  }

  async begin(): Promise<void> {
    await this.world.open();
    await this.startRun();
  }

  async do(act: Act): Promise<void> {
    const { world, human } = this;
    const core = world.core;
    switch (act.act) {
      case 'agent':
        if (this.forking) return;
        if (this.state && isFinal(this.state.status) && !(await this.startRun())) return;
        this.brain.add(act.calls);
        world.models.wake();
        return;
      case 'human':
        return human.do(act.deed, act.file, act.a);
      case 'go':
        await world.go(act.turns);
        return;
      case 'wait':
        return world.settle(act.ms);
      case 'clockBack':
        return world.clock.setBack(act.ms);
      case 'resume':
        return this.press(this.resume());
      case 'resumeTwice':
        this.press(this.resume());
        return this.press(this.resume());
      case 'steer':
        return this.press(this.steer(act.now));
      case 'withdraw': {
        const note = this.state?.notes.find((n) => n.state === 'queued');
        return note && this.press(core?.withdrawNote({ noteId: note.id }));
      }
      case 'protect':
        return this.press(core?.addGuard({ kind: 'protect', value: at(PLACES, act.file) ?? '' }));
      case 'decide': {
        const open = this.state ? pendingDecisions(this.state) : [];
        const decision = at(open, act.which);
        return decision && this.press(this.decide(decision, act.choice));
      }
      case 'finish':
        return this.finishRun();
      case 'restore':
        return this.press(this.restore(act.checkpoint, act.picks));
      case 'undoRestore':
        return this.press(core?.undoRestore());
      case 'fork':
        return this.fork(act.checkpoint);
      case 'undoStep':
        // Which run it is about is the fork's to say.
        return this.forking ? undefined : this.press(this.undoStep());
      case 'full':
        this.wasFull = true;
        return world.store.fail(act.op, act.times);
      case 'space':
        return world.store.heal();
      case 'refuse':
        return world.files.fail(act.op, at(PLACES, act.file) ?? '', 'permissionDenied');
      case 'crash':
        return this.crash();
      case 'killCommand':
        return this.press(core?.killCommand());
      default:
        return this.press(core?.[act.act]());
    }
  }

  async end(): Promise<void> {
    await this.finishRun();
    const { world, oracle } = this;
    if (!this.wasFull) for (const error of world.errors) oracle.blame(`logged: ${error}`);
    this.checkNotes();
    oracle.checkLog();
    // Now and then once more from what is stored: the same.
    if (world.random.below(4) === 0) await this.crash();
  }

  /** Answers, resumes and waits until the run is over; what still hangs then is a fault. */
  private async finishRun(): Promise<void> {
    const { world, oracle, brain } = this;
    world.store.heal();
    world.files.heal();
    brain.finishing = true;
    world.models.wake();
    for (let i = 0; i < PATIENCE; i += 1) {
      await world.settle();
      const { state } = this;
      const [decision] = state ? pendingDecisions(state) : [];
      if (!state || (isFinal(state.status) && !(decision && state.compensating))) break;
      if (isActive(state.status)) {
        oracle.blame(`it hangs: ${state.status}, in flight ${JSON.stringify(state.inFlight)}`);
        break;
      }
      if (decision && (isWaiting(state.status) || state.compensating || decision.kind === 'unknownEffect'))
        await world.finish(this.decide(decision, world.random.below(12)));
      else await world.finish(this.resume());
    }
    const { state } = this;
    if (state?.status !== 'completed' && state?.status !== 'aborted')
      oracle.blame(`the end is ${state?.status}: ${state?.reason?.text ?? ''}`);
  }

  private get state(): RunState | undefined {
    return this.world.core?.get(this.runId);
  }

  private press(answer: Promise<unknown> | undefined): void {
    answer?.catch((error: unknown) => this.oracle.blame(`a command threw: ${String(error)}`));
  }

  /** false: it was refused, which only a full store may do, or an undo that is under way. */
  async startRun(): Promise<boolean> {
    this.brain.finishing = false;
    this.checkNotes();
    const started = await this.world.finish(this.world.core?.startRun({ goal: 'work' }) ?? Promise.reject(new Stuck()));
    if ('runId' in started) this.runId = started.runId;
    // One at a time: while a step of the run that is over is being undone, no other begins.
    else if (this.state?.compensating && started.code === 'busy') return false;
    else if (!this.wasFull) this.oracle.blame(`no run: ${started.message}`);
    return 'runId' in started;
  }

  private async resume(): Promise<void> {
    const { core } = this.world;
    if (this.state?.status !== 'humanControl') return void (await core?.resume());
    const name = noteName((this.notes += 1));
    const { runId } = this;
    const answer = await core?.handBack({ note: `go on, ${name}` });
    if (answer && !('refused' in answer)) this.taken.set(name, runId);
  }

  private async restore(at: number, picks: boolean): Promise<void> {
    const { core } = this.world;
    const { state } = this;
    if (!core || !state) return;
    const n = at < 4 ? 0 : at % (state.steps.length + 1);
    const request = { runId: state.runId, checkpoint: n === 0 ? ('start' as const) : n };
    if (!picks) return void (await core.restoreCheckpoint(request));
    const preview = await core.restoreCheckpoint({ ...request, dryRun: true });
    if ('refused' in preview) return;
    const some = preview.files.flatMap(({ path, before, hunks }) =>
      hunks ? [{ path, before, hunks: hunks.flatMap((_, i) => ((i + at) % 2 === 0 ? [i] : [])) }] : [],
    );
    await core.restoreCheckpoint({ ...request, picks: some });
  }

  private async undoStep(): Promise<void> {
    this.undoing = true;
    await this.world.core?.compensate();
    this.undoing = false;
  }

  /** The abort is waited for; the fork may be cut off by whatever comes next. */
  private async fork(at: number): Promise<void> {
    const { core } = this.world;
    const { runId } = this;
    if (!core || !this.state || this.forking || this.undoing) return;
    await this.world.finish(core.abort({ runId }));
    const source = this.state;
    if (!isFinal(source.status) || source.compensating) return;
    const n = at % (source.steps.length + 1);
    this.oracle.mayComeAgain(source, n);
    const forked = async (): Promise<void> => {
      const answer = await core.forkRun({ runId, checkpoint: n === 0 ? 'start' : n });
      this.forking = false;
      if ('runId' in answer) this.goOnWith(answer.runId);
    };
    this.forking = true;
    this.press(forked());
  }

  private goOnWith(runId: string): void {
    this.checkNotes();
    this.runId = runId;
  }

  private async steer(now: boolean): Promise<void> {
    const name = noteName((this.notes += 1));
    const { runId } = this;
    const answer = await this.world.core?.steer({ text: `and mind ${name}`, now });
    if (answer && !('refused' in answer)) this.taken.set(name, runId);
  }

  /** What was taken is there: as a note, in a report, or with the resume that is under way. */
  private checkNotes(): void {
    const { state } = this;
    if (!state) return;
    const words = JSON.stringify([state.notes, state.transcript, state.resuming]);
    for (const [name, runId] of this.taken)
      if (runId === state.runId && !words.includes(name)) this.oracle.blame(`${name} was taken, and is gone`);
  }

  private async crash(): Promise<void> {
    const { world, oracle, runId } = this;
    await quiet();
    world.store.heal();
    await world.crash();
    this.forking = false;
    this.undoing = false;
    const stored = await world.finish(world.store.load(runId));
    const before = stored && foldLoaded(stored);
    oracle.checkStored(before);
    await world.open();
    const after = await world.finish(world.core?.load(runId) ?? Promise.reject(new Stuck()));
    if (before && after) oracle.checkReopened(before, after);
    if (!world.core?.runs().some((run) => run.runId === runId)) oracle.blame('a fresh start does not list the run');
    this.checkNotes();
    await this.abortAgain();
  }

  /** The end of an earlier run that a full disk did not take is lost with the crash: the human, who is shown that, says it again. */
  private async abortAgain(): Promise<void> {
    const { core } = this.world;
    for (const { runId, status } of core?.runs() ?? []) {
      if (runId === this.runId || isFinal(status)) continue;
      // A fork that nobody had heard of yet.
      if (runId > this.runId) {
        this.goOnWith(runId);
        continue;
      }
      // The list is written after the run's own records, and may be one word behind.
      const stored = await this.world.finish(core?.load(runId) ?? Promise.reject(new Stuck()));
      if (stored && isFinal(stored.status)) continue;
      if (!this.wasFull) this.oracle.blame(`${runId} was over, and is ${status} after a crash`);
      await this.world.finish(core?.abort({ runId }) ?? Promise.reject(new Stuck()));
    }
  }

  private async decide(decision: Decision, choice: number): Promise<void> {
    const ids = decision.choices.map((c) => c.id);
    const given = { decisionId: decision.id, choice: at(ids, choice) ?? 'anything' };
    const { core } = this.world;
    if (decision.kind === 'unknownEffect') given.choice = this.truth(decision, choice);
    if (given.choice === 'edit') await core?.decide({ ...given, text: `${this.human.line()}\n` });
    else await core?.decide(given);
  }

  /** The human looks, and says what is so; or asks for a repeat. */
  private truth({ stepId = '' }: Decision, choice: number): string {
    const { oracle, world, state } = this;
    const step = state && stepOf(state, stepId);
    if (choice % 4 === 0) return 'check';
    const word = step && wordOf(step);
    const words = word === undefined ? [] : [word];
    const log = (world.files.text(LOG) ?? '').split('\n');
    const happened =
      oracle.effects.has(`disk ${stepId}`) ||
      oracle.effects.has(`buffer ${stepId}`) ||
      oracle.effects.has(`remote ${stepId}`) ||
      words.some((word) => log.includes(word));
    if (choice % 4 === 1 && state && !isFinal(state.status) && step?.compensates === undefined) {
      oracle.repeats.set(stepId, (oracle.repeats.get(stepId) ?? 0) + 1);
      for (const word of words) oracle.askedAgain.set(word, (oracle.askedAgain.get(word) ?? 0) + 1);
      return 'runAgain';
    }
    return happened ? 'happened' : 'didNotHappen';
  }
}
