/** A run on the simulated world, for tests that tell one story. */
import assert from 'node:assert/strict';
import type { ModelInfo } from '../../../../src/core/ports';
import type { Decision, DecisionKind, RunState } from '../../../../src/core/run/state';
import { pendingDecisions } from '../../../../src/core/run/update';
import { ListBrain, modelInfo, type Reply } from '../../../sim/model';
import type { SimFiles } from '../../../sim/files';
import { type SimOptions, SimWorld } from '../../../sim/world';
import { OneRun } from './oneRun';

export interface StageOptions extends Omit<SimOptions, 'brain'> {
  replies: Reply[];
  info?: Partial<ModelInfo>;
  /** An operation that does not answer from the start on, until `release`. */
  stalled?: Parameters<SimFiles['stall']>;
}

export class Stage extends OneRun {
  release: () => void = () => undefined;

  static async open({ replies, info, stalled, ...options }: StageOptions): Promise<Stage> {
    const stage = new Stage(new SimWorld({ ...options, brain: new ListBrain(replies, modelInfo(info)) }));
    if (stalled) stage.release = stage.world.files.stall(...stalled);
    await stage.world.open();
    await stage.start();
    return stage;
  }

  /** Stands at a question. */
  waiting(): boolean {
    return this.state.status === 'needsHuman' || this.state.status === 'awaitingApproval';
  }

  /** Step number `n`. */
  step(n: number): RunState['steps'][number] {
    const step = this.state.steps[n - 1];
    assert.ok(step, `step ${n}`);
    return step;
  }

  /** The world goes on until the state fits, in small turns, time included. */
  async until(what: string, fits: (state: RunState) => boolean): Promise<void> {
    for (let i = 0; i < 4000; i += 1) {
      if (fits(this.state)) return;
      if (await this.world.turns.step()) continue;
      const next = this.world.clock.next();
      if (next === undefined || next > 200_000) break;
      this.world.clock.advance(next);
    }
    assert.fail(`never ${what}: ${this.state.status}, in flight ${JSON.stringify(this.state.inFlight)}`);
  }

  untilStatus(status: RunState['status']): Promise<void> {
    return this.until(status, (s) => s.status === status);
  }

  running(n: number): Promise<void> {
    return this.until(`step ${n} running`, (s) => s.steps[n - 1]?.process !== undefined);
  }

  open(kind: DecisionKind): Decision {
    const decision = pendingDecisions(this.state).find((d) => d.kind === kind);
    assert.ok(decision, `an open ${kind}`);
    return decision;
  }

  async decide(kind: DecisionKind, choice: string, text?: string): Promise<{ state: string } | { refused: true }> {
    const { id } = this.open(kind);
    return this.world.finish(this.core.decide({ decisionId: id, choice, ...(text === undefined ? {} : { text }) }));
  }

  /** The host dies and is started again. */
  async restart(): Promise<void> {
    await this.world.crash();
    await this.world.open();
    await this.world.finish(this.core.load(this.runId));
  }

  /** Everything the model was sent in its last request. */
  lastRequest(): string {
    const request = this.world.models.requests.at(-1);
    assert.ok(request);
    return request.messages.map((m) => m.text).join('\n');
  }
}

/** A command that runs for five simulated seconds and leaves one line in the log. */
export const slow = (word: string, more: Record<string, unknown> = {}): Reply => ({
  calls: [{ tool: 'run_command', args: { command: `sleep 5000; echo ${word} >> log.txt`, ...more } }],
});
export const call = (tool: string, args: Record<string, unknown>): Reply => ({ calls: [{ tool, args }] });

export const UNDO = { tool: 'run_command', args: { command: 'echo undone >> log.txt' } };
/** A reply that adds a line to the log, and can be undone. */
export const MADE = { calls: [{ tool: 'run_command', args: { command: 'echo made >> log.txt' }, undo: UNDO }] };

/** Paused; step 1 can be undone, and step 3 is a write that a force stop gave up: what it did is not known, and asked. */
export async function unknownWrite(): Promise<Stage> {
  const stage = await Stage.open({
    files: { 'x.txt': 'one\n' },
    settings: { approvals: 'auto' },
    replies: [
      MADE,
      call('read_file', { path: 'x.txt' }),
      call('edit_file', { path: 'x.txt', old_text: 'one', new_text: 'uno' }),
    ],
  });
  const { world, core } = stage;
  const written = world.files.stall('write', 'x.txt');
  await stage.until('writing', (s) => s.steps[2]?.effect === 'requested');
  const pause = core.pause();
  await stage.untilStatus('stopping');
  await world.finish(core.forceStop());
  await world.finish(pause);
  written();
  await world.settle();
  return stage;
}

/** The human has written a line of a.txt, and a command runs. */
export async function overLine(line: string, seed = 1): Promise<Stage> {
  const replies = [call('read_file', { path: 'a.txt' }), call('run_command', { command: line })];
  const stage = await Stage.open({ tree: true, seed, files: { 'a.txt': 'one\ntwo\n' }, replies });
  const { world, core } = stage;
  await stage.until('read', (s) => s.steps[0]?.outcome === 'done');
  await world.finish(core.pause());
  world.files.put('a.txt', 'one\nHUMAN\n');
  world.clock.advance(100);
  await world.finish(core.resume());
  await stage.running(2);
  return stage;
}
