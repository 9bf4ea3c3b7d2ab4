/** A queued note can be changed until the agent has it: in its place, exactly once, kept over a crash. */
import assert from 'node:assert/strict';
import { slow, Stage } from './stage';

const texts = (stage: Stage): string[] => stage.state.notes.map(({ text, state }) => `${text}: ${state}`);

async function queued(): Promise<Stage> {
  const stage = await Stage.open({ replies: [slow('x'), { text: 'Done.' }] });
  await stage.running(1);
  for (const text of ['first', 'second']) await stage.world.finish(stage.core.steer({ text }));
  return stage;
}

describe('a queued note', () => {
  it('is delivered once with its new words, in its old place', async () => {
    const stage = await queued();
    const [first] = stage.state.notes;
    assert.ok(first);
    const edited = await stage.world.finish(stage.core.editNote({ noteId: first.id, text: 'reworded' }));
    assert.deepEqual(edited, { noteId: first.id, state: 'queued' });
    assert.deepEqual(texts(stage), ['reworded: queued', 'second: queued']);
    await stage.untilStatus('completed');
    assert.deepEqual(texts(stage), ['reworded: delivered', 'second: delivered']);
    const request = stage.lastRequest();
    assert.equal(request.split('reworded').length, 2);
    assert.equal(request.includes('first'), false);
    assert.ok(request.indexOf('reworded') < request.indexOf('second'));
  });

  it('stays as it was once it is delivered, and the answer says so', async () => {
    const stage = await queued();
    await stage.untilStatus('completed');
    const [first] = stage.state.notes;
    const late = await stage.world.finish(stage.core.editNote({ noteId: first?.id ?? '', text: 'reworded' }));
    assert.deepEqual(late, { noteId: first?.id, state: 'delivered' });
    assert.deepEqual(texts(stage), ['first: delivered', 'second: delivered']);
  });

  it('keeps its change over the death of the process', async () => {
    const stage = await queued();
    const [first] = stage.state.notes;
    await stage.world.finish(stage.core.editNote({ noteId: first?.id ?? '', text: 'reworded' }));
    await stage.restart();
    assert.deepEqual(texts(stage), ['reworded: queued', 'second: queued']);
  });

  it('is not emptied by a change, and a note that is not there is not made', async () => {
    const stage = await queued();
    const [first] = stage.state.notes;
    for (const note of [
      { noteId: first?.id ?? '', text: '  ' },
      { noteId: `${stage.state.runId}/n9`, text: 'x' },
      { noteId: first?.id ?? '', text: undefined as unknown as string },
    ])
      assert.ok('refused' in (await stage.world.finish(stage.core.editNote(note))));
    assert.deepEqual(texts(stage), ['first: queued', 'second: queued']);
  });
});
