import assert from 'node:assert/strict';
import { call, Stage } from './stage';

const MEGABYTE = 1024 * 1024;

describe('what is very large', function () {
  this.timeout(60_000);

  it('one line of megabytes is shown in part, can be edited there, and is not written whole', async () => {
    const line = `start ${'x'.repeat(3 * MEGABYTE)} end`;
    const stage = await Stage.open({
      files: { 'min.js': line },
      replies: [
        call('read_file', { path: 'min.js' }),
        call('write_file', { path: 'min.js', content: 'gone\n' }),
        call('edit_file', { path: 'min.js', old_text: 'start x', new_text: 'begin x' }),
      ],
    });
    await stage.untilStatus('completed');
    const [read, write, edit] = stage.state.steps;
    assert.ok((read?.text?.length ?? 0) < 110_000, String(read?.text?.length));
    assert.match(read?.text ?? '', /only its first 100000 are shown/);
    assert.equal(write?.outcome, 'failedBeforeEffect');
    assert.equal(edit?.outcome, 'done');
    assert.equal(stage.world.files.text('min.js'), `begin ${line.slice(6)}`);
  });

  it('a deletion that leaves no copy is asked about, also with auto, and says so', async () => {
    const stage = await Stage.open({
      files: { 'big.bin': new Uint8Array(10 * MEGABYTE + 1).fill(7), 'small.bin': new Uint8Array(10).fill(7) },
      replies: [call('delete_file', { path: 'small.bin' }), call('delete_file', { path: 'big.bin' })],
    });
    await stage.untilStatus('awaitingApproval');
    assert.equal(stage.world.files.text('small.bin'), undefined);
    assert.match(stage.open('approval').detail, /no copy of it is kept/);
    await stage.decide('approval', 'reject', 'keep it');
    await stage.untilStatus('completed');
    assert.ok(stage.world.files.text('big.bin') !== undefined);
  });
});
