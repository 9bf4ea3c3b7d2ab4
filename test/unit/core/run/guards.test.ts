import assert from 'node:assert/strict';
import { type GuardKind, guardOfCommand, guardOfPath } from '../../../../src/core/run/guards';
import type { RunState } from '../../../../src/core/run/state';
import { call, slow, Stage } from './stage';

const withGuard = (kind: GuardKind, value: string): RunState =>
  ({ guards: [{ id: 'g', kind, value, state: 'active', at: 0 }] }) as unknown as RunState;

describe('a guard', () => {
  it('of a path covers the folder, however it is spelled, and nothing beside it', () => {
    for (const value of ['src/auth', './src/auth/', 'src/auth/**', 'SRC/Auth']) {
      const s = withGuard('protect', value);
      assert.ok(guardOfPath(s, 'src/auth/login.ts'), value);
      assert.equal(guardOfPath(s, 'src/authors.ts'), undefined, value);
    }
    assert.ok(guardOfPath(withGuard('protect', '*.lock'), 'yarn.lock'));
    assert.equal(guardOfPath(withGuard('protect', '*.lock'), 'src/a.ts'), undefined);
  });

  it('of a command finds its words inside a line, quoted or chained, and not inside other words', () => {
    const s = withGuard('forbidCommand', 'git push');
    for (const line of ['git push', 'cd x && git  push -f', 'sh -c "git push"', `g'i't "push"`, 'GIT PUSH'])
      assert.ok(guardOfCommand(s, line), line);
    for (const line of ['git pushd', 'git-push', 'git pull; echo push', 'legit push'])
      assert.equal(guardOfCommand(s, line), undefined, line);
  });
});

describe('what a guard forbids does not happen', function () {
  this.timeout(30_000);
  const files = { 'a.txt': 'a\n', 'src/x.txt': 'x\n' };

  it('a write, a deletion and a move into a protected folder are refused, and the model is told before and at the call', async () => {
    const stage = await Stage.open({
      files,
      replies: [
        slow('one'),
        call('write_file', { path: 'src/new.txt', content: 'n\n' }),
        call('delete_file', { path: 'src/x.txt' }),
        call('move_file', { from: 'a.txt', to: 'src/a.txt' }),
      ],
    });
    await stage.running(1);
    const answer = await stage.world.finish(stage.core.addGuard({ kind: 'protect', value: 'src' }));
    assert.deepEqual(answer, { guardId: `${stage.state.runId}/g1`, state: 'active' });
    await stage.until('asked again', (s) => s.steps.length === 2);
    assert.match(stage.lastRequest(), /guard that the runtime enforces: protect src/);
    await stage.untilStatus('completed');
    assert.deepEqual(
      stage.state.steps.slice(1).map((step) => [step.outcome, step.reason]),
      Array.from({ length: 3 }, () => ['failedBeforeEffect', 'protected']),
    );
    assert.equal(stage.world.files.text('src/x.txt'), 'x\n');
    assert.equal(stage.world.files.text('src/new.txt'), undefined);
    assert.equal(stage.world.files.text('a.txt'), 'a\n');
  });

  it('a forbidden command is not run, also when it is approved already; removed, it runs', async () => {
    const stage = await Stage.open({
      files,
      settings: { approvals: 'ask' },
      replies: [
        call('run_command', { command: 'echo no >> log.txt' }),
        call('run_command', { command: 'echo yes >> log.txt' }),
      ],
    });
    await stage.untilStatus('awaitingApproval');
    await stage.world.finish(stage.core.addGuard({ kind: 'forbidCommand', value: 'echo' }));
    await stage.decide('approval', 'grant');
    await stage.until('asked again', (s) => s.steps[0]?.reason === 'guard');
    const { id } = stage.state.guards?.[0] ?? { id: '' };
    assert.deepEqual(await stage.world.finish(stage.core.removeGuard({ guardId: id })), {
      guardId: id,
      state: 'removed',
    });
    await stage.untilStatus('awaitingApproval');
    await stage.decide('approval', 'grant');
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('log.txt'), 'yes\n');
  });

  it('stop before holds once and goes on with the resume; it survives a restart', async () => {
    const stage = await Stage.open({
      files,
      replies: [slow('one'), call('write_file', { path: 'b.txt', content: 'b\n' })],
    });
    await stage.running(1);
    await stage.world.finish(stage.core.addGuard({ kind: 'stopBefore', value: 'write_file' }));
    await stage.untilStatus('paused');
    assert.equal(stage.state.reason?.code, 'guard');
    assert.equal(stage.world.files.text('b.txt'), undefined);
    await stage.restart();
    await stage.world.finish(stage.core.resume());
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('b.txt'), 'b\n');
  });

  it('a step of a playbook is skipped, the others run', async () => {
    const stage = await Stage.open({
      files,
      info: { fixed: true },
      replies: [slow('one'), slow('two'), slow('three')],
    });
    await stage.running(1);
    await stage.world.finish(stage.core.addGuard({ kind: 'skip', value: 'step 2' }));
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('log.txt'), 'one\nthree\n');
    assert.deepEqual(
      [stage.step(2).outcome, stage.step(2).reason, stage.step(2).effect],
      ['skipped', 'guard', 'notStarted'],
    );
    assert.equal(stage.state.guards?.[0]?.state, 'met');
  });

  it('nonsense is refused in words', async () => {
    const stage = await Stage.open({ files, replies: [slow('one')] });
    for (const bad of [
      undefined,
      {},
      { kind: 'protect', value: ' ' },
      { kind: 'x', value: 'y' },
      { kind: 'forbidCommand', value: '""' },
    ]) {
      const answer = await stage.world.finish(stage.core.addGuard(bad as never));
      assert.ok('refused' in answer && answer.code === 'badArgument', JSON.stringify(bad));
    }
    const answer = await stage.world.finish(stage.core.removeGuard({ guardId: 'none' }));
    assert.ok('refused' in answer);
  });
});

describe('a limit of the run', function () {
  this.timeout(30_000);
  const replies = Array.from({ length: 5 }, (_, i) => slow(String(i)));

  it('of steps pauses it with the reason, and each resume gives as much again', async () => {
    const stage = await Stage.open({ replies, settings: { limits: { steps: 2 } } });
    for (const log of ['0\n1\n', '0\n1\n2\n3\n']) {
      await stage.untilStatus('paused');
      assert.equal(stage.state.reason?.code, 'limit');
      assert.match(stage.state.reason.text, /limit of 2 steps/);
      assert.equal(stage.world.files.text('log.txt'), log);
      assert.equal(stage.state.receipts.at(-1)?.resume.allowed, true);
      await stage.world.finish(stage.core.resume());
    }
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('log.txt'), '0\n1\n2\n3\n4\n');
  });

  it('of minutes counts the time at work, not that of a pause', async () => {
    const stage = await Stage.open({ replies, settings: { limits: { minutes: 0.2 } } });
    await stage.running(1);
    await stage.world.finish(stage.core.pause());
    stage.world.clock.advance(3_600_000);
    await stage.world.finish(stage.core.resume());
    await stage.until('asked about the frozen command or done', (s) => s.steps.length >= 2);
    assert.ok((stage.state.activeMs ?? 0) < 12_000, String(stage.state.activeMs));
    await stage.untilStatus('paused');
    assert.equal(stage.state.reason?.code, 'limit');
    assert.ok((stage.state.activeMs ?? 0) >= 12_000);
  });
});
