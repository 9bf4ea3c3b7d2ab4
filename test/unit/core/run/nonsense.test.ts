import assert from 'node:assert/strict';
import { call, Stage } from './stage';

const files = { 'x.txt': 'one\n' };
const deep = (n: number): string => `{"path":${'['.repeat(n)}${']'.repeat(n)}}`;

describe('nonsense of the model', function () {
  this.timeout(30_000);

  it('arguments nested so deeply that they could not be stored are a failed call; the run goes on, and is stored', async () => {
    for (const depth of [101, 3000, 20_000]) {
      const stage = await Stage.open({ files, replies: [{ calls: [{ tool: 'read_file', argsText: deep(depth) }] }] });
      await stage.untilStatus('completed');
      assert.equal(stage.step(1).outcome, 'failedBeforeEffect');
      assert.match(stage.step(1).text ?? '', /nested too deeply/);
      await stage.restart();
      assert.equal(stage.state.status, 'completed');
    }
  });

  it('brackets in a text are no depth', async () => {
    const content = '[{"\\'.repeat(5000);
    const stage = await Stage.open({ replies: [call('write_file', { path: 'y.txt', content })] });
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('y.txt'), content);
  });

  it('a glob that would take seconds is refused', async () => {
    const stage = await Stage.open({ replies: [call('list_files', { path: '.', glob: '('.repeat(60_000) })] });
    const from = process.cpuUsage();
    await stage.untilStatus('completed');
    assert.equal(stage.step(1).reason, 'badArguments');
    assert.ok(process.cpuUsage(from).user < 5_000_000);
  });
});

describe('nonsense of a caller', function () {
  this.timeout(30_000);

  it('an answer whose text is no text is refused, and the question stays', async () => {
    for (const text of [5, null, {}, [], true]) {
      for (const choice of ['edit', 'reject', 'grant']) {
        const stage = await Stage.open({
          settings: { approvals: 'edits' },
          files,
          replies: [call('read_file', { path: 'x.txt' }), call('write_file', { path: 'x.txt', content: 'two\n' })],
        });
        await stage.untilStatus('awaitingApproval');
        const answer = await stage.decide('approval', choice, text as unknown as string);
        assert.ok('refused' in answer);
        assert.equal(stage.open('approval').state, 'pending');
      }
    }
  });

  it('a guard longer than any pattern is refused, and writes go on', async () => {
    const stage = await Stage.open({ replies: [call('write_file', { path: 'y.txt', content: 'y' })] });
    const value = '('.repeat(70_000);
    const answer = await stage.world.finish(stage.core.addGuard({ kind: 'protect', value }));
    assert.ok('refused' in answer && answer.code === 'badArgument');
    await stage.untilStatus('completed');
    assert.equal(stage.step(1).outcome, 'done');
  });

  it('lines of nothing are none', async () => {
    const stage = await Stage.open({ files, replies: [] });
    for (const shown of [undefined, null, {}, { path: 5, text: 'x' }, { path: 'x.txt', text: 5 }])
      assert.deepEqual(await stage.core.humanLines(shown as unknown as { path: string; text: string }), []);
  });
});
