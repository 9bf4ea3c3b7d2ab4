/** A path that always asks does so however it is reached: through a link, or through a folder that is one. */
import assert from 'node:assert/strict';
import { readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { useFolder } from '../../node/helpers';
import { useMachines, write, type Step } from '../transfer/machine';

describe('paths that are reached through links', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const machine = useMachines(folder);
  const edit = (name: string): Step => ({ tool: 'edit_file', with: { path: name, old_text: 'x', new_text: 'evil' } });

  for (const [name, step] of [
    ['a file in a linked folder', write('ln/tasks.json', '{"evil":1}\n')],
    ['a link to the file', edit('alias.txt')],
    ['a chain of both', edit('chain')],
  ] as const) {
    it(`${name} asks like the sensitive file it is`, async () => {
      const one = await machine('one', { approvals: () => 'auto', protectedPaths: () => ['kept/**'] });
      one.put({ '.vscode/settings.json': 'x\n', 'AGENTS.md': 'x\n' });
      symlinkSync('.vscode', path.join(one.workspace, 'ln'));
      symlinkSync('AGENTS.md', path.join(one.workspace, 'alias.txt'));
      symlinkSync('ln/settings.json', path.join(one.workspace, 'chain'));
      const state = await one.start([step]);
      assert.equal(state.status, 'awaitingApproval');
      assert.match(state.decisions[0]?.detail ?? '', /can change how tools behave/);
    });
  }

  it('a protected file is refused, a secret one asks', async () => {
    const one = await machine('one', { approvals: () => 'auto', protectedPaths: () => ['kept/**'] });
    one.put({ 'kept/a.txt': 'x\n', '.env': 'TOKEN=1\n' });
    symlinkSync('kept', path.join(one.workspace, 'open'));
    symlinkSync('.env', path.join(one.workspace, 'plain.txt'));
    const state = await one.start([edit('open/a.txt'), { tool: 'read_file', with: { path: 'plain.txt' } }]);
    assert.match(state.steps[0]?.text ?? '', /protected/);
    assert.equal(readFileSync(path.join(one.workspace, 'kept/a.txt'), 'utf8'), 'x\n');
    assert.equal(state.status, 'awaitingApproval');
    assert.match(state.decisions[0]?.detail ?? '', /holds secrets/);
  });
});
