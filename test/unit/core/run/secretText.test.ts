import assert from 'node:assert/strict';
import { unshownWords } from '../../../../src/core/tools/unshown';
import { call, Stage } from './stage';

describe('an approval about a file that looks secret', () => {
  const edit = call('edit_file', { path: '.env', old_text: 'B=2', new_text: 'B=3\nC=hidden' });
  const stageOf = () =>
    Stage.open({
      files: { '.env': 'KEY=topsecret\nB=2\n' },
      replies: [call('read_file', { path: '.env' }), edit],
    });

  it('says how much there is and how much changes, and nothing of what stands there', async () => {
    const stage = await stageOf();
    await stage.untilStatus('awaitingApproval');
    await stage.decide('approval', 'grant');
    await stage.untilStatus('awaitingApproval');
    const { detail, change } = stage.open('approval');
    assert.equal(
      detail,
      '.env looks like it holds secrets. Now 2 lines, 18 bytes; then 3 lines, 27 bytes (2 lines added, 1 removed). ' +
        'The text is not shown, because the name looks secret.',
    );
    assert.equal(change, undefined);
    assert.doesNotMatch(JSON.stringify(stage.state.decisions), /topsecret|hidden/);
  });

  it('can be looked at on purpose while it is open, in whole; nothing of that is stored', async () => {
    const stage = await stageOf();
    await stage.untilStatus('awaitingApproval');
    await stage.decide('approval', 'grant');
    await stage.untilStatus('awaitingApproval');
    const { id } = stage.open('approval');
    const before = JSON.stringify(stage.state);
    assert.deepEqual(await stage.world.finish(stage.core.proposed(id)), {
      before: 'KEY=topsecret\nB=2\n',
      after: 'KEY=topsecret\nB=3\nC=hidden\n',
    });
    assert.equal(JSON.stringify(stage.state), before);
    await stage.decide('approval', 'grant');
    await stage.untilStatus('completed');
    assert.equal(await stage.world.finish(stage.core.proposed(id)), undefined);
    assert.equal(await stage.world.finish(stage.core.proposed('no/d1')), undefined);
  });

  it('tells a new file and one that is no text apart', () => {
    const tail = '. The text is not shown, because the name looks secret.';
    assert.equal(unshownWords(null, { text: 'A=1\n', size: 4 }), `New: 1 line, 4 bytes${tail}`);
    const bytes = { text: undefined, size: 1 };
    assert.equal(unshownWords(bytes, { text: 'A', size: 1 }), `Now 1 byte; then 1 line, 1 byte${tail}`);
  });
});
