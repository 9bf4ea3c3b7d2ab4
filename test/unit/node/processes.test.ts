import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessId, RunningProcess } from '../../../src/core/ports';
import { NodeFiles } from '../../../src/node/files';
import { NodeProcesses } from '../../../src/node/processes';
import { carriesMarker, isDead, processRow, processTable } from '../../../src/node/processes/table';
import { until, useFolder } from './helpers';
import { settlesWithin } from '../pace';

const CHILD = 'HOLDFAST_TEST_HOST_CHILD';
const childJob = process.env[CHILD];

if (childJob !== undefined) void hostThatWillBeKilled(childJob);
else suite();

/** Spawns the command it is given, says what the port says, and stays. */
async function hostThatWillBeKilled(job: string): Promise<void> {
  const { command, marker } = JSON.parse(job) as { command: string; marker: string };
  const processes = new NodeProcesses({ folder: () => Promise.resolve('/') });
  const running = await processes.spawn({ command, cwd: '', marker, onOutput: () => undefined });
  process.stdout.write(`${JSON.stringify(running.id)}\n`);
  setInterval(() => undefined, 1000);
}

function suite(): void {
  describe('processes', function () {
    this.timeout(60_000);
    const folder = useFolder();
    let processes: NodeProcesses;
    let output = '';
    let marker = '';
    const started: RunningProcess[] = [];

    async function run(command: string): Promise<RunningProcess> {
      const running = await processes.spawn({ command, cwd: '', marker, onOutput: (chunk) => (output += chunk) });
      started.push(running);
      return running;
    }
    /** Living processes that carry this test's marker, by /proc itself. */
    const marked = (): number[] =>
      [...processTable().values()]
        .filter((row) => !isDead(row) && carriesMarker(row.pid, marker) === true)
        .map((row) => row.pid);
    const pidIn = async (name: string): Promise<number> => {
      await until(name, () => existsSync(folder.at(name)) && readFileSync(folder.at(name), 'utf8').endsWith('\n'));
      return Number(readFileSync(folder.at(name), 'utf8'));
    };
    const lives = (pid: number): boolean => {
      const row = processRow(pid);
      return row !== undefined && !isDead(row);
    };

    beforeEach(() => {
      output = '';
      marker = `test/${randomUUID()}/s1`;
      const files = new NodeFiles({ roots: [{ name: 'ws', dir: folder.dir }] });
      processes = new NodeProcesses({ folder: (path) => files.folder(path), hidden: ['MY_SECRET'] });
    });
    afterEach(async () => {
      for (const one of started.splice(0)) await one.end(0);
    });

    it('runs in the folder, reads both streams, tells how it ended', async () => {
      mkdirSync(folder.at('sub'));
      const running = await processes.spawn({
        command: 'pwd; echo problem >&2; exit 3',
        cwd: 'sub',
        marker,
        onOutput: (chunk) => (output += chunk),
      });
      assert.deepEqual(await running.exited, { code: 3, signal: null });
      assert.deepEqual(output.split('\n').sort(), ['', folder.at('sub'), 'problem']);
      assert.deepEqual(await running.alive(), []);
      assert.equal(processes.shell, '/bin/sh -c');
    });

    it('characters cut in the middle come out whole', async () => {
      const running = await run(
        "printf '\\303'; sleep 0.05; printf '\\251 \\360\\237'; sleep 0.05; printf '\\230\\200\\377'",
      );
      await running.exited;
      assert.equal(output, '\u00e9 \u{1f600}\ufffd');
    });

    it('all of a large output arrives', async () => {
      const running = await run('yes | head -c 5000000');
      await running.exited;
      assert.equal(output.length, 5_000_000);
    });

    it('passes the environment without what is the host’s own', async () => {
      const env = {
        PATH: process.env['PATH'],
        GH_TOKEN: 'kept',
        ELECTRON_RUN_AS_NODE: '1',
        VSCODE_PID: '1',
        HOLDFAST_OPENAI_KEY: 'k',
        MY_SECRET: 's',
        HOLDFAST_RUN: 'outer',
      };
      processes = new NodeProcesses({ folder: () => Promise.resolve(folder.dir), hidden: ['MY_SECRET'], env });
      await (
        await run('env')
      ).exited;
      const names = output.split('\n').map((line) => line.split('=')[0]);
      for (const name of ['ELECTRON_RUN_AS_NODE', 'VSCODE_PID', 'HOLDFAST_OPENAI_KEY', 'MY_SECRET'])
        assert.ok(!names.includes(name));
      assert.match(output, /GH_TOKEN=kept/);
      assert.ok(output.includes(`HOLDFAST_RUN=${marker}\n`));
    });

    it('says with a plain error why a command could not be started', async () => {
      const spawnIn = (cwd: string): Promise<unknown> =>
        processes.spawn({ command: 'true', cwd, marker, onOutput: () => undefined });
      await assert.rejects(spawnIn('none'), { name: 'Error', message: /notFound/ });
      await assert.rejects(spawnIn('../x'), { name: 'Error', message: /outside/ });
      await assert.rejects(processes.spawn({ command: 'a\0b', cwd: '', marker, onOutput: () => undefined }));
      await assert.rejects(run('x'.repeat(3_000_000)), { message: /E2BIG/ });
    });

    it('ends a tree that ignores TERM, the loop and its children', async () => {
      const running = await run(
        "trap '' TERM; (trap '' TERM; while :; do sleep 30; done) & while :; do sleep 30; echo again >> log.txt; done",
      );
      await until('four processes', () => marked().length >= 4);
      const ending = running.end(150);
      assert.ok(await settlesWithin(1500, ending));
      assert.deepEqual(await ending, []);
      assert.deepEqual(marked(), []);
      assert.deepEqual(await running.exited, { code: null, signal: 'SIGKILL' });
      assert.equal(existsSync(folder.at('log.txt')), false);
    });

    it('gives time to those that tidy up at TERM', async () => {
      const running = await run("trap 'echo tidy; exit 7' TERM; echo ready; while :; do sleep 0.05; done");
      await until('ready', () => output.includes('ready'));
      assert.deepEqual(await running.end(3000), []);
      assert.deepEqual(await running.exited, { code: 7, signal: null });
      assert.match(output, /^ready\n(?:Terminated\n)?tidy\n$/); // some shells say that their child was ended
    });

    it('finds who left the group, who left the parent, and who did both', async () => {
      const running = await run(
        'setsid sh -c "echo \\$\\$ > a; sleep 60" & (setsid sh -c "echo \\$\\$ > b; sleep 60; :" &) ; sh -c "echo \\$\\$ > c; exec env -i sleep 60" & wait',
      );
      const pids = await Promise.all(['a', 'b', 'c'].map(pidIn));
      const alive = (await running.alive()).map((one) => one.pid);
      for (const pid of [...pids, running.id.pid]) assert.ok(alive.includes(pid), `${pid} in ${alive.join()}`);
      assert.deepEqual(await running.end(100), []);
      assert.deepEqual(pids.filter(lives), []);
    });

    it('keeps hold of one it has seen, though it then leaves parent, group and environment', async () => {
      const running = await run(
        'setsid sh -c "echo \\$\\$ > a; while [ ! -e go ]; do sleep 0.02; done; exec env -i sleep 60" & sleep 0.3',
      );
      const pid = await pidIn('a');
      assert.ok((await running.alive()).some((one) => one.pid === pid));
      writeFileSync(folder.at('go'), '');
      await running.exited;
      await until('a clean environment', () => carriesMarker(pid, marker) !== true);
      assert.deepEqual(
        (await running.alive()).map((one) => one.pid),
        [pid],
      );
      assert.deepEqual(await running.end(100), []);
      assert.equal(lives(pid), false);
    });

    it('freezes all of it at once, output stops; thawed it goes on', async () => {
      const running = await run(
        'setsid sh -c "echo \\$\\$ > a; while :; do echo b; sleep 0.01; done" & while :; do echo a; sleep 0.01; done',
      );
      const escaped = await pidIn('a');
      await until('output', () => output.includes('a') && output.includes('b'));
      let took = Infinity;
      for (let tries = 0; tries < 5 && took >= 100; tries += 1) {
        await running.thaw(); // measured anew where other work took the processor
        const look = performance.now();
        processTable();
        const before = performance.now();
        assert.equal(await running.freeze(), true);
        // one look takes 3 ms on an idle machine; where it takes much more the machine is what is measured
        took = (performance.now() - before) / Math.max(1, (before - look) / 10);
      }
      assert.ok(took < 100, `${took} ms`);
      assert.ok((await running.alive()).length >= 3);
      assert.ok(lives(escaped));
      // D: a shell in vfork, which the system stops as soon as its (stopped) child lets it; it does nothing either.
      for (const { pid } of await running.alive()) assert.match(processRow(pid)?.state ?? '', /^[TD]$/);
      await delay(30); // what was in the pipe arrives
      const length = output.length;
      await delay(150);
      assert.equal(output.length, length);
      await running.thaw();
      await until('more output', () => output.length > length);
      assert.equal(running.canFreeze, true);
      await running.freeze();
      assert.deepEqual(await running.end(500), []);
      assert.deepEqual(marked(), []);
    });

    it('freezes a tree that forks all the time', async () => {
      const running = await run('for i in 1 2 3; do (while :; do (:) ; /bin/true; done) & done; wait');
      await until('forks', () => marked().length >= 4);
      for (let round = 0; round < 5; round += 1) {
        assert.equal(await running.freeze(), true);
        // a shell waits in the kernel (D) for a child that was stopped between fork and exec
        for (const { pid } of await running.alive()) assert.match(processRow(pid)?.state ?? 'Z', /[TDZ]/);
        await running.thaw();
        await delay(10);
      }
      assert.deepEqual(await running.end(0), []);
    });

    it('a child in the background that holds the pipe does not hold the end', async () => {
      const running = await run('sleep 60 & echo done');
      assert.ok(await settlesWithin(10_000, running.exited));
      assert.deepEqual(await running.exited, { code: 0, signal: null });
      assert.equal(output, 'done\n');
      assert.equal((await running.alive()).length, 1);
      assert.deepEqual(await running.end(100), []);
    });

    it('the watcher leaves with the command, and is never part of the tree', async () => {
      const running = await run('sleep 0.2');
      const watchers = (): number[] => {
        const rows = [...processTable().values()].filter((row) => row.parent === process.pid && !isDead(row));
        return rows.filter((row) => readCommand(row.pid).includes(marker)).map((row) => row.pid);
      };
      assert.equal(watchers().length, 1);
      const alive = (await running.alive()).map((one) => one.pid);
      assert.equal(alive.includes(watchers()[0] ?? 0), false);
      await running.exited;
      await until('no watcher', () => watchers().length === 0);
    });

    it('find: by start time, group and marker, and never one that only has the number', async () => {
      const running = await run('setsid sleep 60 & sleep 60 & wait');
      await until('three', () => marked().length === 3);
      const later = new NodeProcesses({ folder: () => Promise.resolve('/') });
      assert.deepEqual((await later.find(running.id, marker)).map((one) => one.pid).sort(), marked().sort());
      // the leader alone is known by its start time; another process of the same number is not it
      assert.equal((await later.find(running.id, 'none')).length, 3);
      const other: ProcessId = { ...running.id, startTime: '1' };
      assert.deepEqual(await later.find(other, 'none'), []);
      assert.deepEqual(
        await later.find(
          { pid: process.pid, startTime: processRow(process.pid)?.startTime ?? '', command: '' },
          'none',
        ),
        [],
      );
      assert.deepEqual(
        await later.find({ pid: 1, startTime: processRow(1)?.startTime ?? '', command: '' }, 'none'),
        [],
      );
      assert.deepEqual(await later.find({ pid: 0, startTime: '0', command: '' }, 'none'), []);
      assert.deepEqual(await later.endFound(running.id, marker, 200), []);
      assert.deepEqual(marked(), []);
      assert.deepEqual(await later.find(running.id, marker), []);
    });

    for (const frozen of [false, true]) {
      it(`the watcher kills the tree of a killed host${frozen ? ', frozen' : ''}`, async () => {
        const command = `trap '' TERM HUP; cd '${folder.dir}'; setsid sh -c 'echo $$ > a; sleep 60; :' & sleep 60 & echo $$ > b; wait`;
        const host = spawn(process.execPath, [__filename], {
          env: { ...process.env, [CHILD]: JSON.stringify({ command, marker }) },
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const id = await firstLine(host);
        await Promise.all([pidIn('a'), pidIn('b')]);
        await until('the tree', () => marked().length >= 4);
        if (frozen) for (const pid of marked()) process.kill(pid, 'SIGSTOP');
        host.kill('SIGKILL');
        await until('all killed', () => marked().length === 0);
        const later = new NodeProcesses({ folder: () => Promise.resolve('/') });
        assert.deepEqual(await later.find(id, marker), []);
        await until(
          'the watcher left',
          () => ![...processTable().values()].some((row) => !isDead(row) && readCommand(row.pid).includes(marker)),
        );
      });
    }
  });
}

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

function firstLine(child: ChildProcess): Promise<ProcessId> {
  return new Promise((resolve) => {
    child.stdout?.once('data', (bytes: Buffer) => resolve(JSON.parse(bytes.toString()) as ProcessId));
  });
}
