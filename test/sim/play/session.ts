/** Plays a sequence of acts on a simulated world under the eyes of the oracle, and brings it to its end. */
import { foldLoaded } from '../../../src/core/run/load';
import { isActive, isWaiting, type Decision, isFinal, type RunState } from '../../../src/core/run/state';
import { pendingDecisions, stepOf } from '../../../src/core/run/update';
import { pairingProblems } from '../model';
import { quiet } from '../turns';
import { SimWorld, Stuck } from '../world';
import { type Act, at, FILES, lineName, LOG } from './acts';
import { AgentBrain } from './agent';
import { Human } from './human';
import { Oracle } from './oracle';

export interface SessionOptions {
  seed: number;
  approvals: 'ask' | 'edits' | 'auto';
  pauseCommands: 'freeze' | 'finish' | 'end';
}

/** How often the end may have to answer, resume or wait: more than any session has questions. */
const PATIENCE = 80;

export class Session {
  readonly world: SimWorld;
  readonly oracle: Oracle;
  private readonly brain = new AgentBrain();
  private readonly human: Human;
  private runId = '';
  private checked = 0;

  constructor({ seed, approvals, pauseCommands }: SessionOptions) {
    this.world = new SimWorld({ seed, brain: this.brain, settings: { approvals, pauseCommands } });
    this.oracle = new Oracle(this.world);
    this.human = new Human(this.world);
    this.oracle.deleted = this.human.deleted;
    let n = 0;
    for (const path of FILES)
      this.world.files.put(path, [1, 2, 3, 4, 5].map(() => `${lineName('base', (n += 1))}\n`).join(''));
  }

  async begin(): Promise<void> {
    await this.world.open();
    await this.startRun();
    this.brain.add(FILES.map((_, file) => ({ do: 'read', file, a: 0, b: 0 })));
  }

  async do(act: Act): Promise<void> {
    const { world, human } = this;
    const core = world.core;
    const press = (answer: Promise<unknown> | undefined): void => {
      answer?.catch((error: unknown) => this.oracle.blame(`a command threw: ${String(error)}`));
    };
    switch (act.act) {
      case 'agent':
        if (this.state && isFinal(this.state.status)) await this.startRun();
        this.brain.add(act.calls);
        world.models.wake();
        break;
      case 'human':
        human.do(act.deed, act.file, act.a);
        break;
      case 'go':
        await world.go(act.turns);
        break;
      case 'wait':
        await world.settle(act.ms);
        break;
      case 'resume':
        press(this.state?.status === 'humanControl' ? core?.handBack({ note: 'go on' }) : core?.resume());
        break;
      case 'steer':
        press(core?.steer({ text: 'and mind the tests', now: act.now }));
        break;
      case 'decide': {
        const open = this.state ? pendingDecisions(this.state) : [];
        const decision = at(open, act.which);
        if (decision) press(this.decide(decision, act.choice));
        break;
      }
      case 'crash':
        await this.crash();
        break;
      default:
        press(core?.[act.act]());
    }
    this.checkRequests();
  }

  /** Answers, resumes and waits until the run is over; what still hangs then is a fault. */
  async end(): Promise<void> {
    const { world, oracle, brain } = this;
    brain.finishing = true;
    world.models.wake();
    for (let i = 0; i < PATIENCE; i += 1) {
      await world.settle();
      const { state } = this;
      if (!state || isFinal(state.status)) break;
      const [decision] = pendingDecisions(state);
      const { core } = world;
      if (isActive(state.status)) {
        oracle.blame(`it hangs: ${state.status}, in flight ${JSON.stringify(state.inFlight)}`);
        break;
      }
      if (decision && (isWaiting(state.status) || decision.kind === 'unknownEffect'))
        await world.finish(this.decide(decision, world.random.below(12)));
      else if (state.status === 'humanControl') await world.finish<unknown>(core?.handBack() ?? Promise.resolve());
      else await world.finish<unknown>(core?.resume() ?? Promise.resolve());
    }
    const { state } = this;
    if (state?.status !== 'completed' && state?.status !== 'aborted')
      oracle.blame(`the end is ${state?.status}: ${state?.reason?.text ?? ''}`);
    for (const error of world.errors) oracle.blame(`logged: ${error}`);
    this.checkRequests();
    oracle.checkLog();
  }

  private get state(): RunState | undefined {
    return this.world.core?.get(this.runId);
  }

  private async startRun(): Promise<void> {
    const started = await this.world.finish(this.world.core?.startRun({ goal: 'work' }) ?? Promise.reject(new Stuck()));
    if ('runId' in started) this.runId = started.runId;
    else this.oracle.blame(`no run: ${started.message}`);
  }

  private async crash(): Promise<void> {
    const { world, oracle, runId } = this;
    await quiet();
    const durable = world.store.durableSeq(runId);
    await world.crash();
    const stored = world.store.stored(runId);
    oracle.checkStored(stored && foldLoaded(stored), durable);
    await world.open();
    const again = await world.finish(world.core?.load(runId) ?? Promise.reject(new Stuck()));
    if (again && isActive(again.status)) oracle.blame(`it went on by itself after a crash: ${again.status}`);
    if (!world.core?.runs().some((run) => run.runId === runId)) oracle.blame('a fresh start does not list the run');
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
    const words = [...String((step?.args as { command?: string } | undefined)?.command).matchAll(/echo (\S+)/g)].map(
      ([, word]) => word ?? '',
    );
    const log = (world.files.text(LOG) ?? '').split('\n');
    const happened =
      oracle.effects.has(`disk ${stepId}`) ||
      oracle.effects.has(`buffer ${stepId}`) ||
      words.some((word) => log.includes(word));
    if (choice % 4 === 1 && state && !isFinal(state.status)) {
      oracle.repeats.set(stepId, (oracle.repeats.get(stepId) ?? 0) + 1);
      for (const word of words) oracle.askedAgain.set(word, (oracle.askedAgain.get(word) ?? 0) + 1);
      return 'runAgain';
    }
    return happened ? 'happened' : 'didNotHappen';
  }

  private checkRequests(): void {
    const { requests } = this.world.models;
    for (const request of requests.slice(this.checked))
      for (const problem of pairingProblems(request.messages)) this.oracle.blame(`request: ${problem}`);
    this.checked = requests.length;
  }
}
