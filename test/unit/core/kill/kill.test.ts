import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Random } from '../../../sim/random';
import { tree, useFolder } from '../../node/helpers';
import type { Place } from './host';
import { type Heard, type Life, live } from './life';
import { LONG, SEED } from '../../chance';

const CHILD = 'HOLDFAST_TEST_CORE_CHILD';
const child = process.env[CHILD];
/** Together 50 in the short mode, 500 and all points in the long one. */
const ROUNDS = LONG ? 10 : 1;
const KILLS = LONG ? 50 : 35;
const POINTS = LONG ? Infinity : 15;
const STEPS = LONG ? 160 : 90;

const text = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** Every third step runs a command that leaves one line; the others edit and write files. */
function playbookOf(count: number): string {
  const steps = Array.from({ length: count }, (_, i) => {
    const n = i + 1;
    if (n % 3 === 0)
      return { tool: 'run_command', with: { command: `sleep 0.0${n % 5}; echo ${n} >> log.txt; sleep 0.0${n % 4}` } };
    if (n % 3 === 1)
      return { tool: 'edit_file', with: { path: 'a.txt', old_text: 'end\n', new_text: `edit ${n}\nend\n` } };
    return { tool: 'write_file', with: { path: `new/${n}.txt`, content: `${n}\n` } };
  });
  return JSON.stringify({ goal: 'survive', steps: steps.map((step, i) => ({ title: `Step ${i + 1}`, ...step })) });
}

/** One of each kind of effect; the sixth step says how it is taken back. */
const EACH = JSON.stringify({
  goal: 'do everything once',
  steps: [
    { title: 'Edit', tool: 'edit_file', with: { path: 'a.txt', old_text: 'end\n', new_text: 'edit\nend\n' } },
    { title: 'Make', tool: 'write_file', with: { path: 'new/b.txt', content: 'b\n' } },
    { title: 'Run', tool: 'run_command', with: { command: 'echo ran >> log.txt' } },
    { title: 'Move', tool: 'move_file', with: { from: 'old/c.txt', to: 'new/c.txt' } },
    { title: 'Delete', tool: 'delete_file', with: { path: 'd.txt' } },
    {
      ...{ title: 'Put up', tool: 'run_command', with: { command: 'echo up >> log.txt' } },
      undo: { tool: 'run_command', with: { command: 'echo down >> log.txt' } },
    },
  ],
});

if (child !== undefined) {
  const life = JSON.parse(child) as Life;
  const log = `${life.workspace}/log.txt`;
  void live(life, (step) => {
    const word = /echo (\w+)/.exec((step.args as { command?: string }).command ?? '')?.[1] ?? '';
    return text(log).split('\n').includes(word);
  });
} else {
  describe('the whole core, killed', function () {
    this.timeout(60_000); // for what is removed afterwards
    const folder = useFolder();

    it(`${ROUNDS * KILLS} SIGKILLs at random moments: no finished step is lost, no effect comes twice (seed ${SEED})`, async function () {
      this.timeout(LONG ? 0 : 600_000); // about 20 s on an idle machine
      for (let round = 1; round <= ROUNDS; round += 1) await killedAtRandom(folder.at(`round-${round}`), SEED + round);
    });

    it(`SIGKILL at each point where the world is changed, and in the middle of writes (${LONG ? 'all' : POINTS}, seed ${SEED})`, async function () {
      this.timeout(LONG ? 0 : 600_000); // about 20 s on an idle machine
      const whole = await oneLife(lifeIn(folder.at('whole')), undefined, 0);
      const points = finalOf(whole.heard)?.points ?? [];
      checkEach(folder.at('whole'));
      for (const kind of [
        /file\.datasync/,
        /file\.sync/,
        /fs\.rename .*runs\.json/,
        /half file\.write/,
        /spawn, started/,
        /fs\.rm/,
      ])
        assert.ok(
          points.some((point) => kind.test(point)),
          `no point ${String(kind)}`,
        );
      const random = new Random(SEED);
      const all = points.flatMap((point, n): { dieAt: number; half: boolean }[] => [
        { dieAt: n + 1, half: false },
        ...(point.startsWith('half ') ? [{ dieAt: n + 1, half: true }] : []),
      ]);
      while (!LONG && all.length > POINTS) all.splice(random.below(all.length), 1);
      const met = { kills: 0, unknown: 0 };
      for (const how of all) {
        const name = `point ${how.dieAt} ${how.half ? '(half) ' : ''}${points[how.dieAt - 1]}`;
        const dir = folder.at(`point-${how.dieAt}-${how.half}`);
        await killedOnce(lifeIn(dir), how, name, met);
        checkEach(dir, name);
        rmSync(dir, { recursive: true });
      }
      // What is done in the background shifts the numbers: the last of them may not come.
      assert.ok(met.kills > all.length - 10, `${met.kills} of ${all.length}`);
      console.log(
        `      killed ${met.kills} times at ${points.length} points, ${met.unknown} unknown effects, seed ${SEED}`,
      );
    });
  });
}

/** A run of many steps, whose host dies again and again until it is through. */
async function killedAtRandom(dir: string, seed: number): Promise<void> {
  const place: Place = { workspace: path.join(dir, 'work'), storage: path.join(dir, 'storage') };
  mkdirSync(place.workspace, { recursive: true });
  writeFileSync(`${place.workspace}/a.txt`, 'start\nend\n');
  const playbook = path.join(dir, 'playbook.json');
  writeFileSync(playbook, playbookOf(STEPS));
  const random = new Random(seed);
  const done = new Set<string>();
  let kills = 0;
  let unknown = 0;
  let final: string | undefined;
  for (let life = 0; life < 8 * KILLS + 20 && final === undefined; life += 1) {
    const killAfter = kills < KILLS ? random.below(6) : undefined;
    // Some die while they start: 0 is counted from the spawn.
    const lived = await oneLife({ ...place, playbook }, killAfter, random.below(killAfter === 0 ? 500 : 80));
    if (lived.killed) kills += 1;
    for (const heard of lived.heard) {
      if ('done' in heard) done.add(heard.done);
      if ('final' in heard) final = heard.final;
      if (!('opened' in heard) || heard.opened === null) continue;
      const { opened } = heard;
      assert.ok(
        !['running', 'stopping', 'reconciling'].includes(opened.status),
        `it went on by itself: ${opened.status}`,
      );
      assert.ok(opened.unknown.length <= 1, `unknown at once: ${opened.unknown.join(', ')}`);
      unknown += opened.unknown.length;
      const outcomes = new Map(opened.steps);
      for (const id of done) assert.equal(outcomes.get(id), 'done', `life ${life}: ${id} was done`);
    }
  }
  assert.equal(final, 'completed');
  assert.equal(kills, KILLS);
  checkWork(place, STEPS);
  console.log(`      ${kills} kills, ${unknown} unknown effects, ${done.size} steps reported done, seed ${seed}`);
}

/** A workspace with a repository, so that its memory is kept in one too. */
function lifeIn(dir: string): Life {
  const workspace = path.join(dir, 'work');
  mkdirSync(path.join(workspace, 'old'), { recursive: true });
  for (const [name, content] of Object.entries(BEFORE)) writeFileSync(path.join(workspace, name), content);
  const git = (...args: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: workspace });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'before');
  const playbook = path.join(dir, 'playbook.json');
  writeFileSync(playbook, EACH);
  return { workspace, storage: path.join(dir, 'storage'), playbook, acts: true };
}

const BEFORE = { 'a.txt': 'start\nend\n', 'old/c.txt': 'c\n', 'd.txt': 'd\n' };

/** Each effect is there, once; what was restored is back as the run had left it; no scrap is beside it. */
function checkEach(dir: string, name = 'not killed'): void {
  const found = tree(path.join(dir, 'work')).filter(([file]) => !file.startsWith('.git/'));
  const after = { 'a.txt': 'start\nedit\nend\n', 'log.txt': 'ran\nup\ndown\n', 'new/b.txt': 'b\n', 'new/c.txt': 'c\n' };
  assert.deepEqual(Object.fromEntries(found), after, name);
}

async function killedOnce(
  life: Life,
  how: { dieAt: number; half: boolean },
  name: string,
  met: { kills: number; unknown: number },
): Promise<void> {
  const first = await oneLife({ ...life, ...how }, undefined, 0);
  if (!first.killed) return;
  met.kills += 1;
  const done = first.heard.flatMap((one) => ('done' in one ? [one.done] : []));
  const told = first.heard.flatMap((one) => ('told' in one ? [one.told] : []));
  const { heard } = await oneLife({ ...life, told }, undefined, 0);
  const opened = heard.flatMap((one) => ('opened' in one && one.opened ? [one.opened] : []))[0];
  const outcomes = new Map(opened?.steps);
  for (const id of done) assert.equal(outcomes.get(id), 'done', `${name}: ${id} was done`);
  assert.ok(!opened || !['running', 'stopping', 'reconciling'].includes(opened.status), `${name}: ${opened?.status}`);
  assert.ok((opened?.unknown.length ?? 0) <= 1, `${name}: unknown ${opened?.unknown.join(', ')}`);
  met.unknown += opened?.unknown.length ?? 0;
  if (told.includes('forked') && !told.includes('deleting')) assert.equal(opened?.runs.length, 2, name);
  if (told.includes('deleted')) assert.equal(opened?.runs.length, 1, name);
  assert.deepEqual(opened?.lies ?? [], [], name);
  assert.equal(finalOf(heard)?.final, 'completed', name);
}

const finalOf = (heard: Heard[]) => heard.flatMap((one) => ('final' in one ? [one] : []))[0];

/** Every step has had its effect, once. */
function checkWork({ workspace }: Place, steps: number): void {
  const wanted = (rest: number): number[] =>
    Array.from({ length: steps }, (_, i) => i + 1).filter((n) => n % 3 === rest);
  assert.deepEqual(text(`${workspace}/log.txt`).trim().split('\n').map(Number), wanted(0));
  assert.equal(text(`${workspace}/a.txt`), ['start', ...wanted(1).map((n) => `edit ${n}`), 'end', ''].join('\n'));
  for (const n of wanted(2)) assert.equal(text(`${workspace}/new/${n}.txt`), `${n}\n`);
}

/** Starts a host and kills it some ms after so many finished steps (0: after its start; undefined: lets it end). */
async function oneLife(
  life: Life,
  killAfter: number | undefined,
  ms: number,
): Promise<{ heard: Heard[]; killed: boolean }> {
  const host = spawn(process.execPath, [__filename], {
    env: { ...process.env, [CHILD]: JSON.stringify(life) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  let killed = false;
  let armed = false;
  const arm = (): void => {
    if (armed || killAfter === undefined || output.split('"done"').length - 1 < killAfter) return;
    armed = true;
    setTimeout(() => {
      killed = host.exitCode === null && host.signalCode === null;
      host.kill('SIGKILL');
    }, ms);
  };
  arm();
  host.stdout.on('data', (bytes: Buffer) => {
    output += bytes.toString();
    arm();
  });
  await once(host, 'close');
  killed ||= host.signalCode === 'SIGKILL';
  const whole = output
    .slice(0, output.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '');
  return { heard: whole.map((line) => JSON.parse(line) as Heard), killed };
}
