/** Plays the actions of a script, one after the other, and keeps what the expectations ask for. */
import type { EngineRef } from '../../src/core/ports';
import type { ProbePoint } from '../../src/core/probe';
import { RunsSeen } from './digest';
import { type CommandName, type Host, HostGone, type HostListener, refusalOf } from './hosts/host';
import { fits, words } from './expect';
import type { ScriptedModel } from './server';
import type { Point, Scenario, Step, Until, Verbs } from './types';
import { toStep } from './validate';
import { sleep, Watch, within } from './watch';
import type { Place } from './workspace';

const DEFAULT_LIMIT_MS = 10_000;

export class Script {
  readonly seen = new RunsSeen();
  readonly names = new Map<string, string>();
  readonly settled = new Map<number, number | undefined>();
  /** What happened when, for debugging. */
  readonly timeline: string[] = [];
  readonly notes: string[] = [];
  /** Of actions that were not waited for. */
  readonly problems: string[] = [];
  private readonly resumes: { at: number; refused: boolean }[] = [];
  private readonly watch = new Watch();
  private readonly held = new Set<string>();
  private readonly startedAt = performance.now();
  private undo: unknown;

  constructor(
    private readonly scenario: Scenario,
    private readonly host: Host,
    private readonly place: Place,
    private readonly model: ScriptedModel,
  ) {
    model.onRequest((request) => {
      this.log(`request ${request.n}`);
      this.watch.poke();
    });
  }

  /** Ear of the host. */
  readonly listener: HostListener = {
    changed: (digest) => {
      this.seen.apply(digest);
      const steps = digest.steps.map((s) => `${s.n} ${s.outcome}/${s.effect}`).join(', ');
      this.log(`state ${digest.status}${digest.reason ? ` (${digest.reason})` : ''}${steps ? `: ${steps}` : ''}`);
      this.watch.poke();
    },
    held: (point, step) => {
      this.log(`held ${point} ${step}`);
      this.held.add(point);
      this.watch.poke();
    },
    log: (line) => this.log(`log ${line}`),
    crashed: (reason) => {
      this.log(`crashed ${reason}`);
      this.watch.fail(new Error(reason));
    },
  };

  /** How many requests had come when the last resume or hand back that applied was pressed. */
  get resumedAt(): number | undefined {
    return this.resumes.findLast((r) => !r.refused)?.at;
  }

  /** Rejects with what could not be played. */
  async play(): Promise<void> {
    for (const [index, action] of this.scenario.script.entries()) {
      const step = toStep(action);
      const title = `action ${index} (${step.verb})`;
      this.log(`action ${index} ${JSON.stringify(action).slice(0, 300)}`);
      const limit = step.modifiers.withinMs ?? DEFAULT_LIMIT_MS;
      const pressed = performance.now();
      this.settled.set(index, undefined);
      const done = this.act(step, limit).then(() => {
        this.settled.set(index, performance.now() - pressed);
        this.log(`settled ${index}`);
      });
      if (step.modifiers.noWait) {
        void done.catch((error: Error) => {
          if (!(error instanceof HostGone)) this.problems.push(`${title}: ${error.message}`);
        });
        continue;
      }
      try {
        await (ownLimit.has(step.verb) ? done : within(done, limit, step.verb));
      } catch (error) {
        throw new Error(`${title}: ${(error as Error).message}`, { cause: error });
      }
    }
    this.checkLimitsOfUnawaited();
  }

  /** An explicit `withinMs` holds for an action that was not waited for, too. */
  private checkLimitsOfUnawaited(): void {
    for (const [index, action] of this.scenario.script.entries()) {
      const { verb, modifiers } = toStep(action);
      if (!modifiers.noWait || modifiers.withinMs === undefined) continue;
      const ms = this.settled.get(index);
      if (ms === undefined || ms > modifiers.withinMs)
        this.problems.push(`action ${index} (${verb}): did not settle within ${modifiers.withinMs} ms`);
    }
  }

  private async act(step: Step, limit: number): Promise<void> {
    const { host } = this;
    const target = this.target(step.modifiers.run);
    switch (step.verb) {
      case 'start':
        return this.start(step.value);
      case 'pause':
      case 'abort':
      case 'forceStop':
      case 'takeOver':
        return void (await this.command(step.verb, target));
      case 'resume':
        return this.resume('resume', target);
      case 'handBack':
        return this.resume('handBack', { ...target, ...step.value });
      case 'steer': {
        const note = typeof step.value === 'string' ? { text: step.value } : step.value;
        return void (await this.command('steer', { ...target, ...note }));
      }
      case 'decide':
        return this.decide(step.value, step.modifiers.run, limit);
      case 'restore': {
        const answer = await this.command('restoreCheckpoint', { ...target, ...step.value });
        this.undo = (answer as { undo?: unknown } | undefined)?.undo;
        return;
      }
      case 'compensate': {
        const id =
          step.value.step === undefined ? undefined : this.seen.run(target.runId)?.steps.get(step.value.step)?.id;
        return void (await this.command('compensate', { ...target, ...(id === undefined ? {} : { stepId: id }) }));
      }
      case 'undoRestore':
        return void (await this.command('undoRestore', { undo: this.undo }));
      case 'fork':
        return void (await this.command('forkRun', { ...target, ...step.value }));
      case 'human':
        return this.place.human(step.value, limit, (key) => host.editor(key, step.value));
      case 'until':
        return this.until(step.value, step.modifiers.run, limit);
      case 'sleep':
        return sleep(step.value);
      case 'hold':
        return host.hold(...pointOf(step.value));
      case 'release':
        this.held.delete(pointOf(step.value)[0]);
        return host.release(...pointOf(step.value));
      case 'fault':
        return host.fault(step.value);
      case 'kill':
        await host.kill();
        this.held.clear();
        this.seen.hostGone();
        return;
      case 'reopen':
        return host.reopen();
      case 'clock':
        return host.clock(step.value.advanceMs);
    }
  }

  private async start({ as }: Verbs['start']): Promise<void> {
    const { goal, playbook } = this.scenario.run;
    const engine: EngineRef | undefined = playbook && {
      kind: 'playbook',
      label: 'scenario.playbook.json',
      source: JSON.stringify(playbook),
      format: 'json',
    };
    const answer = await this.command('startRun', {
      ...(goal === undefined ? {} : { goal }),
      ...(engine === undefined ? {} : { engine }),
    });
    const runId = (answer as { runId?: string } | undefined)?.runId;
    if (as !== undefined && runId !== undefined) this.names.set(as, runId);
  }

  private async resume(name: 'resume' | 'handBack', args: Record<string, unknown>): Promise<void> {
    const press = { at: this.model.count, refused: false };
    this.resumes.push(press);
    press.refused = refusalOf(await this.command(name, args)) !== undefined;
  }

  /** Answers the open decision that fits; waits for it where it is not open yet. */
  private async decide(value: Verbs['decide'], run: string | undefined, limit: number): Promise<void> {
    const { kind, path, choice, text } = value;
    const wanted = `no open decision${kind ? ` of kind ${kind}` : ''}${path ? ` about ${path}` : ''}`;
    const decision = await this.watch.until(
      () => this.pending(run).find((d) => (!kind || d.kind === kind) && (!path || d.paths.includes(path))),
      limit,
      () => `${wanted} (open: ${this.openWords(run)})`,
    );
    const answer = { decisionId: decision.id, choice, ...(text === undefined ? {} : { text }) };
    await within(this.command('decide', answer), limit, 'decide');
  }

  private until(value: Until, run: string | undefined, limit: number): Promise<void> {
    const missing = (): string[] => {
      const seen = this.seen.run(this.target(run).runId);
      const lacks: string[] = [];
      if (value.status !== undefined && !fits(value.status, seen?.status))
        lacks.push(
          `status ${words(value.status)} (is ${seen ? `${seen.status}${seen.reason ? `, ${seen.reason}` : ''}` : 'no run'})`,
        );
      if (value.step) {
        const outcome = seen?.steps.get(value.step.n)?.outcome;
        if (!fits(value.step.is, outcome))
          lacks.push(`step ${value.step.n} ${words(value.step.is)} (is ${outcome ?? 'not there'})`);
      }
      if (value.request !== undefined && this.model.count < value.request)
        lacks.push(`request ${value.request} (${this.model.count} came)`);
      if (value.decision !== undefined && !this.pending(run).some((d) => d.kind === value.decision))
        lacks.push(`decision ${value.decision} (open: ${this.openWords(run)})`);
      if (value.held !== undefined && !this.held.has(value.held)) lacks.push(`held ${value.held}`);
      return lacks;
    };
    return this.watch
      .until(
        () => (missing().length === 0 ? true : undefined),
        limit,
        () =>
          `did not come true: ${missing().join(', ')}; status ${this.seen.run(this.target(run).runId)?.status ?? 'no run'}`,
      )
      .then(() => undefined);
  }

  private pending(run: string | undefined): { id: string; kind: string; paths: string[] }[] {
    return this.seen.run(this.target(run).runId)?.decisions.filter((d) => d.state === 'pending') ?? [];
  }

  private openWords(run: string | undefined): string {
    return (
      this.pending(run)
        .map((d) => [d.kind, ...d.paths].join(' '))
        .join(', ') || 'none'
    );
  }

  /** A refusal is an answer; it is kept because it explains what comes after. */
  private async command(name: CommandName, args: Record<string, unknown>): Promise<unknown> {
    const answer = await this.host.command(name, args);
    const refusal = refusalOf(answer);
    if (refusal !== undefined) this.notes.push(`${name} was refused: ${refusal}`);
    this.log(`answer to ${name}: ${(JSON.stringify(answer) ?? 'nothing').slice(0, 400)}`);
    return answer;
  }

  private target(run: string | undefined): { runId?: string } {
    if (run === undefined) return {};
    const runId = this.names.get(run);
    if (runId === undefined) throw new Error(`the run ${JSON.stringify(run)} was not started`);
    return { runId };
  }

  private log(line: string): void {
    this.timeline.push(`${Math.round(performance.now() - this.startedAt)} ${line}`);
  }
}

/** These keep their limit themselves, with a better message, or have none. */
const ownLimit: ReadonlySet<string> = new Set(['until', 'decide', 'sleep']);

const pointOf = (point: Point): [ProbePoint, number | undefined] =>
  typeof point === 'string' ? [point, undefined] : [point.at, point.step];
