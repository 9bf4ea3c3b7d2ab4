/** A host that died in the middle of a write: what the disk can tell is said, and nothing else. */
import assert from 'node:assert/strict';
import { call, Stage } from './stage';

const writing = async (happened: boolean): Promise<Stage> => {
  const stage = await Stage.open({
    replies: [call('read_file', { path: 'a.txt' }), call('write_file', { path: 'a.txt', content: 'agent\n' })],
    files: { 'a.txt': 'before\n' },
  });
  await stage.until('asked for', (s) => s.steps[1]?.effect === 'requested');
  if (!happened) return stage;
  while (stage.world.files.text('a.txt') !== 'agent\n') assert.ok(await stage.world.turns.step());
  assert.equal(stage.step(2).effect, 'requested');
  return stage;
};

describe('a write that a crash cut off', () => {
  it('had no effect where the file was not touched', async () => {
    const stage = await writing(false);
    await stage.restart();
    assert.equal(stage.step(2).outcome, 'failedBeforeEffect');
  });

  it('is done where the file holds it', async () => {
    const stage = await writing(true);
    await stage.restart();
    assert.equal(stage.step(2).outcome, 'done');
  });

  it('is unknown where the file holds the bytes of before and was touched since: somebody may have put them back', async () => {
    const stage = await writing(true);
    stage.world.files.put('a.txt', 'before\n');
    await stage.restart();
    assert.equal(stage.step(2).outcome, 'unknown');
    assert.match(stage.step(2).text ?? '', /a\.txt holds what was there before the step, and was written or touched/);
  });
});

describe('a write that the human types into', () => {
  it('goes into the unsaved text, their line stays theirs, and what it made of the file is kept', async () => {
    const stage = await Stage.open({
      replies: [
        call('read_file', { path: 'a.txt' }),
        call('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'uno' }),
      ],
      files: { 'a.txt': 'one\ntwo\n' },
    });
    const { files, buffers, store } = stage.world;
    buffers.open('a.txt');
    // On disk, and not in the editor yet.
    while (files.text('a.txt') !== 'uno\ntwo\n') assert.ok(await stage.world.turns.step());
    buffers.type('a.txt', (lines) => [...lines.slice(0, -1), 'human', '']);
    await stage.untilStatus('completed');
    assert.equal(buffers.get('a.txt')?.text, 'uno\ntwo\nhuman\n');
    const [change] = stage.step(2).changes;
    assert.deepEqual(change?.owned?.ranges, [{ from: 3, to: 3 }]);
    assert.equal(new TextDecoder().decode(store.peek(change.after ?? '')), 'uno\ntwo\nhuman\n');
  });
});
