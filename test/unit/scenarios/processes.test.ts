import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { livingProcesses, unnamed } from '../../scenarios/processes';
import { receipt, state, step } from './facts';

describe('processes of a scenario', function () {
  before(function () {
    if (process.platform !== 'linux') this.skip();
  });

  const started: ChildProcess[] = [];
  afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));

  async function start(env: Record<string, string>, args = ['-c', 'sleep 30; :']): Promise<number> {
    const child = spawn('/bin/sh', args, { env: { PATH: process.env.PATH ?? '', ...env }, stdio: 'ignore' });
    started.push(child);
    await new Promise((resolve) => child.once('spawn', resolve));
    return child.pid ?? 0;
  }
  const search = { runIds: [] as string[], root: undefined, mark: undefined };
  const pids = (more: Partial<Parameters<typeof livingProcesses>[0]>): number[] =>
    livingProcesses({ ...search, ...more }).map((p) => p.pid);

  it('are found by the marker of their run, and by that only', async () => {
    const ours = await start({ HOLDFAST_RUN: 'unit-run-a/s1' });
    const other = await start({ HOLDFAST_RUN: 'unit-run-b/s1' });
    const found = pids({ runIds: ['unit-run-a'] });
    assert.ok(found.includes(ours));
    assert.ok(!found.includes(other));
  });

  it('are found as descendants of the host, and by the mark of the scenario', async () => {
    const plain = await start({ MARK: 'unit' });
    assert.ok(pids({ root: process.pid }).includes(plain));
    assert.ok(pids({ mark: 'MARK=unit' }).includes(plain));
    assert.ok(!pids({ mark: 'MARK=other' }).includes(plain));
    assert.ok(!pids({ root: process.pid }).includes(process.pid), 'the host itself does not count');
  });

  it('the watcher beside a living command does not count, one without a command does', async () => {
    const watcher = await start({ MARK: 'unit' }, ['-c', 'sleep 30; :', 'holdfast-watcher', '1']);
    const where = { mark: 'MARK=unit', runIds: ['unit-run-c'] };
    assert.ok(pids(where).includes(watcher));
    const command = await start({ MARK: 'unit', HOLDFAST_RUN: 'unit-run-c/s1' });
    assert.ok(!pids(where).includes(watcher));
    assert.ok(pids(where).includes(command));
  });

  it('are named by a step that is shown as at work, or by the pid in the last receipt', () => {
    const living = [{ pid: 4711, parent: 1, marker: 'run-1/s1', command: 'x' }];
    const process = { id: { pid: 1, startTime: '1', command: 'x' }, marker: 'run-1/s1', background: false };
    const ended = step(1, { process, outcome: 'unknown' });
    const running = step(1, { process, outcome: 'running' });
    const background = step(1, { process: { ...process, background: true } });
    assert.equal(unnamed(living, state({ steps: [ended] })).length, 1);
    assert.equal(unnamed(living, state({ steps: [running] })).length, 0);
    assert.equal(unnamed(living, state({ steps: [background] })).length, 0);
    assert.equal(unnamed(living, state({ receipts: [receipt({ message: 'Alive: process 4711.' })] })).length, 0);
    const old = [receipt({ message: 'Alive: process 4711.' }), receipt()];
    assert.equal(unnamed(living, state({ receipts: old })).length, 1);
  });
});
