/** A restore and its undo have receipts of their own; that of the stop the run rests in stays the one of the stop. */
import assert from 'node:assert/strict';
import { receiptLinks, renderReceipts } from '../../../../src/ui/render/receipt';
import { granted } from './theatre';
import { call, slow, Stage } from '../run/stage';

describe('receipts of restores', () => {
  it('name each file with its two contents, and lead to them', async () => {
    const replies = [call('write_file', { path: 'a.txt', content: 'A\n' }), slow('s')];
    const stage = await Stage.open({ files: { 'b.txt': 'b\n' }, replies });
    await stage.running(2);
    const { runId } = stage.state;
    const paused = granted(await stage.world.finish(stage.core.pause({ runId })));
    await stage.world.finish(stage.core.restoreCheckpoint({ runId, checkpoint: 'start' }));
    await stage.world.finish(stage.core.undoRestore({}));
    const [stop, restored, undone] = stage.state.receipts;
    assert.deepEqual([stop?.intent, restored?.intent, undone?.intent], ['pause', 'restore', 'undoRestore']);
    assert.equal(restored?.id, `${runId}/r2`);
    assert.match(restored.message, /^You restored 1 file to the start: a\.txt\.$/);
    const { before, after } = stage.step(1).changes[0] ?? {};
    assert.deepEqual(restored.evidence[0], { kind: 'file', path: 'a.txt', before: after, after: before });
    assert.deepEqual(undone?.evidence[0], { kind: 'file', path: 'a.txt', before, after });
    assert.deepEqual(
      [restored.authority, restored.resume, restored.recovery],
      [stop?.authority, stop?.resume, stop?.recovery],
    );
    // The frozen command is still there, and said to be.
    assert.deepEqual(
      restored.effects.map((e) => e.n),
      [2],
    );
    // A repeated pause is answered with what the pause was.
    assert.deepEqual(granted(await stage.world.finish(stage.core.pause({ runId }))), paused);
    const text = renderReceipts(stage.state);
    const links = receiptLinks(stage.state, text).filter(({ target }) => target.to === 'file');
    assert.deepEqual(
      links.slice(0, 2).map(({ start, end, target }) => [text.slice(start, end), target]),
      [
        ['file a.txt', { to: 'file', path: 'a.txt', before, after }],
        ['file a.txt', { to: 'file', path: 'a.txt', before: after, after: before }],
      ],
    );
  });

  it('of a run that is over allow nothing', async () => {
    const stage = await Stage.open({ replies: [call('write_file', { path: 'a.txt', content: 'A\n' })] });
    await stage.untilStatus('completed');
    const { endedAt } = stage.state;
    assert.equal(endedAt, stage.state.updatedAt);
    await stage.world.finish(stage.core.restoreCheckpoint({ runId: stage.state.runId, checkpoint: 'start' }));
    const receipt = stage.state.receipts.at(-1);
    assert.deepEqual(
      [receipt?.intent, receipt?.authority, receipt?.resume.allowed, receipt?.recovery],
      ['restore', 'revoked', false, 'none'],
    );
    assert.deepEqual(receipt?.effects, []);
    assert.equal(stage.state.endedAt, endedAt, 'it ended when it ended');
  });
});
