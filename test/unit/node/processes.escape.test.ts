import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessId } from '../../../src/core/ports';
import { NodeProcesses } from '../../../src/node/processes';
import { canFollow, isDead, processRow, psTable, psVariables } from '../../../src/node/processes/table';
import { ProcessTree } from '../../../src/node/processes/tree';
import { until, useFolder } from './helpers';

const CHILD = 'HOLDFAST_TEST_ESCAPE_CHILD';
const childJob = process.env[CHILD];

if (childJob !== undefined) void hostThatWillBeKilled(childJob);
else suite();

/** Spawns the command it is given, says which of its processes only its memory holds, and stays. */
async function hostThatWillBeKilled(job: string): Promise<void> {
  const { command, marker, cwd } = JSON.parse(job) as { command: string; marker: string; cwd: string };
  const processes = new NodeProcesses({ folder: () => Promise.resolve(cwd) });
  const running = await processes.spawn({ command, cwd: '', marker, onOutput: () => undefined });
  process.stdout.on('error', () => process.exit(1)); // its test has ended
  setInterval(
    () =>
      process.stdout.write(
        `${running
          .loose()
          .map((one) => one.pid)
          .join()}\n`,
      ),
    50,
  );
}

/** Leaves group and session, waits for the file `go`, then also drops its environment. Its parent lives until `end`. */
const SHEDS = `setsid sh -c 'echo $$ > a; while [ ! -e go ]; do sleep 0.02; done; exec env -i sleep 60' & while [ ! -e end ]; do sleep 0.02; done`;

function suite(): void {
  describe('processes that escape', function () {
    this.timeout(60_000);
    const folder = useFolder();
    let marker = '';
    const lives = (pid: number): boolean => {
      const row = processRow(pid);
      return row !== undefined && !isDead(row);
    };
    const pidIn = async (name: string): Promise<number> => {
      await until(name, () => existsSync(folder.at(name)) && readFileSync(folder.at(name), 'utf8').endsWith('\n'));
      return Number(readFileSync(folder.at(name), 'utf8'));
    };
    const run = (command: string) =>
      new NodeProcesses({ folder: () => Promise.resolve(folder.dir) }).spawn({
        command,
        cwd: '',
        marker,
        onOutput: () => undefined,
      });

    beforeEach(() => (marker = `test/${randomUUID()}/s1`));

    it('one that was followed while it ran is kept, though nothing tells it any more', async function () {
      if (!canFollow) this.skip();
      const running = await run(SHEDS);
      const pid = await pidIn('a');
      writeFileSync(folder.at('go'), '');
      // nobody looks but the follower
      await until('loose', () => running.loose().some((one) => one.pid === pid));
      writeFileSync(folder.at('end'), '');
      await running.exited;
      assert.deepEqual(
        (await running.alive()).map((one) => one.pid),
        [pid],
      );
      assert.equal(await running.freeze(), true);
      assert.match(processRow(pid)?.state ?? '', /[TD]/);
      assert.deepEqual(await running.end(100), []);
      assert.equal(lives(pid), false);
    });

    it('the watcher of a killed host ends it too', async function () {
      if (!canFollow) this.skip();
      const host = spawn(process.execPath, [__filename], {
        env: { ...process.env, [CHILD]: JSON.stringify({ command: SHEDS, marker, cwd: folder.dir }) },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let said = '';
      host.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
      const pid = await pidIn('a');
      writeFileSync(folder.at('go'), '');
      await until('loose', () => said.split('\n').includes(String(pid)));
      host.kill('SIGKILL');
      await until('dead', () => !lives(pid));
    });

    it('a record of the earlier session with its pid and start time finds it again, and no other', async () => {
      const child = spawn('/bin/sh', ['-c', 'exec env -i sleep 60'], { detached: true, stdio: 'ignore' });
      const pid = child.pid ?? 0;
      await until('sleep', () => processRow(pid)?.command === 'sleep');
      const id: ProcessId = { pid, startTime: processRow(pid)?.startTime ?? '', command: '' };
      const later = new NodeProcesses({ folder: () => Promise.resolve('/') });
      assert.deepEqual(await later.endFound({ ...id, startTime: '1' }, marker, 0), []);
      assert.equal(lives(pid), true);
      assert.deepEqual(await later.endFound(id, marker, 0), []);
      assert.equal(lives(pid), false);
    });

    it('one that was never seen is suspected, named, and left alone', async function () {
      if (!canFollow) this.skip();
      const child = spawn('/bin/sh', ['-c', `(setsid env -i sh -c 'echo $$ > ${folder.at('a')}; sleep 60' &)`], {
        cwd: folder.dir,
        detached: true,
        stdio: 'ignore',
      });
      const root = { pid: child.pid ?? 0, startTime: processRow(child.pid ?? 0)?.startTime ?? '', command: '' };
      const pid = await pidIn('a');
      await until('left by its parent', () => processRow(pid)?.parent !== root.pid && !lives(root.pid));
      const tree = new ProcessTree(root, marker, true, () => new Set());
      const suspects = tree.suspects(folder.dir);
      assert.deepEqual(
        suspects.map((one) => [one.pid, one.unsure]),
        [[pid, true]],
      );
      assert.deepEqual(await tree.end(0), []);
      assert.equal(lives(pid), true);
      // not where the command worked: no evidence
      assert.deepEqual(tree.suspects('/nowhere'), []);
      process.kill(-pid, 'SIGKILL');
    });

    it('one after another, each started by the one before that then leaves: none outruns the end', async function () {
      if (!canFollow) this.skip();
      this.timeout(60_000);
      // Each lives some hundredths of a second, in a session of its own; without an end to it the last leaves by itself.
      writeFileSync(
        folder.at('next.sh'),
        '[ $1 -gt 2000 ] || { setsid sh next.sh $(($1+1)) & sleep 0.0$(($1 % 3)); }\n',
      );
      for (let round = 0; round < 12; round += 1) {
        marker = `test/${randomUUID()}/s1`;
        const running = await run('sh next.sh 0; sleep 60');
        await delay(100 + 20 * round);
        assert.deepEqual(await running.end(round % 2 === 0 ? 0 : 300), []);
        // A miss would go on being born: it is looked for over a while.
        for (let look = 0; look < 10; look += 1) {
          assert.deepEqual(await running.alive(), [], `round ${round}`);
          await delay(15);
        }
      }
    });

    it('looks read each process once a moment, not at every look', async () => {
      const running = await run('sleep 60 & wait');
      await until('two', async () => (await running.alive()).length === 2);
      const tree = new ProcessTree(running.id, marker, true, () => new Set());
      const took = (work: () => unknown): number => {
        const from = performance.now();
        work();
        return performance.now() - from;
      };
      tree.members();
      const times = Array.from({ length: 15 }, () => [took(() => tree.members()), took(() => tree.members(true))]);
      const best = (i: number): number => Math.min(...times.map((pair) => pair[i] ?? Infinity));
      assert.ok(best(0) < best(1), `${best(0)} and ${best(1)} ms`);
      assert.deepEqual(await running.end(0), []);
    });

    it('reads what ps prints on macOS', () => {
      const text =
        '  501   400   501 Ss   Mon Nov 30 08:00:00 2026     /bin/zsh -c a b\n  7 1 7 Z Mon Nov  3 08:00:00 2026 (x)\n';
      assert.deepEqual(
        psTable(text).map(({ pid, parent, state, startTime, command }) => [pid, parent, state, startTime, command]),
        [
          [501, 400, 'S', 'Mon Nov 30 08:00:00 2026', '/bin/zsh -c a b'],
          [7, 1, 'Z', 'Mon Nov  3 08:00:00 2026', '(x)'],
        ],
      );
      const environments = psVariables('  501 /bin/zsh -c a PATH=/bin HOLDFAST_RUN=r1/s2 X=\n 502 top\n');
      assert.deepEqual(environments.get(501), ['PATH=/bin', 'HOLDFAST_RUN=r1/s2', 'X=']);
      assert.deepEqual(environments.get(502), []);
    });
  });
}
