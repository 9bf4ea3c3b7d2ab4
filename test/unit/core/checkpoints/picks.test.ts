import assert from 'node:assert/strict';
import { undoHunks } from '../../../../src/core/checkpoints/hunks';
import { call, Stage } from '../run/stage';
import { granted } from './theatre';

const NINE = 'l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n';
const BOTH = 'agent\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nhuman\n';

async function played(): Promise<Stage> {
  const stage = await Stage.open({
    files: { 'm.txt': NINE },
    replies: [
      call('read_file', { path: 'm.txt' }),
      call('edit_file', { path: 'm.txt', old_text: 'l1', new_text: 'agent' }),
    ],
  });
  await stage.untilStatus('completed');
  return stage;
}

describe('single changes of a file both wrote', function () {
  this.timeout(30_000);
  it('go back when they are picked: the line of the run is old, the line of the human stays', async () => {
    const stage = await played();
    const { world, core } = stage;
    world.files.put('m.txt', BOTH);
    const preview = granted(await world.finish(core.restoreCheckpoint({ checkpoint: 'start', dryRun: true })));
    const [plan] = preview.files;
    assert.equal(plan?.action, 'merge');
    assert.deepEqual(plan.hunks, [{ from: 0, to: 1, lines: ['l1\n'] }]);
    assert.deepEqual([preview.restored, preview.undo], [[], null]);

    const without = granted(await world.finish(core.restoreCheckpoint({ checkpoint: 'start' })));
    assert.deepEqual(
      without.skipped.map((s) => [s.path, s.reason]),
      [['m.txt', 'changed']],
    );
    assert.equal(world.files.text('m.txt'), BOTH);

    const picks = [{ path: 'm.txt', before: plan.before, hunks: [0] }];
    const result = granted(await world.finish(core.restoreCheckpoint({ checkpoint: 'start', picks })));
    assert.deepEqual(result.restored, ['m.txt']);
    assert.equal(world.files.text('m.txt'), NINE.replace('l9', 'human'));

    await world.finish(core.undoRestore({ undo: result.undo }));
    assert.equal(world.files.text('m.txt'), BOTH);
  });

  it('stay when the file has moved on since the preview', async () => {
    const stage = await played();
    const { world, core } = stage;
    world.files.put('m.txt', BOTH);
    const preview = granted(await world.finish(core.restoreCheckpoint({ checkpoint: 'start', dryRun: true })));
    world.files.put('m.txt', `new\n${BOTH}`);
    const picks = [{ path: 'm.txt', before: preview.files[0]?.before ?? null, hunks: [0] }];
    const result = granted(await world.finish(core.restoreCheckpoint({ checkpoint: 'start', picks })));
    assert.deepEqual(result.restored, []);
    assert.equal(world.files.text('m.txt'), `new\n${BOTH}`);
  });

  it('a line of the run that the human changed is a conflict, and is not offered', () => {
    const undo = undoHunks('mine\nb\nC\n', [{ before: 'a\nb\nc\n', after: 'A\nb\nC\n' }]);
    assert.deepEqual(undo, { hunks: [{ from: 2, to: 3, lines: ['c\n'] }], text: 'mine\nb\nc\n', conflicts: 1 });
  });
});

describe('what a restore never brings back', function () {
  this.timeout(30_000);
  it('a protected file; and the reason is said', async () => {
    const stage = await played();
    stage.world.settings.protectedPaths = ['m.txt'];
    const result = granted(await stage.world.finish(stage.core.restoreCheckpoint({ checkpoint: 'start' })));
    assert.deepEqual(
      result.skipped.map((s) => s.reason),
      ['protected'],
    );
    assert.equal(stage.world.files.text('m.txt'), NINE.replace('l1', 'agent'));
  });
});

describe('a file with unsaved text', function () {
  this.timeout(30_000);
  it('goes back in the editor, and stays unsaved', async () => {
    const stage = await Stage.open({
      files: { 'm.txt': NINE },
      replies: [
        call('read_file', { path: 'm.txt' }),
        {
          calls: [{ tool: 'edit_file', args: { path: 'm.txt', old_text: 'l1', new_text: 'agent' }, pauseBefore: true }],
        },
      ],
    });
    const { world, core } = stage;
    world.settings.unsavedOnResume = 'save';
    await stage.untilStatus('paused');
    await world.finish(core.resume());
    await stage.untilStatus('completed');
    assert.ok(world.buffers.open('m.txt'));
    world.buffers.type('m.txt', (lines) => lines.with(8, 'typed'));
    const disk = world.files.text('m.txt');
    const preview = granted(await world.finish(core.restoreCheckpoint({ checkpoint: 'start', dryRun: true })));
    const [plan] = preview.files;
    assert.deepEqual([plan?.action, plan?.unsaved], ['merge', true]);
    const picks = [{ path: 'm.txt', before: plan?.before ?? null, hunks: [0] }];
    const result = granted(await world.finish(core.restoreCheckpoint({ checkpoint: 'start', picks })));
    assert.deepEqual(result.restored, ['m.txt']);
    assert.equal(world.files.text('m.txt'), disk, 'the disk is not touched');
    assert.equal(world.buffers.get('m.txt')?.text, NINE.replace('l9', 'typed'));
    assert.equal(world.buffers.get('m.txt')?.dirty, true);
    const undone = granted(await world.finish(core.undoRestore({ undo: result.undo })));
    assert.deepEqual(undone.restored, ['m.txt']);
    assert.equal(world.buffers.get('m.txt')?.text, NINE.replace('l9', 'typed').replace('l1', 'agent'));
  });
});

describe('a file that was deleted, made anew and deleted again', () => {
  it('comes back with the permission bits it had at the checkpoint', async () => {
    const write = call('write_file', { path: 'run.sh', content: 'other\n' });
    const remove = call('delete_file', { path: 'run.sh' });
    const stage = await Stage.open({
      settings: { approvals: 'auto' },
      replies: [call('list_files', {}), remove, write, remove],
    });
    const { world, core } = stage;
    world.files.put('run.sh', 'x\n', 0o755);
    await stage.untilStatus('completed');
    granted(await world.finish(core.restoreCheckpoint({ checkpoint: 'start' })));
    assert.deepEqual([world.files.text('run.sh'), world.files.mode('run.sh')], ['x\n', 0o755]);
  });
});
