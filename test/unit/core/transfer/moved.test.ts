import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { baseVerdict } from '../../../../src/core/transfer/differences';
import { until, useFolder } from '../../node/helpers';
import { granted, linesOf, write, useMachines } from './machine';

describe('where a run arrives', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const file = (): string => folder.at('run.holdfast-run');
  const machine = useMachines(folder);
  const git = (dir: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main', ...args], {
      cwd: dir,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();

  it('the same commit is the same, whatever else was done in either repository; another branch is asked about', async () => {
    const one = await machine('one');
    one.put({ README: 'one\n' });
    git(one.workspace, 'init');
    git(one.workspace, 'add', '.');
    git(one.workspace, 'commit', '-m', 'first');
    const head = git(one.workspace, 'rev-parse', 'HEAD');
    const { runId } = await one.start([
      { tool: 'read_file', with: { path: 'README' } },
      { ...write('b.txt', 'b\n'), pauseBefore: true },
    ]);
    granted(await one.core.exportRun({ runId, target: file() }));
    assert.deepEqual(linesOf(readFileSync(file()))[0]?.['base'], { branch: 'main', head });

    const two = await machine('two');
    git(two.workspace, 'clone', one.workspace, '.');
    two.put({ README: 'stashed\n' });
    git(two.workspace, 'stash');
    const same = granted(await two.core.importRun({ target: file() }));
    assert.deepEqual([baseVerdict(same.from), same.from.here?.head, same.from.files.same], ['same', head, 1]);
    const { reconcile, waitsFor } = granted(await two.core.resume({ runId }));
    assert.deepEqual([reconcile?.git, reconcile?.files, waitsFor], [undefined, [], []]);
    assert.equal((await two.core.settled(runId)).status, 'completed');

    const three = await machine('three');
    git(three.workspace, 'clone', one.workspace, '.');
    git(three.workspace, 'checkout', '-b', 'other');
    git(three.workspace, 'commit', '--allow-empty', '-m', 'second');
    const different = granted(await three.core.importRun({ target: file() }));
    assert.deepEqual([baseVerdict(different.from), different.from.here?.branch], ['different', 'other']);
    granted(await three.core.resume({ runId }));
    const asked = await three.core.settled(runId);
    assert.deepEqual([asked.status, asked.decisions.at(-1)?.kind], ['needsHuman', 'worldChanged']);
  });

  it('a command that is frozen there is unknown here, asked about before anything else, and goes on there', async function () {
    if (process.platform === 'win32') this.skip();
    const one = await machine('one');
    const command = { tool: 'run_command', with: { command: 'sleep 60; touch done.txt' } };
    const source = JSON.stringify({ goal: 'x', steps: [command, write('b.txt', 'b\n')] });
    const engine = { kind: 'playbook', label: 'p', source, format: 'json' } as const;
    const { runId } = granted(await one.core.startRun({ engine }));
    await until('the command runs', () => one.core.get(runId)?.steps[0]?.process !== undefined);
    granted(await one.core.pause({ runId }));
    const frozen = one.core.get(runId);
    const pid = frozen?.steps[0]?.process?.id.pid ?? 0;
    assert.equal(frozen?.frozen, `${runId}/s1`);
    granted(await one.core.exportRun({ runId, target: file() }));

    const two = await machine('two');
    granted(await two.core.importRun({ target: file() }));
    const state = two.core.get(runId);
    assert.deepEqual(
      [state?.status, state?.frozen, state?.steps[0]?.outcome, state?.steps[0]?.effect],
      ['paused', null, 'unknown', 'unknown'],
    );
    const [decision] = state?.decisions ?? [];
    assert.deepEqual([decision?.kind, decision?.state], ['unknownEffect', 'pending']);
    assert.deepEqual(granted(await two.core.resume({ runId })).waitsFor, [decision?.id]);
    assert.doesNotThrow(() => process.kill(pid, 0), 'the process of the first machine was left alone');
    granted(await two.core.decide({ decisionId: decision?.id ?? '', choice: 'happened' }));
    assert.equal((await two.core.settled(runId)).status, 'completed');
    assert.equal(one.core.get(runId)?.frozen, `${runId}/s1`);
    granted(await one.core.abort({ runId }));
  });

  it('a run in the hands of the human arrives paused, with the notes and guards it had', async () => {
    const one = await machine('one');
    const { runId } = await one.start([{ ...write('a.txt', 'a\n'), pauseBefore: true }]);
    granted(await one.core.addGuard({ runId, kind: 'protect', value: 'a.txt' }));
    granted(await one.core.takeOver({ runId }));
    granted(await one.core.exportRun({ runId, target: file() }));
    const two = await machine('two');
    granted(await two.core.importRun({ target: file() }));
    const state = two.core.get(runId);
    assert.deepEqual([state?.status, state?.control, state?.guards?.[0]?.value], ['paused', 'agent', 'a.txt']);
    granted(await two.core.resume({ runId }));
    const { steps } = await two.core.settled(runId);
    assert.deepEqual([steps[0]?.outcome, steps[0]?.reason], ['failedBeforeEffect', 'protected']);
  });
});
