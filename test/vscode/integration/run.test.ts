import assert from 'node:assert/strict';
import { Uri, window } from 'vscode';
import { FINAL } from '../../../src/core/run/state';
import { COMMANDS } from '../../../src/vscode/ids';
import {
  api,
  bytes,
  call,
  clean,
  eventually,
  granted,
  isRefusal,
  open,
  put,
  runIs,
  setting,
  startPlaybook,
  text,
  type,
  uri,
} from './support';

const list = { title: 'Look around', tool: 'list_files', with: { path: '.' } };
const edit = (path: string, from: string, to: string): { tool: string; with: object } => ({
  tool: 'edit_file',
  with: { path, old_text: from, new_text: to },
});

describe('a run by its commands', () => {
  beforeEach(() => setting('holdfast.approvals', 'auto'));
  afterEach(clean);

  it('plays a playbook to its end', async () => {
    put('a.txt', 'one\ntwo\n');
    const runId = await startPlaybook('whole', [list, edit('a.txt', 'two', 'TWO')]);
    const state = await runIs(runId, 'completed');
    assert.deepEqual(
      state.steps.map(({ outcome, effect }) => [outcome, effect]),
      [
        ['done', 'notStarted'],
        ['done', 'committed'],
      ],
    );
    assert.equal(text('a.txt'), 'one\nTWO\n');
    const holdfast = await api();
    assert.deepEqual(
      holdfast.runs().map((run) => [run.runId, run.status, run.stepsDone]),
      [[runId, 'completed', 2]],
    );
    assert.equal(holdfast.getRun(runId)?.state().status, 'completed');
  });

  it('pauses where the playbook says so, tells what the human changed, and goes on', async () => {
    put('b.txt', 'one\ntwo\nthree\n');
    const runId = await startPlaybook('pausing', [
      { tool: 'read_file', with: { path: 'b.txt' } },
      { ...edit('b.txt', 'three', 'THREE'), pauseBefore: true },
    ]);
    await runIs(runId, 'paused');
    put('b.txt', 'one, mine\ntwo\nthree\n');
    const { reconcile, waitsFor, runId: resumed } = granted(await call('holdfast.resume', { runId }));
    assert.deepEqual([resumed, waitsFor], [runId, []]);
    assert.deepEqual(
      reconcile?.files.map((file) => [file.path, file.verdict]),
      [['b.txt', 'humanEdited']],
    );
    await runIs(runId, 'completed');
    assert.equal(text('b.txt'), 'one, mine\ntwo\nTHREE\n');
  });

  it('pause gives a receipt with its seven fields, and the same one when asked again', async () => {
    const runId = await startPlaybook('receipt', [list, { ...list, delay_s: 60 }]);
    await eventually(async () => (await api()).test.core.get(runId)?.steps.length === 2, 'the second step waits');
    const receipt = granted(await call('holdfast.pause', { runId }));
    for (const field of ['phase', 'boundary', 'effects', 'authority', 'evidence', 'recovery', 'resume'] as const)
      assert.ok(field in receipt, field);
    assert.deepEqual([receipt.intent, receipt.authority, receipt.boundary], ['pause', 'full', 1]);
    assert.deepEqual([receipt.resume.allowed, receipt.recovery], [true, 'resume']);
    assert.equal((await runIs(runId, 'paused')).status, 'paused');
    assert.equal(granted(await call('holdfast.pause', { runId })).id, receipt.id);
  });

  it('the diff of a proposal goes with its question', async () => {
    await setting('holdfast.approvals', 'edits');
    put('p.txt', 'one\n');
    const runId = await startPlaybook('asking', [edit('p.txt', 'one', 'uno')]);
    const { decisions } = await runIs(runId, 'awaitingApproval');
    const id = decisions.at(-1)?.id ?? '';
    const shown = (): number =>
      window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => tab.label === 'p.txt (now ↔ proposed)')
        .length;
    await call('holdfast.showChange', { decisionId: id });
    await eventually(() => shown() === 1, 'the diff is shown');
    granted(await call('holdfast.decide', { decisionId: id, choice: 'grant' }));
    await eventually(() => shown() === 0, 'the diff is gone');
    await runIs(runId, 'completed');
    assert.equal(text('p.txt'), 'uno\n');
  });

  it('take over, hand back with a note, abort', async () => {
    const runId = await startPlaybook('control', [list, { ...list, delay_s: 60 }, { ...list, delay_s: 60 }]);
    const receipt = granted(await call('holdfast.takeOver', { runId }));
    assert.deepEqual([receipt.intent, receipt.authority], ['takeOver', 'closing']);
    assert.equal((await runIs(runId, 'humanControl')).control, 'human');
    assert.ok(isRefusal(await call('holdfast.resume', { runId })));
    const back = granted(await call('holdfast.handBack', { runId, note: 'mind the gap' }));
    assert.deepEqual([back.runId, back.waitsFor], [runId, []]);
    assert.equal((await runIs(runId, 'running')).control, 'agent');
    const end = granted(await call('holdfast.abort', { runId }));
    assert.deepEqual([end.intent, end.authority, end.resume.allowed], ['abort', 'revoked', false]);
    assert.ok(FINAL.has((await runIs(runId, 'aborted')).status));
    assert.equal(granted(await call('holdfast.abort', { runId })).id, end.id);
  });

  it('steer answers with the note; a decision is answered by its id', async () => {
    await setting('holdfast.approvals', 'ask');
    const runId = await startPlaybook('asking', [{ tool: 'run_command', with: { command: 'echo held > out.txt' } }]);
    const asked = (await runIs(runId, 'awaitingApproval')).decisions.find((d) => d.state === 'pending');
    assert.ok(asked);
    const { noteId, state } = granted(await call('holdfast.steer', { runId, text: 'also say hello' }));
    assert.deepEqual([noteId.startsWith(runId), state], [true, 'queued']);
    assert.equal((await runIs(runId, 'awaitingApproval')).status, 'awaitingApproval', 'a note answers no approval');
    assert.deepEqual(await call('holdfast.decide', { decisionId: asked.id, choice: 'grant' }), { state: 'granted' });
    await runIs(runId, 'completed');
    assert.equal(text('out.txt').trim(), 'held');
  });

  it('an unsaved file: one decision, and what is kept unsaved stays as it is', async () => {
    put('c.txt', 'one\ntwo\n');
    const document = await open('c.txt');
    const runId = await startPlaybook('unsaved', [
      { tool: 'read_file', with: { path: 'c.txt' } },
      { ...edit('c.txt', 'two', 'TWO'), pauseBefore: true },
    ]);
    await runIs(runId, 'paused');
    await type(document, 0, 3, ', mine');
    const { waitsFor } = granted(await call('holdfast.resume', { runId }));
    assert.equal(waitsFor.length, 1);
    const state = await runIs(runId, 'needsHuman');
    const [decision] = state.decisions.filter((d) => d.state === 'pending');
    assert.deepEqual(
      [decision?.id, decision?.kind, decision?.choices.map((choice) => choice.id)],
      [waitsFor[0], 'unsaved', ['save', 'keep', 'discard']],
    );
    granted(await call('holdfast.decide', { decisionId: waitsFor[0] ?? '', choice: 'save' }));
    await runIs(runId, 'completed');
    assert.equal(text('c.txt'), 'one, mine\nTWO\n');
    assert.equal(document.isDirty, false);
  });

  it('a file that becomes unsaved while the agent works: the edit goes into the buffer and stays unsaved', async () => {
    put('d.txt', 'one\ntwo\n');
    const document = await open('d.txt');
    const runId = await startPlaybook('dirty', [
      { tool: 'read_file', with: { path: 'd.txt' } },
      { ...edit('d.txt', 'two', 'TWO'), delay_s: 5 },
    ]);
    await type(document, 0, 3, ', mine');
    const state = await runIs(runId, 'completed');
    assert.equal(document.getText(), 'one, mine\nTWO\n');
    assert.equal(document.isDirty, true);
    assert.equal(text('d.txt'), 'one\ntwo\n');
    assert.deepEqual(
      state.steps.at(-1)?.changes.map((change) => change.unsaved),
      [true],
    );
  });

  it('windows-1252 in an open editor: bytes away from the edit stay, and the editor shows the edit', async () => {
    put('latin.txt', Buffer.from('caf\xe9\ntwo\n', 'latin1'));
    await setting('files.encoding', 'windows1252');
    const document = await open('latin.txt');
    const runId = await startPlaybook('latin', [
      { tool: 'read_file', with: { path: 'latin.txt' } },
      edit('latin.txt', 'two', 'TWO'),
    ]);
    await runIs(runId, 'completed');
    assert.deepEqual(bytes('latin.txt'), Buffer.from('caf\xe9\nTWO\n', 'latin1'));
    await eventually(() => document.getText() === 'café\nTWO\n', 'the editor shows it');
    assert.equal(document.isDirty, false);
  });

  it('windows-1252, unsaved: the edit goes beside what the human types meanwhile, and both are saved in it', async () => {
    put('latin2.txt', Buffer.from('caf\xe9\ntwo\n', 'latin1'));
    await setting('files.encoding', 'windows1252');
    const document = await open('latin2.txt');
    const runId = await startPlaybook('latin2', [
      { tool: 'read_file', with: { path: 'latin2.txt' } },
      { ...edit('latin2.txt', 'two', 'TWO'), delay_s: 5 },
    ]);
    await type(document, 0, 0, 'le ');
    await runIs(runId, 'completed');
    assert.equal(document.getText(), 'le café\nTWO\n');
    assert.equal(document.isDirty, true);
    await document.save();
    assert.deepEqual(bytes('latin2.txt'), Buffer.from('le caf\xe9\nTWO\n', 'latin1'));
  });

  it('shows its documents', async () => {
    put('e.txt', 'one\n');
    const runId = await startPlaybook('looked', [
      { tool: 'read_file', with: { path: 'e.txt' } },
      edit('e.txt', 'one', 'ONE'),
    ]);
    await runIs(runId, 'completed');
    const shown = (): string => window.activeTextEditor?.document.getText() ?? '';
    for (const [id, words] of [
      ['holdfast.openTranscript', /# Transcript[\s\S]*Edit e\.txt: “/],
      ['holdfast.openHandover', /# Handover brief/],
      ['holdfast.openReceipt', /# Receipts/],
      ['holdfast.showReconcile', /# What changed/i],
    ] as const) {
      assert.equal(await call(id, { runId }), undefined);
      await eventually(() => words.test(shown()), `${id} shows ${words}, not: ${shown().slice(0, 200)}`, 10_000);
      assert.equal(window.activeTextEditor?.document.isDirty, false);
    }
    assert.equal(
      await call('holdfast.compareWithCheckpoint', { runId, path: 'e.txt', checkpoint: 'start' }),
      undefined,
    );
    await eventually(
      () => window.tabGroups.activeTabGroup.activeTab?.label.includes('before the run'),
      'the diff editor is open',
    );
  });

  it('what does not apply is answered, never thrown', async () => {
    const nobody = { runId: 'r-nobody' };
    for (const id of ['pause', 'resume', 'abort', 'forceStop', 'takeOver'] as const)
      assert.ok(isRefusal(await call(`holdfast.${id}`, nobody)), id);
    const answers: unknown[] = [
      await call('holdfast.handBack', { ...nobody, note: 'x' }),
      await call('holdfast.steer', { ...nobody, text: 'x' }),
      await call('holdfast.steer', { text: '  ' }),
      await call('holdfast.decide', { decisionId: 'r-nobody/d1', choice: 'grant' }),
      await call('holdfast.deleteRun', nobody),
      await call('holdfast.openTranscript', nobody),
      await call('holdfast.openHandover', nobody),
      await call('holdfast.openReceipt', nobody),
      await call('holdfast.showReconcile', nobody),
      await call('holdfast.compareWithCheckpoint', { ...nobody, path: 'nothing.txt' }),
      await call('holdfast.startRun', { goal: 'x', agent: 'someone' }),
      await call('holdfast.startRun', { goal: 'x', playbook: uri('missing.playbook.json') }),
      await call('holdfast.runPlaybook', Uri.parse('untitled:nothing')),
    ];
    for (const [i, answer] of answers.entries()) {
      assert.ok(isRefusal(answer), `answer ${i}: ${JSON.stringify(answer)}`);
      assert.match(answer.message, /^\S.*[.)\]]$/s, 'one sentence');
    }
  });

  it('a faulty playbook is refused with line and column', async () => {
    put('faulty.playbook.json', '{\n  "goal": "x",\n  "steps": [{ "tool": "fly" }]\n}\n');
    const answer = await call('holdfast.runPlaybook', uri('faulty.playbook.json'));
    assert.ok(isRefusal(answer));
    assert.match(answer.message, /faulty\.playbook\.json, line 3, column \d+/);
  });

  it('a second run is refused while one is at work', async () => {
    const runId = await startPlaybook('first', [list, { ...list, delay_s: 60 }]);
    const answer = await call('holdfast.runPlaybook', uri('first.playbook.json'));
    assert.ok(isRefusal(answer));
    assert.equal(answer.code, 'busy');
    assert.equal((await runIs(runId, 'running')).status, 'running');
  });

  it('odd arguments throw nothing', async () => {
    const quiet = COMMANDS.filter(
      (id) => !['holdfast.setApiKey', 'holdfast.showActions', 'holdfast.showLog'].includes(id),
    );
    for (const id of quiet)
      for (const odd of [{}, { runId: 7 }, { text: 3, note: 4, decisionId: 5, choice: 6, path: 8 }])
        await (call as (id: string, given: unknown) => Promise<unknown>)(id, odd).catch((error: unknown) =>
          assert.fail(`${id}(${JSON.stringify(odd)}) threw ${String(error)}`),
        );
  });
});
