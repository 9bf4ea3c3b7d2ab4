import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Decision, Entry, RunState, RunSummary } from '../../../src/core/run/state';
import {
  checkInvariants,
  receiptProblems,
  reloadProblems,
  stepProblems,
  transcriptProblems,
  type World,
} from '../../scenarios/invariants';
import type { Place } from '../../scenarios/workspace';
import { receipt, somePlace, state, step } from './facts';

const call = (...stepIds: string[]): Entry => ({
  kind: 'assistant',
  requestId: 'q',
  text: '',
  stepIds,
  interrupted: false,
  at: 0,
});
const result = (stepId: string): Entry => ({ kind: 'result', stepId, text: '', at: 0 });

describe('scenario invariants', () => {
  let place: Place;
  beforeEach(async () => {
    place = await somePlace({ files: { 'a.txt': 'a\n', '../outside/o.txt': 'o\n', '.holdfast-own': 'x\n' } });
  });
  afterEach(() => rmSync(place.root, { recursive: true }));

  const look = (more: Partial<World> = {}): Promise<string[]> =>
    checkInvariants({ place, states: [state()], living: [], unpaired: [], backwards: [], ...more });

  it('all is well with a plain run', async () => assert.deepEqual(await look(), []));

  it('tells what the strict server refused and what went backwards', async () => {
    assert.match(
      (await look({ unpaired: ['request 2: call x has no result'] })).join(),
      /invariant 3.*call x has no result/,
    );
    assert.match(
      (await look({ backwards: ['step 1 was done and became running'] })).join(),
      /invariant 5.*became running/,
    );
  });

  it('one result a call', () => {
    const problems = (status: RunState['status'], ...transcript: Entry[]): string =>
      transcriptProblems(state({ status, transcript })).join('\n');
    assert.equal(problems('completed', call('s1'), result('s1')), '');
    assert.equal(problems('paused', call('s1')), '');
    assert.match(problems('aborted', call('s1')), /the run is aborted, and step 1 has no result/);
    assert.match(problems('paused', call('s1'), result('s1'), result('s1')), /step 1 has 2 results/);
    assert.match(problems('paused', result('s1'), call('s1')), /stands before its call/);
    assert.match(problems('paused', call('s1'), call('s1')), /called by two replies/);
    assert.match(problems('paused', call('s1', 's2')), /no such step/);
    assert.match(problems('paused'), /step 1 is called by no reply/);
  });

  it('numbers, ids and effects of steps', () => {
    const problems = (...steps: RunState['steps']): string => stepProblems(state({ steps })).join('\n');
    assert.equal(problems(step(1), step(2)), '');
    assert.match(problems(step(1), step(3)), /step 2 has the number 3/);
    assert.match(problems(step(1), step(2, { id: 's1' })), /the same id/);
    assert.match(
      problems(step(1, { outcome: 'cancelledBeforeEffect' })),
      /called cancelled, and its effect is committed/,
    );
    assert.match(problems(step(1, { outcome: 'notStarted' })), /has not started, and its effect is committed/);
  });

  it('receipts agree with themselves', () => {
    const problems = (more: Parameters<typeof receipt>[0]): string =>
      receiptProblems(receipt(more), state()).join('\n');
    assert.equal(problems({}), '');
    assert.match(problems({ authority: 'revoked' }), /authority after pause is full/);
    assert.match(problems({ intent: 'abort', authority: 'revoked' }), /after abort a resume cannot be allowed/);
    assert.match(problems({ boundary: 2 }), /no boundary 2/);
    assert.match(problems({ message: '' }), /no message/);
    const effect = { stepId: 's1', n: 1, tool: 'x', title: '', evidence: '' };
    const unknown = [{ ...effect, outcome: 'unknown', effect: 'unknown' } as const];
    assert.match(problems({ effects: unknown }), /unknown, and the recovery is resume/);
    const committed = [{ ...effect, outcome: 'done', effect: 'committed' } as const];
    assert.match(problems({ effects: committed, message: 'Cancelled.' }), /"cancelled" is said/);
  });

  it('stopped means stopped, unless it is named', async () => {
    const living = [{ pid: 4711, parent: 1, marker: 'run-1/s1', command: 'sleep 60' }];
    assert.match((await look({ living })).join(), /invariant 2.*completed, and alive: 4711 \(sleep 60\)/);
    assert.deepEqual(await look({ living, states: [state({ status: 'running' })] }), []);
    const named = state({
      status: 'aborted',
      receipts: [receipt({ message: 'Still alive: process 4711 (sleep 60).' })],
    });
    assert.deepEqual(await look({ living, states: [named] }), []);
    const other = state({ status: 'aborted', receipts: [receipt({ message: 'Still alive: process 47110.' })] });
    assert.match((await look({ living, states: [other] })).join(), /invariant 2/);
  });

  it('nothing outside is written, but by the human', async () => {
    await place.human({ write: { '../outside/h.txt': 'h\n' }, shell: 'echo x >> ../outside/o.txt' }, 5000, () =>
      assert.fail(),
    );
    assert.deepEqual(await look(), []);
    writeFileSync(place.at('../outside/o.txt'), 'changed\n');
    writeFileSync(path.join(place.tmp, 'left'), 'x');
    rmSync(place.at('../outside/h.txt'));
    const wrong = (await look()).join('\n');
    for (const part of [/outside\/o\.txt changed/, /tmp\/left appeared/, /outside\/h\.txt is gone/])
      assert.match(wrong, part);
  });

  it('what is written outside between two actions of the human is found, too', async () => {
    writeFileSync(place.at('../outside/o.txt'), 'changed\n');
    await place.human({ write: { '../outside/o.txt': 'o\n' } }, 5000, () => assert.fail());
    assert.match((await look()).join('\n'), /invariant 4.*outside\/o\.txt changed/);
  });

  it('no scraps of ours stay in the workspace', async () => {
    mkdirSync(place.at('sub'));
    writeFileSync(place.at('sub/.holdfast-0123.tmp'), '');
    assert.match((await look()).join(), /scraps in the workspace: sub\/\.holdfast-0123\.tmp/);
    assert.deepEqual(await look({ states: [state({ status: 'running' })] }), []);
  });

  it('a fresh start lists and loads the run as it was', () => {
    const listed = [{ runId: 'run-1' } as RunSummary];
    const problems = (before: Partial<RunState>, after: Partial<RunState> | undefined, list = listed): string =>
      reloadProblems(state(before), after && state(after), list).join('\n');
    assert.equal(problems({}, {}), '');
    assert.match(problems({}, {}, []), /does not list the run/);
    assert.match(problems({}, undefined), /cannot load the run/);
    assert.match(problems({}, { status: 'paused' }), /was completed, and after a fresh start it is paused/);
    assert.equal(problems({ status: 'running' }, { status: 'paused' }), '');
    assert.match(
      problems({ status: 'running' }, { status: 'running' }),
      /was running, and after a fresh start it is running/,
    );
    assert.match(problems({}, { steps: [] }), /step 1 was done, and after a fresh start it is gone/);
    const decisions = [{ id: 'd', kind: 'approval', state: 'pending' } as Decision];
    const waiting = { status: 'awaitingApproval', decisions } as const;
    assert.equal(problems(waiting, waiting), '');
    assert.match(problems(waiting, { ...waiting, decisions: [] }), /open approval is gone/);
  });
});
