import assert from 'node:assert/strict';
import { transcriptProblems } from '../../../scenarios/invariants';
import { call, slow, Stage } from './stage';

const edit = (path: string, old_text: string, new_text: string) => call('edit_file', { path, old_text, new_text });
const files = { 'x.txt': 'one\n', 'y.txt': 'why\n' };

/** A run that stopped in the middle of a command: one unknown effect, and x.txt changed by the human since. */
async function unknownThenChanged(): Promise<Stage> {
  const stage = await Stage.open({
    settings: { pauseCommands: 'end' },
    files,
    replies: [
      call('read_file', { path: 'x.txt' }),
      { calls: [...(slow('a').calls ?? []), { tool: 'read_file', args: { path: 'y.txt' } }] },
    ],
  });
  await stage.running(2);
  await stage.world.finish(stage.core.pause());
  stage.world.files.put('x.txt', 'two\n');
  return stage;
}

describe('decisions', function () {
  this.timeout(30_000);
  it('an answer "check" during a resume does not skip the reconcile', async () => {
    const stage = await Stage.open({
      files,
      replies: [call('read_file', { path: 'y.txt' }), edit('x.txt', 'one', 'uno')],
    });
    // Killed between the write and its record, then the file changes again: unknown.
    stage.world.probe.hold('tool:afterEffect', 2);
    await stage.until('held', () => stage.world.probe.held().length > 0);
    await stage.world.crash();
    stage.world.files.put('x.txt', 'other\n');
    await stage.world.open();
    await stage.world.finish(stage.core.load('run-001'));
    assert.equal(stage.step(2).outcome, 'unknown');
    stage.world.files.put('y.txt', 'because\n');
    stage.world.files.put('x.txt', 'uno\n');
    await stage.world.finish(stage.core.resume());
    await stage.decide('unknownEffect', 'check');
    await stage.untilStatus('completed');
    assert.equal(stage.step(2).outcome, 'done');
    assert.match(stage.lastRequest(), /y\.txt: humanEdited/);
  });

  it('a second answer is refused with what became of the question', async () => {
    const stage = await unknownThenChanged();
    const answer = { decisionId: stage.open('unknownEffect').id, choice: 'happened' };
    assert.ok('state' in (await stage.world.finish(stage.core.decide(answer))));
    const again = await stage.world.finish(stage.core.decide(answer));
    assert.ok('refused' in again);
    assert.equal(again.message, 'That question was answered already; nothing more was done.');
  });

  for (const quicker of ['another answer', 'a pause'])
    it(`${quicker} in the same breath: the later answer is refused, not passed over in silence`, async () => {
      const settings = { approvals: 'edits' } as const;
      const replies = [call('read_file', { path: 'x.txt' }), edit('x.txt', 'one', 'uno')];
      const stage = await Stage.open({ files, settings, replies });
      const { world, core } = stage;
      await stage.untilStatus('awaitingApproval');
      const { id: decisionId } = stage.open('approval');
      const first: Promise<unknown> =
        quicker === 'a pause' ? core.pause() : core.decide({ decisionId, choice: 'reject' });
      const late = core.decide({ decisionId, choice: 'grant' });
      await world.finish(first);
      const refused = await world.finish(late);
      assert.ok('refused' in refused, JSON.stringify(refused));
      assert.match(
        refused.message,
        quicker === 'a pause' ? /taken back when the run stopped/ : /rejected that already/,
      );
      await world.settle();
      assert.equal(world.files.text('x.txt'), 'one\n');
    });

  it('a check cut off by the end of the host can be asked again', async () => {
    const stage = await unknownThenChanged();
    void stage.core.decide({ decisionId: stage.open('unknownEffect').id, choice: 'check' });
    await stage.until('checking', (s) => s.inFlight?.kind === 'check');
    await stage.restart();
    assert.equal(stage.state.inFlight, null);
    await stage.world.finish(stage.core.abort());
    assert.equal(stage.state.status, 'aborted');
  });

  it('Steer Now during a resume does not skip the reconcile', async () => {
    const stage = await Stage.open({ files, replies: [call('read_file', { path: 'x.txt' }), slow('a')] });
    await stage.running(2);
    await stage.world.finish(stage.core.pause());
    stage.world.buffers.type('x.txt', (lines) => ['mine', ...lines]);
    await stage.world.finish(stage.core.resume());
    stage.open('unsaved');
    await stage.world.finish(stage.core.steer({ text: 'hurry', now: true }));
    await stage.world.settle();
    assert.notEqual(stage.state.status, 'completed');
    assert.equal(stage.world.models.requests.length, 2);
  });

  it('Steer Now at an approval that is older than the host looks at the world first', async () => {
    const stage = await Stage.open({
      files,
      settings: { approvals: 'edits' },
      replies: [call('read_file', { path: 'x.txt' }), edit('x.txt', 'one', 'uno')],
    });
    await stage.untilStatus('awaitingApproval');
    await stage.restart();
    stage.world.files.put('x.txt', 'two\n');
    await stage.world.finish(stage.core.steer({ text: 'leave it', now: true }));
    await stage.untilStatus('completed');
    assert.match(stage.lastRequest(), /x\.txt: humanEdited/);
    assert.match(stage.lastRequest(), /leave it/);
  });

  it('an aborted run that is asked to check an unknown effect keeps one result per call', async () => {
    const stage = await Stage.open({
      files,
      replies: [call('read_file', { path: 'x.txt' }), edit('x.txt', 'one', 'uno')],
    });
    stage.world.probe.hold('tool:afterEffect', 2);
    await stage.until('held', () => stage.world.probe.held().length > 0);
    await stage.world.crash();
    stage.world.files.put('x.txt', 'other\n');
    await stage.world.open();
    await stage.world.finish(stage.core.load('run-001'));
    await stage.world.finish(stage.core.abort());
    stage.world.files.put('x.txt', 'uno\n');
    await stage.decide('unknownEffect', 'check');
    await stage.world.settle();
    assert.equal(stage.step(2).outcome, 'done');
    assert.deepEqual(transcriptProblems(stage.state), []);
  });

  it('an aborted run does not take "Run it again" for "it did not happen"', async () => {
    const stage = await unknownThenChanged();
    await stage.world.finish(stage.core.abort());
    const answer = await stage.decide('unknownEffect', 'runAgain');
    assert.ok('refused' in answer);
    assert.equal(stage.step(2).outcome, 'unknown');
  });

  it('an answer is not thrown away by a note that came while it was open', async () => {
    const stage = await Stage.open({ replies: [call('ask_human', { question: 'Which?', choices: ['red', 'blue'] })] });
    await stage.untilStatus('needsHuman');
    await stage.world.finish(stage.core.steer({ text: 'be quick' }));
    await stage.decide('question', 'red');
    await stage.untilStatus('completed');
    assert.match(stage.lastRequest(), /The human answers: red/);
    assert.match(stage.lastRequest(), /be quick/);
  });

  it('an approval is not granted by a note, and what is granted then is done before the note is told', async () => {
    const stage = await Stage.open({
      files,
      settings: { approvals: 'edits' },
      replies: [call('read_file', { path: 'x.txt' }), edit('x.txt', 'one', 'uno')],
    });
    await stage.untilStatus('awaitingApproval');
    await stage.world.finish(stage.core.steer({ text: 'be quick' }));
    assert.equal(stage.state.status, 'awaitingApproval');
    await stage.decide('approval', 'grant');
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('x.txt'), 'uno\n');
    assert.match(stage.lastRequest(), /be quick/);
  });

  it('"edit" answers the approval of a text only, never that of a command', async () => {
    const stage = await Stage.open({ settings: { approvals: 'ask' }, replies: [slow('a')] });
    await stage.untilStatus('awaitingApproval');
    const answer = await stage.decide('approval', 'edit', 'echo b >> log.txt');
    assert.ok('refused' in answer);
    assert.equal(stage.state.status, 'awaitingApproval');
  });

  it('unsaved files that turn up one after another are each asked about once', async () => {
    const stage = await Stage.open({ files, replies: [call('read_file', { path: 'x.txt' }), slow('a')] });
    await stage.running(2);
    await stage.world.finish(stage.core.pause());
    stage.world.buffers.type('x.txt', (lines) => ['mine', ...lines]);
    await stage.world.finish(stage.core.resume());
    stage.world.buffers.type('y.txt', (lines) => ['mine too', ...lines]);
    let asked = 0;
    while (stage.state.status === 'needsHuman' && asked < 8) {
      const [open] = stage.state.decisions.filter((d) => d.state === 'pending');
      assert.ok(open);
      if (open.kind === 'unsaved') asked += 1;
      await stage.decide(open.kind, open.kind === 'unsaved' ? 'keep' : 'continue');
      await stage.world.settle(0);
    }
    assert.equal(asked, 2);
  });
});
