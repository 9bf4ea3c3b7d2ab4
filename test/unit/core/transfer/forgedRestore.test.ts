/** A run of another machine says what it did to files; a restore here writes nothing the human of here does not see. */
import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { historyOf } from '../../../../src/core/checkpoints/history';
import type { FileChange } from '../../../../src/core/run/state';
import { sha256 } from '../../../../src/node/hash';
import { useFolder } from '../../node/helpers';
import { forged, granted, linesOf, refused, useMachines, write, type Machine } from './machine';

type Item = Record<string, unknown>;
const EVIL = Buffer.from('evil\n');
const HERE = Buffer.from('here\n');
const gone = (name: string): Item => ({ path: name, before: sha256(EVIL), after: null, size: 0 });
const changed = (name: string): Item => ({ path: name, before: sha256(EVIL), after: sha256(HERE), size: HERE.length });

describe('restores in a run of another machine', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const file = (): string => folder.at('run.holdfast-run');
  const machine = useMachines(folder);

  /** A finished run with a restore, exported and made to say something else. */
  async function arrived(
    forge: { changes?: Item[]; restored?: Item[] },
    settings: Machine['settings'] = {},
    ready: (two: Machine) => void = () => undefined,
  ): Promise<{ two: Machine; runId: string }> {
    const one = await machine('one');
    const { runId } = await one.start([write('z.txt', 'z\n')]);
    granted(await one.core.restoreCheckpoint({ runId, checkpoint: 'start' }));
    granted(await one.core.exportRun({ runId, target: file() }));
    const lines = linesOf(readFileSync(file())).map((line) => {
      const item = line['item'] as Item;
      if (line['list'] === 'steps' && forge.changes) return { ...line, item: { ...item, changes: forge.changes } };
      if (line['list'] !== 'restores') return line;
      return { ...line, item: { ...item, files: (forge.restored ?? []).map((one) => ({ ...one, done: true })) } };
    });
    const { end } = lines.pop() as { end: { contents: number } };
    lines.push({ content: sha256(EVIL), base64: EVIL.toString('base64') });
    lines.push({ end: { ...end, contents: end.contents + 1 } });
    writeFileSync(file(), forged(lines));
    const two = await machine('two', settings);
    ready(two);
    const { runId: here } = granted(await two.core.importRun({ target: file() }));
    await two.core.load(here);
    return { two, runId: here };
  }
  const text = (two: Machine, name: string): string => readFileSync(path.join(two.workspace, name), 'utf8');

  it('a restore that was made there is not undone here: nobody would see what it writes', async () => {
    const { two, runId } = await arrived({ restored: [gone('evil.txt')] });
    assert.equal(refused(await two.core.undoRestore()).code, 'badArgument');
    assert.match(refused(await two.core.undoRestore({ undo: `${runId}/u1` })).message, /another machine/);
    assert.equal(existsSync(path.join(two.workspace, 'evil.txt')), false);
    // It goes back as any file does: looked at first.
    const preview = granted(await two.core.restoreCheckpoint({ runId, checkpoint: 'start', dryRun: true }));
    assert.deepEqual(
      preview.files.map((plan) => [plan.path, plan.action]),
      [['evil.txt', 'restore']],
    );
  });

  it('files that change how tools behave are left alone, in a fork of it too', async () => {
    const files = ['.vscode/tasks.json', 'AGENTS.md', 'in/settings.json'];
    const { two, runId } = await arrived({ changes: [...files.map(changed), gone('.husky/pre-commit')] }, {}, (one) => {
      mkdirSync(path.join(one.workspace, '.vscode'));
      symlinkSync('.vscode', path.join(one.workspace, 'in'));
      one.put(Object.fromEntries(files.map((name) => [name, HERE.toString()])));
    });
    const fork = granted(await two.core.forkRun({ runId, checkpoint: 1 }));
    for (const id of [runId, fork.runId]) {
      const result = granted(await two.core.restoreCheckpoint({ runId: id, checkpoint: 'start' }));
      assert.deepEqual(result.restored, []);
      const left = result.skipped.filter((one) => one.reason === 'elsewhere');
      assert.deepEqual(left.map((one) => one.path).sort(), ['.husky/pre-commit', ...files].sort());
    }
    for (const name of files) assert.equal(text(two, name), HERE.toString());
    assert.equal(existsSync(path.join(two.workspace, '.husky')), false);
  });

  it('a path that is not spelled as the file is, or leads elsewhere, is nobody’s', async () => {
    const names = [
      'sub/../b.txt',
      './b.txt',
      '../out.txt',
      '/elsewhere/out.txt',
      '.git/hooks/pre-commit',
      'ln/x',
      'sub//b.txt',
    ];
    const { two, runId } = await arrived(
      { changes: names.map((name) => (name.endsWith('b.txt') ? changed(name) : gone(name))) },
      { protectedPaths: () => ['b.txt'] },
      (one) => {
        one.put({ 'b.txt': HERE.toString(), 'sub/b.txt': HERE.toString() });
        mkdirSync(path.join(one.workspace, '.git'));
        mkdirSync(path.join(one.workspace, '../elsewhere'));
        symlinkSync('../elsewhere', path.join(one.workspace, 'ln'));
      },
    );
    const result = granted(await two.core.restoreCheckpoint({ runId, checkpoint: 'start' }));
    assert.deepEqual(result.restored, []);
    for (const name of names) assert.equal(result.skipped.find((one) => one.path === name)?.reason, 'outside', name);
    assert.deepEqual([text(two, 'b.txt'), text(two, 'sub/b.txt')], [HERE.toString(), HERE.toString()]);
    for (const name of ['../out.txt', '../elsewhere/x', '.git/hooks']) {
      assert.equal(existsSync(path.join(two.workspace, name)), false, name);
    }
  });

  it('a link of there is not made, and no folder of there goes', async () => {
    const links = [{ ...gone('ln'), link: 'before' }];
    const made = {
      path: 'd/e/b.txt',
      before: null,
      after: sha256(HERE),
      size: HERE.length,
      folders: ['d', 'd/e', 'x'],
    };
    const { two, runId } = await arrived({ changes: [...links, made] }, {}, (one) => {
      one.put({ 'd/e/b.txt': HERE.toString() });
      mkdirSync(path.join(one.workspace, 'x'));
    });
    const result = granted(await two.core.restoreCheckpoint({ runId, checkpoint: 'start' }));
    assert.deepEqual(
      [result.restored, result.skipped.map((one) => [one.path, one.reason])],
      [['d/e/b.txt'], [['ln', 'elsewhere']]],
    );
    assert.equal(lstatSync(path.join(two.workspace, 'ln'), { throwIfNoEntry: false }), undefined);
    assert.deepEqual(
      [existsSync(path.join(two.workspace, 'd/e')), existsSync(path.join(two.workspace, 'x'))],
      [true, true],
    );
  });

  it('what a deleted link held does not travel', async () => {
    const one = await machine('one', { approvals: () => 'auto' });
    symlinkSync('/home/somebody/secret', path.join(one.workspace, 'ln'));
    const { runId } = await one.start([{ tool: 'delete_file', with: { path: 'ln' } }]);
    assert.deepEqual(granted(await one.core.restoreCheckpoint({ runId, checkpoint: 'start' })).restored, ['ln']);
    granted(await one.core.exportRun({ runId, target: file() }));
    const held = sha256(Buffer.from('/home/somebody/secret'));
    const text = JSON.stringify(linesOf(readFileSync(file())));
    assert.deepEqual([text.includes(held), text.includes('"base64"')], [false, false]);
  });

  it('permission bits of there do not travel with a file', async () => {
    const { two, runId } = await arrived({ changes: [{ ...gone('run.sh'), mode: 0o4777 }] });
    const { restored } = granted(await two.core.restoreCheckpoint({ runId, checkpoint: 'start' }));
    assert.deepEqual(restored, ['run.sh']);
    assert.equal(
      statSync(path.join(two.workspace, 'run.sh')).mode & 0o7133,
      0,
      'no bit but read and write of its owner',
    );
  });

  it('what the run does here afterwards is restored like that of any run', async () => {
    const one = await machine('one');
    const { runId } = await one.start([
      write('z.txt', 'z\n'),
      { ...write('z.txt', 'z2\n'), pauseBefore: true },
      { tool: 'delete_file', with: { path: 'z.txt' } },
    ]);
    granted(await one.core.restoreCheckpoint({ runId, checkpoint: 'start' }));
    granted(await one.core.exportRun({ runId, target: file() }));
    const two = await machine('two');
    granted(await two.core.importRun({ target: file() }));
    two.put({ 'z.txt': 'z\n' });
    const state = await two.core.load(runId);
    assert.ok(state);
    // The restore of there stands after the step of there, and before those of here.
    const touches = historyOf({
      ...state,
      steps: state.steps.map((step, i) =>
        i === 1 ? { ...step, seq: 5, effect: 'committed', changes: [changed('z.txt') as unknown as FileChange] } : step,
      ),
    }).get('z.txt');
    assert.deepEqual(
      touches?.map((touch) => touch.step),
      [1, null, 2],
    );
  });
});
