import assert from 'node:assert/strict';
import { call, slow, Stage } from './stage';

describe('a guard that is shown as active holds', function () {
  this.timeout(30_000);

  for (const [value, path] of [
    ['app/[id]', 'app/[id]/page.tsx'],
    ['app/[...slug]', 'app/[...slug]/x.ts'],
    ['app/(auth)', 'app/(auth)/login.tsx'],
    ['/src/auth', 'src/auth/x.ts'],
    ['src\\auth', 'src/auth/x.ts'],
    ['caf\u00e9.ts', 'cafe\u0301.ts'],
    ['/', 'a.txt'],
    ['./', 'a.txt'],
  ] as const)
    it(`protect ${value}`, async () => {
      const stage = await Stage.open({
        files: { [path]: 'mine\n' },
        settings: { approvals: 'auto' },
        replies: [
          slow('one'),
          call('read_file', { path }),
          call('edit_file', { path, old_text: 'mine', new_text: 'AGENT' }),
        ],
      });
      await stage.running(1);
      const answer = await stage.world.finish(stage.core.addGuard({ kind: 'protect', value }));
      assert.deepEqual(answer, { guardId: `${stage.state.runId}/g1`, state: 'active' });
      await stage.untilStatus('completed');
      assert.deepEqual([stage.step(3).outcome, stage.step(3).reason], ['failedBeforeEffect', 'protected']);
      assert.equal(stage.world.files.text(path), 'mine\n');
    });

  it('with several folders open a path begins with the name of one, or is refused', async () => {
    const stage = await Stage.open({ files: {}, replies: [slow('one')] });
    await stage.running(1);
    stage.world.files.roots = () => [{ name: 'fe' }, { name: 'be' }];
    const add = (value: string) => stage.world.finish(stage.core.addGuard({ kind: 'protect', value }));
    for (const value of ['src/auth', './src', 'feel']) {
      const answer = await add(value);
      assert.ok('refused' in answer && /begin the path with one of fe, be, or with \*\*\//.test(answer.message), value);
    }
    for (const value of ['fe/src', './FE', 'be', '**/src/auth', '/']) assert.ok('guardId' in (await add(value)), value);
  });
});
