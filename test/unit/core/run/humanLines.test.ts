import assert from 'node:assert/strict';
import { countOwned } from '../../../../src/core/reconcile/owned';
import { fileOf } from '../../../../src/core/run/update';
import { call, slow, Stage, type StageOptions } from './stage';

const X = 'x.txt';
const read = (path = X) => call('read_file', { path });
const edit = (old: string, next: string, path = X) => call('edit_file', { path, old_text: old, new_text: next });
const write = (content: string, path = X) => call('write_file', { path, content });
const BASE = 'one\ntwo\nthree\nfour\nfive\n';

/** The run has read the file and stands in a command (step 2); the human changes line 3. */
async function edited(replies: StageOptions['replies'], settings: StageOptions['settings'] = {}): Promise<Stage> {
  const stage = await Stage.open({ files: { [X]: BASE }, settings, replies: [read(), slow('a'), ...replies] });
  await stage.running(2);
  stage.world.files.put(X, BASE.replace('three', 'mine'));
  return stage;
}

const owned = (stage: Stage, path = X) => fileOf(stage.state, path)?.owned?.ranges;
const content = (stage: Stage, path = X): string | undefined => stage.world.files.text(path);

describe('human-owned lines in a run', () => {
  it('an edit of one asks, with auto and after reading it again, showing exactly that line', async () => {
    const stage = await edited([read(), edit('two\nmine\nfour', 'TWO\nMINE\nFOUR')]);
    await stage.untilStatus('awaitingApproval');
    const asked = stage.open('approval');
    assert.deepEqual(asked.humanLines, [{ from: 3, to: 3 }]);
    assert.match(asked.detail, /3: mine$/);
    assert.deepEqual(asked.choices.map((c) => c.id).sort(), ['grant', 'reject']);
    assert.deepEqual(owned(stage), [{ from: 3, to: 3 }]);
    assert.equal(content(stage), BASE.replace('three', 'mine'));
    await stage.decide('approval', 'grant');
    await stage.untilStatus('completed');
    assert.equal(content(stage), 'one\nTWO\nMINE\nFOUR\nfive\n');
    assert.equal(owned(stage), undefined);
    assert.deepEqual(stage.step(4).changes[0]?.lost, [{ from: 3, to: 3 }]);
  });

  it('a file that could not be read at the resume is not forgotten: a line written meanwhile is theirs', async () => {
    const replies = [read(), slow('a'), read(), edit('mine\n', '')];
    const stage = await Stage.open({ files: { [X]: BASE }, replies });
    await stage.running(2);
    await stage.world.finish(stage.core.pause());
    stage.world.files.put(X, BASE.replace('three', 'mine'));
    stage.world.files.fail('read', X, 'permissionDenied', 2);
    await stage.world.finish(stage.core.resume());
    assert.equal(stage.state.report?.files[0]?.verdict, 'unreadable');
    await stage.decide('worldChanged', 'continue');
    await stage.untilStatus('awaitingApproval');
    assert.deepEqual(stage.open('approval').humanLines, [{ from: 3, to: 3 }]);
  });

  it('rejected, the line stays, and the run goes on', async () => {
    const stage = await edited([read(), write('one\ntwo\nfour\nfive\n'), edit('one', 'ONE')]);
    await stage.untilStatus('awaitingApproval');
    await stage.decide('approval', 'reject', 'mine stays');
    await stage.untilStatus('completed');
    assert.equal(stage.step(4).outcome, 'skipped');
    assert.equal(content(stage), 'ONE\ntwo\nmine\nfour\nfive\n');
    assert.deepEqual(owned(stage), [{ from: 3, to: 3 }]);
  });

  it('an edit beside it asks nobody, and the mark goes along', async () => {
    const stage = await edited([edit('two', 'x\ny\ntwo'), read(), write('x\none\ny\ntwo\nmine\n')]);
    await stage.untilStatus('completed');
    assert.deepEqual(stage.state.decisions, []);
    assert.equal(content(stage), 'x\none\ny\ntwo\nmine\n');
    assert.deepEqual(owned(stage), [{ from: 5, to: 5 }]);
  });

  it('a merge that keeps it asks nobody', async () => {
    const stage = await edited([write(BASE.replace('one', 'ONE'))]);
    await stage.untilStatus('completed');
    assert.deepEqual(stage.state.decisions, []);
    assert.equal(content(stage), 'ONE\ntwo\nmine\nfour\nfive\n');
  });

  it('an answer counts for what was shown: changed meanwhile, it is asked anew', async () => {
    const stage = await edited([read(), edit('mine', 'MINE')]);
    await stage.untilStatus('awaitingApproval');
    stage.world.files.put(X, 'added\none\ntwo\nmine\nfour\nfive\n');
    await stage.decide('approval', 'grant');
    await stage.untilStatus('awaitingApproval');
    assert.deepEqual(
      stage.state.decisions.map((d) => [d.state, d.humanLines]),
      [
        ['stale', [{ from: 3, to: 3 }]],
        ['pending', [{ from: 4, to: 4 }]],
      ],
    );
    await stage.decide('approval', 'grant');
    await stage.untilStatus('completed');
    assert.equal(content(stage), 'added\none\ntwo\nMINE\nfour\nfive\n');
    assert.deepEqual(owned(stage), [{ from: 1, to: 1 }]);
  });

  it('deleting the file asks for all of them', async () => {
    const stage = await edited([read(), call('delete_file', { path: X })]);
    await stage.untilStatus('awaitingApproval');
    assert.deepEqual(stage.open('approval').humanLines, [{ from: 3, to: 3 }]);
    await stage.decide('approval', 'grant');
    await stage.untilStatus('completed');
    assert.equal(content(stage), undefined);
  });

  it('they go along when the agent moves the file', async () => {
    const stage = await edited([read(), call('move_file', { from: X, to: 'y.txt' }), edit('mine', 'MINE', 'y.txt')]);
    await stage.untilStatus('awaitingApproval');
    assert.deepEqual(stage.open('approval').humanLines, [{ from: 3, to: 3 }]);
    assert.equal(stage.open('approval').path, 'y.txt');
  });

  it('and when the human renames it, reported or not', async () => {
    for (const pause of [true, false]) {
      const stage = await edited([read('y.txt'), edit('mine', 'MINE', 'y.txt')]);
      if (pause) await stage.world.finish(stage.core.pause());
      stage.world.files.rename(X, 'y.txt');
      if (pause) {
        await stage.world.finish(stage.core.resume());
        await stage.decide('worldChanged', 'continue');
      }
      await stage.untilStatus('awaitingApproval');
      assert.deepEqual(stage.open('approval').humanLines, [{ from: 3, to: 3 }], `paused: ${pause}`);
    }
  });

  it('a report marks them too, and they survive a crash', async () => {
    const stage = await edited([read(), edit('mine', 'MINE')]);
    await stage.world.finish(stage.core.pause());
    await stage.restart();
    void stage.core.resume();
    await stage.until('asked', (s) => s.decisions.length > 0);
    if (stage.open('unknownEffect')) await stage.decide('unknownEffect', 'didNotHappen');
    await stage.until('approval', (s) => s.decisions.some((d) => d.kind === 'approval'));
    assert.deepEqual(stage.open('approval').humanLines, [{ from: 3, to: 3 }]);
  });

  it('a file that the human created where the run knew of none is theirs', async () => {
    const stage = await Stage.open({
      files: { [X]: BASE },
      replies: [read(), call('delete_file', { path: X }), slow('a'), read(), edit('new', 'NEW')],
    });
    await stage.running(3);
    stage.world.files.put(X, 'new\nfile\n');
    await stage.untilStatus('awaitingApproval');
    assert.deepEqual(stage.open('approval').humanLines, [{ from: 1, to: 1 }]);
    assert.deepEqual(owned(stage), [{ from: 1, to: 2 }]);
  });

  it('what the human makes of a proposal by hand is theirs', async () => {
    const stage = await Stage.open({
      files: { [X]: BASE },
      settings: { approvals: 'edits' },
      replies: [read(), edit('two', 'TWO')],
    });
    await stage.untilStatus('awaitingApproval');
    await stage.decide('approval', 'edit', 'one\nTWO\nthree\nby hand\nfour\nfive\n');
    await stage.untilStatus('completed');
    assert.deepEqual(owned(stage), [{ from: 4, to: 4 }]);
  });

  it('lines of an ignored file are never marked', async () => {
    const path = 'ignored/x.txt';
    const stage = await Stage.open({
      files: { [path]: BASE },
      replies: [read(path), slow('a'), edit('mine', 'MINE', path)],
    });
    await stage.running(2);
    stage.world.files.put(path, BASE.replace('three', 'mine'));
    await stage.untilStatus('completed');
    assert.equal(content(stage, path), BASE.replace('three', 'MINE'));
  });

  it('warn lets it happen and says so; off says nothing', async () => {
    for (const humanLines of ['warn', 'off'] as const) {
      const stage = await edited([read(), edit('mine', 'MINE')], { humanLines });
      await stage.untilStatus('completed');
      assert.deepEqual(stage.state.decisions, []);
      assert.equal(stage.step(4).text?.includes('that the human wrote'), humanLines === 'warn');
    }
  });

  it('a secret-looking file that the human changed is theirs as a whole, and none of it is in the question', async () => {
    const stage = await Stage.open({
      files: { '.env': 'KEY=1\nB=2\n' },
      replies: [read('.env'), slow('a'), read('.env'), edit('B=2', 'B=3', '.env')],
    });
    await stage.untilStatus('awaitingApproval');
    await stage.decide('approval', 'grant');
    await stage.running(2);
    stage.world.files.put('.env', 'KEY=7\nB=2\n');
    await stage.untilStatus('awaitingApproval');
    await stage.decide('approval', 'grant');
    await stage.untilStatus('awaitingApproval');
    const asked = stage.open('approval');
    assert.deepEqual(asked.humanLines, [{ from: 2, to: 2 }]);
    assert.ok(!JSON.stringify(stage.state.decisions).includes('KEY=7'));
    assert.equal(countOwned(owned(stage, '.env') ?? []), 2);
  });

  it('an editor can ask whose lines it shows, also while they are typed', async () => {
    const stage = await edited([read(), slow('b')]);
    await stage.running(4);
    const lines = (text: string, path = X) => stage.world.finish(stage.core.humanLines({ path, text }));
    assert.deepEqual(await lines(BASE.replace('three', 'mine')), [{ from: 3, to: 3 }]);
    assert.deepEqual(await lines(`typed\n${BASE.replace('three', 'mine')}`), [
      { from: 1, to: 1 },
      { from: 4, to: 4 },
    ]);
    assert.deepEqual(await lines('anything', 'unknown.txt'), []);
  });

  it('moving a file that was never read does not count as reading it', async () => {
    const stage = await Stage.open({
      files: { [X]: BASE },
      replies: [call('move_file', { from: X, to: 'y.txt' }), write('all new\n', 'y.txt')],
    });
    await stage.untilStatus('completed');
    assert.equal(stage.step(2).reason, 'notRead');
    assert.equal(content(stage, 'y.txt'), BASE);
  });
});
