import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ProbePoint } from '../../../src/core/probe';
import type { RunState, RunSummary } from '../../../src/core/run/state';
import { Digester } from '../../scenarios/digest';
import { type CommandName, type Host, type HostListener, NotBuilt } from '../../scenarios/hosts/host';
import { play, type Result } from '../../scenarios/player';
import type { Action, Expect, Scenario } from '../../scenarios/types';
import { Place } from '../../scenarios/workspace';
import { state, step } from './facts';

/** A host without a core: commands do what the test says. */
class FakeHost implements Host {
  readonly name = 'node';
  readonly restarts = false;
  readonly calls: [CommandName, object][] = [];
  readonly probes: string[] = [];
  now: RunState | undefined;
  listener: HostListener | undefined;
  private readonly digester = new Digester();

  constructor(private readonly answers: Partial<Record<CommandName, (host: FakeHost) => unknown>>) {}

  set(more: Partial<RunState>): void {
    this.now = state({ ...this.now, ...more });
    this.listener?.changed(this.digester.digest(this.now, this.now.runId));
  }
  open(_scenario: Scenario, _place: Place, _url: string, listener: HostListener): Promise<void> {
    this.listener = listener;
    return Promise.resolve();
  }
  async command(name: CommandName, args: object): Promise<unknown> {
    this.calls.push([name, args]);
    const answer = this.answers[name];
    if (!answer) throw new NotBuilt(name);
    return answer(this);
  }
  state = (): Promise<RunState | undefined> => Promise.resolve(this.now);
  currentRun = (): Promise<string | undefined> => Promise.resolve(this.now?.runId);
  runs = (): Promise<RunSummary[]> => Promise.resolve([]);
  hold = (point: ProbePoint, at?: number): Promise<void> =>
    Promise.resolve(void this.probes.push(`hold ${point} ${at}`));
  release = (point: ProbePoint, at?: number): Promise<void> =>
    Promise.resolve(void this.probes.push(`release ${point} ${at}`));
  fault = (): Promise<void> => Promise.reject(new NotBuilt('fault', 'host fake has none'));
  clock = (): Promise<void> => Promise.resolve();
  kill = (): Promise<void> => Promise.resolve();
  reopen = (): Promise<void> => Promise.resolve();
  editor = (): Promise<void> => Promise.reject(new NotBuilt('human.type'));
  buffer = (): Promise<undefined> => Promise.resolve(undefined);
  processRoot = (): undefined => undefined;
  storage = (): undefined => undefined;
  close = (): Promise<void> => Promise.resolve();
}

const completes = { startRun: (host: FakeHost) => (host.set({ status: 'completed' }), { runId: 'run-1' }) };
const never = (): Promise<never> => new Promise(() => undefined);

async function played(script: Action[], expect: Expect, host: FakeHost): Promise<Result> {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'holdfast-unit-')));
  const place = new Place(root, path.join(root, 'workspace'), path.join(root, 'storage'));
  const scenario = { id: 'X', title: 'x', kind: 'x', setup: { files: {} }, run: { goal: 'g' }, script, expect };
  try {
    return await play(scenario, host, place);
  } finally {
    rmSync(root, { recursive: true });
  }
}

describe('scenario player', () => {
  it('plays and passes', async () => {
    const host = new FakeHost(completes);
    const result = await played([{ start: {} }, { until: { status: 'completed' } }], { status: 'completed' }, host);
    assert.deepEqual(result.failures, []);
    assert.deepEqual(host.calls, [['startRun', { goal: 'g' }]]);
  });

  it('fails on a wrong expectation and on a broken invariant', async () => {
    const wrong = await played([{ start: {} }], { status: 'paused' }, new FakeHost(completes));
    assert.deepEqual(wrong.failures, ['status: expected paused, is completed']);
    const broken = { startRun: (host: FakeHost) => (host.set({ transcript: [] }), { runId: 'run-1' }) };
    const result = await played([{ start: {} }], {}, new FakeHost(broken));
    assert.match(result.failures.join(), /step 1 is called by no reply/);
  });

  it('fails where nothing was started', async () => {
    const result = await played([], { status: 'completed' }, new FakeHost({}));
    assert.deepEqual(result.failures, ['status: expected completed, is no run']);
  });

  it('names a command that is not built, also when nobody waits for it', async () => {
    const host = (): FakeHost => new FakeHost(completes);
    const restore = await played([{ start: {} }, { restore: { checkpoint: 'start' } }], {}, host());
    assert.deepEqual(restore.failures, ['action 1 (restore): restoreCheckpoint: not built yet']);
    const fork = await played([{ start: {} }, { fork: { checkpoint: 1 }, noWait: true }, { sleep: 20 }], {}, host());
    assert.deepEqual(fork.failures, ['action 1 (fork): forkRun: not built yet']);
  });

  it('a refusal is no failure, but it is told', async () => {
    const refuse = { ...completes, resume: () => ({ refused: true, code: 'final', message: 'It is over.' }) };
    const result = await played([{ start: {} }, { resume: {} }], { status: 'completed' }, new FakeHost(refuse));
    assert.deepEqual(result.failures, []);
    assert.deepEqual(result.notes, ['resume was refused: final: It is over.']);
  });

  it('an action that does not settle in time fails, one not waited for does not', async () => {
    const slow = { ...completes, pause: never };
    const waited = await played([{ start: {} }, { pause: {}, withinMs: 30 }], {}, new FakeHost(slow));
    assert.deepEqual(waited.failures, ['action 1 (pause): pause did not settle within 30 ms']);
    const unwaited = await played([{ start: {} }, { pause: {}, noWait: true }], {}, new FakeHost(slow));
    assert.deepEqual(unwaited.failures, []);
    const measured = await played(
      [{ start: {} }, { pause: {}, noWait: true }],
      { settledWithinMs: { 1: 1000 } },
      new FakeHost(slow),
    );
    assert.deepEqual(measured.failures, ['settledWithinMs: action 1 has not settled']);
    const limited = await played(
      [{ start: {} }, { pause: {}, noWait: true, withinMs: 5 }, { sleep: 20 }],
      {},
      new FakeHost(slow),
    );
    assert.deepEqual(limited.failures, ['action 1 (pause): did not settle within 5 ms']);
  });

  it('until fails with what is instead, and sees states that pass quickly', async () => {
    const late = await played(
      [{ start: {} }, { until: { status: 'paused' }, withinMs: 20 }],
      {},
      new FakeHost(completes),
    );
    assert.match(late.failures.join(), /until\): did not come true: status paused \(is completed\).* within 20 ms/);
    const quick = new FakeHost({
      startRun: (host) => {
        setTimeout(() => {
          for (const status of ['running', 'paused', 'completed'] as const) host.set({ status });
        }, 10);
        return { runId: 'run-1' };
      },
    });
    const seen = await played([{ start: {} }, { until: { status: 'paused' } }], { status: 'completed' }, quick);
    assert.deepEqual(seen.failures, []);
  });

  it('until waits for steps, requests and held points', async () => {
    const conditions = [
      { request: 1 },
      { held: 'tool:beforeWrite' as const },
      { step: { n: 2, is: 'done' } },
      { decision: 'approval' },
    ];
    for (const until of conditions) {
      const result = await played([{ start: {} }, { until, withinMs: 10 }], {}, new FakeHost(completes));
      assert.match(result.failures.join(), /did not come true/, JSON.stringify(until));
    }
  });

  it('decides the open decision of that kind and path', async () => {
    const open = (id: string, about: string) => ({ id, kind: 'approval', path: about, state: 'pending' });
    const host = new FakeHost({
      startRun: (h) => (
        h.set({ decisions: [open('d1', 'a'), open('d2', 'b')] as RunState['decisions'] }),
        { runId: 'run-1' }
      ),
      decide: () => ({ state: 'granted' }),
    });
    const found = await played([{ start: {} }, { decide: { kind: 'approval', path: 'b', choice: 'grant' } }], {}, host);
    assert.deepEqual(found.failures, []);
    assert.deepEqual(host.calls.at(-1), ['decide', { decisionId: 'd2', choice: 'grant' }]);
    const none = await played([{ start: {} }, { decide: { path: 'c', choice: 'grant' }, withinMs: 10 }], {}, host);
    assert.match(none.failures.join(), /no open decision about c \(open: approval a, approval b\)/);
  });

  it('a step that was done and is not any more is a fault, whatever the end', async () => {
    const host = new FakeHost({
      startRun: (h) => {
        h.set({ status: 'running', steps: [step(1)] });
        h.set({ status: 'running', steps: [step(1, { outcome: 'running', effect: 'requested' })] });
        h.set({ status: 'completed', steps: [step(1)] });
        return { runId: 'run-1' };
      },
    });
    assert.match((await played([{ start: {} }], {}, host)).failures.join(), /step 1 was done and became running/);
  });

  it('a host that crashes ends the scenario at once', async () => {
    const host = new FakeHost({
      startRun: (h) => (setTimeout(() => h.listener?.crashed('the host ended with 1: boom'), 10), { runId: 'run-1' }),
    });
    const result = await played([{ start: {} }, { until: { status: 'completed' } }], {}, host);
    assert.deepEqual(result.failures, ['action 1 (until): the host ended with 1: boom']);
  });

  it('what a human shell ends with is told', async () => {
    const result = await played([{ human: { shell: 'echo no >&2; exit 3' } }], {}, new FakeHost({}));
    assert.deepEqual(result.notes, ['human.shell ended with 3: no']);
    const missing = await played([{ human: { remove: ['nope'] } }], {}, new FakeHost({}));
    assert.match(missing.failures.join(), /ENOENT/);
  });
});
