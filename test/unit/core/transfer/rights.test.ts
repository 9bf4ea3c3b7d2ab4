import assert from 'node:assert/strict';
import { SCHEMA_VERSION, type RunState } from '../../../../src/core/run/state';
import { summarize } from '../../../../src/core/run/load';
import { arrivedState, renamed } from '../../../../src/core/transfer/arrive';
import { Carrier, HIDDEN } from '../../../../src/core/transfer/carry';
import { baseVerdict, foldersDiffer, type ImportedFrom } from '../../../../src/core/transfer/differences';
import { recordWithoutRights, withoutRights } from '../../../../src/core/transfer/rights';
import { NOT_KEPT } from '../../../../src/core/secretArgs';
import { stateProblem } from '../../../../src/core/transfer/shape';
import { addressWords, folderWords, serverWords } from '../../../../src/node/archive/localWords';
import { stepProblems, transcriptProblems } from '../../../scenarios/invariants';
import { runState, step } from '../../ui/states';

const ID = { pid: 4242, startTime: 'then', command: 'npm run dev' };
const decision = (
  n: number,
  stepId: string,
  more: Partial<RunState['decisions'][number]>,
): RunState['decisions'][number] => ({
  ...{ id: `run1/d${n}`, kind: 'approval', stepId, title: 't', detail: 'd', choices: [], freeText: true },
  ...{ subject: `command::${n}`, state: 'granted', openedAt: 1, answer: { choice: 'grantForRun', at: 2 } },
  ...more,
});
const FROM: ImportedFrom = {
  ...{ runId: 'run1', exportedAt: 5, at: 9, base: null, here: null, missingContents: 0 },
  files: { same: 0, different: [], missing: [], extra: [], unreadable: [], secret: [] },
};

/** Everything that may not travel, in one state: two commands, one of them frozen, one in the background, one still to come. */
const alive = runState({
  schemaVersion: SCHEMA_VERSION,
  status: 'paused',
  steps: [
    step(1, {
      tool: 'run_command',
      effectKind: 'process',
      effect: 'committed',
      process: { id: ID, marker: 'run1/s1', background: true },
    }),
    step(2, {
      tool: 'run_command',
      effectKind: 'process',
      outcome: 'running',
      effect: 'requested',
      process: { id: ID, marker: 'run1/s2', background: false },
    }),
    step(3, { tool: 'run_command', outcome: 'notStarted', repeatOf: 1 }),
    step(4, { outcome: 'notStarted' }),
  ],
  transcript: [
    { kind: 'goal', text: 'g', at: 1 },
    {
      kind: 'assistant',
      requestId: 'run1/q1',
      text: '',
      stepIds: ['run1/s1', 'run1/s2', 'run1/s3', 'run1/s4'],
      interrupted: false,
      at: 1,
    },
    { kind: 'result', stepId: 'run1/s1', text: 'started', at: 2 },
  ],
  decisions: [
    decision(1, 'run1/s1', {}),
    decision(2, 'run1/s3', { answer: { choice: 'grant', at: 2 } }),
    decision(3, 'run1/s4', { state: 'pending' }),
    decision(4, 'run1/s4', { kind: 'conflict', state: 'answered' }),
    decision(5, 'run1/s4', { kind: 'question', state: 'answered', answer: { choice: 'yes', at: 3 } }),
  ].map(({ answer, ...one }) => ({ ...one, ...(one.state === 'pending' || !answer ? {} : { answer }) })),
  grants: ['command::npm test'],
  guards: [{ id: 'run1/g1', kind: 'protect', value: 'b/**', state: 'active', at: 1 }],
  background: ['run1/s1'],
  frozen: 'run1/s2',
  survivors: [ID],
  servers: [{ server: 'tickets', id: ID, marker: 'run1' }],
  git: { branch: 'main', head: 'a'.repeat(40), operation: null, stashes: 3, moves: 7, recent: ['commit'] },
});

describe('what a run may not take along', () => {
  it('is not in the state: grants, answers for what is to come, processes', () => {
    const state = withoutRights(alive);
    assert.deepEqual([state.grants, state.survivors, state.servers], [[], [], undefined]);
    assert.deepEqual(
      state.decisions.map((one) => [one.state, one.answer?.choice]),
      [
        ['granted', 'grant'],
        ['withdrawn', undefined],
        ['pending', undefined],
        ['withdrawn', undefined],
        ['answered', 'yes'],
      ],
    );
    assert.ok(state.steps.every((one) => one.process === undefined && one.repeatOf === undefined));
    assert.ok(!JSON.stringify(state).includes('4242'));
    assert.deepEqual(state.guards, alive.guards, 'what is forbidden stays forbidden');
  });

  it('is not in the records', () => {
    const of = (event: Parameters<typeof recordWithoutRights>[0]['event']) =>
      recordWithoutRights({ seq: 1, at: 1, event })?.event;
    assert.equal(of({ type: 'stepProcess', stepId: 's', id: ID, marker: 'm', background: true }), undefined);
    assert.equal(of({ type: 'serverStarted', process: { server: 'x', id: ID, marker: 'm' } }), undefined);
    assert.deepEqual(of({ type: 'decisionAnswered', decisionId: 'd', choice: 'grantForRun' }), {
      type: 'decisionAnswered',
      decisionId: 'd',
      choice: 'grant',
    });
    for (const event of [
      { type: 'stepFrozen', stepId: 's', loose: [ID] },
      { type: 'interrupted', settled: [], survivors: [ID] },
      { type: 'stepEnded', end: { stepId: 's', outcome: 'done', effect: 'committed', text: '', survivors: [ID] } },
    ] as const)
      assert.ok(!JSON.stringify(of(event as never)).includes('4242'), event.type);
  });

  it('arrives without the report on the other folder, marked in the index, with its time at work', () => {
    const report = { files: [], checked: 4, plan: [], text: '' };
    const state = arrivedState({ ...alive, report, activeMs: 7 }, 'run2', FROM, null);
    assert.deepEqual([state.report, state.activeMs, summarize(state).imported], [null, 7, true]);
  });

  it('arrives as after a crash: paused, what was in flight unknown and asked about, an open approval withdrawn', () => {
    const here = { branch: 'other', head: 'b'.repeat(40), operation: null, stashes: 1, moves: 2 };
    const state = arrivedState(alive, 'run2', FROM, here);
    assert.deepEqual([transcriptProblems(state), stepProblems(state)], [[], []]);
    assert.deepEqual([state.status, state.frozen, state.background, state.inFlight], ['paused', null, [], null]);
    assert.deepEqual(
      state.steps.map((one) => [one.id, one.outcome, one.effect]),
      [
        ['run2/s1', 'done', 'committed'],
        ['run2/s2', 'unknown', 'unknown'],
        ['run2/s3', 'notStarted', 'notStarted'],
        ['run2/s4', 'notStarted', 'notStarted'],
      ],
    );
    assert.deepEqual(
      state.decisions.filter((one) => one.state === 'pending').map((one) => [one.id, one.kind, one.stepId]),
      [['run2/d6', 'unknownEffect', 'run2/s2']],
    );
    assert.deepEqual([state.receipts.at(-1)?.intent, state.receipts.at(-1)?.recovery], ['interrupted', 'humanReview']);
    assert.deepEqual(state.git, { branch: 'main', head: 'a'.repeat(40), operation: null, stashes: 1 });
    assert.equal(state.seq, 1);
  });

  it('renames ids and nothing that only looks like one', () => {
    const given = ['r/s1', 'r/s1:0', 'r/src', 'see r/s1', 'rr/s1', 'r/n12'];
    assert.deepEqual(renamed(given, 'r', 'x'), ['x/s1', 'x/s1:0', 'r/src', 'see r/s1', 'rr/s1', 'x/n12']);
  });

  it('words of this machine are replaced, but not in what the agent said; secrets are hidden, contents named', () => {
    const hash = 'ab'.repeat(32);
    const words = [
      ...folderWords('/home/me/project', '<folder project>'),
      ...addressWords('http://127.0.0.1:4711/v1/', '<model service>'),
    ];
    const carrier = new Carrier((file) => file.endsWith('.env'), new Set(['r/s9']), words);
    const carried = carrier.piece({
      args: { command: 'ls /home/me/project' },
      text: 'in /home/me/project/src: 127.0.0.1:4711 refused (http://127.0.0.1:4711/v1)',
      goal: 'tidy /home/me/project',
      changes: [
        { path: 'a', before: null, after: hash },
        { path: '.env', before: null, after: 'cd'.repeat(32), owned: { of: 'cd'.repeat(32), ranges: [] } },
      ],
      result: { kind: 'result', stepId: 'r/s9', text: 'CANARY' },
      calls: [{ tool: 'write_file', argsText: '{"path":"x/.env","content":"CANARY"}' }],
    });
    assert.deepEqual(carried, {
      args: { command: 'ls /home/me/project' },
      text: 'in <folder project>/src: <model service> refused (<model service>)',
      goal: 'tidy <folder project>',
      changes: [
        { path: 'a', before: null, after: hash },
        { path: '.env', before: null, after: HIDDEN, owned: { of: HIDDEN, ranges: [] } },
      ],
      result: { kind: 'result', stepId: 'r/s9', text: NOT_KEPT },
      calls: [{ tool: 'write_file', argsText: JSON.stringify({ path: 'x/.env', content: NOT_KEPT }) }],
    });
    assert.deepEqual([...carrier.named], [hash]);
  });

  it('commands, addresses and keys of tool servers are words of this machine', () => {
    const texts = serverWords({
      files: { command: '/opt/serve', args: ['--root', '/srv/data'], env: { TOKEN: 'tok-CANARY-1' } },
      web: { url: 'https://tools.example/mcp', headers: { Authorization: 'Bearer CANARY-2' } },
    }).map(({ text }) => text);
    for (const wanted of [
      '/opt/serve --root /srv/data',
      '/srv/data',
      'tok-CANARY-1',
      'https://tools.example/mcp',
      'Bearer CANARY-2',
    ])
      assert.ok(texts.includes(wanted), wanted);
    assert.deepEqual(serverWords('nonsense'), []);
  });

  it('compares bases and folders', () => {
    const at = (head: string | null) => ({ branch: 'main', head });
    assert.equal(baseVerdict({ base: at('1'), here: at('1') }), 'same');
    assert.equal(baseVerdict({ base: at('1'), here: at('2') }), 'different');
    assert.equal(baseVerdict({ base: at('1'), here: null }), 'different');
    assert.equal(baseVerdict({ base: null, here: null }), 'unknown');
    assert.deepEqual(
      [foldersDiffer(['a'], ['b']), foldersDiffer(['a', 'b'], ['b', 'a']), foldersDiffer(['a'], ['a', 'b'])],
      [false, false, true],
    );
  });

  it('knows the state of a run from nonsense', () => {
    const good = { ...withoutRights(alive) } as unknown as Record<string, unknown>;
    assert.equal(stateProblem(good), undefined);
    for (const [name, value] of Object.entries({
      ...{
        runId: '..',
        status: 'running',
        steps: [1],
        decisions: [{}],
        files: [{ path: 1 }],
        engine: { kind: 'shell' },
      },
      ...{ transcript: [{ kind: 'goal' }], grants: 'all', git: 7, receipts: [null], usage: null },
    }))
      assert.notEqual(stateProblem({ ...good, [name]: value }), undefined, name);
  });
});
