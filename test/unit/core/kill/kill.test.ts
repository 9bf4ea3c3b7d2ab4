import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Random } from '../../../sim/random';
import { tree, useFolder } from '../../node/helpers';
import { type Heard, hostUntilDone, type Place } from './host';

const CHILD = 'HOLDFAST_TEST_CORE_CHILD';
const child = process.env[CHILD];
const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 2 ** 31);
/** The long mode. */
const LONG = process.env['HOLDFAST_LONG'] !== undefined;
/** Together 50 in the short mode. */
const KILLS = LONG ? 500 : 35;
const POINTS = LONG ? Infinity : 15;
const STEPS = LONG ? 1600 : 90;

const text = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** Every third step runs a command that leaves one line; the others edit and write files. */
function playbook(count: number): string {
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

if (child !== undefined) {
  const { steps, ...place } = JSON.parse(child) as Place & { steps: number };
  const log = `${place.workspace}/log.txt`;
  void hostUntilDone(place, playbook(steps), (step) => {
    const word = /echo (\d+)/.exec((step.args as { command?: string }).command ?? '')?.[1] ?? '';
    return text(log).split('\n').includes(word);
  });
} else {
  describe('the whole core, killed', function () {
    this.timeout(60_000); // for what is removed afterwards
    const folder = useFolder();

    it(`${KILLS} SIGKILLs at random moments: no finished step is lost, no effect comes twice (seed ${SEED})`, async function () {
      this.timeout(LONG ? 0 : 180_000); // about 20 s on an idle machine
      const place: Place = { workspace: folder.at('work'), storage: folder.at('storage') };
      mkdirSync(place.workspace);
      writeFileSync(`${place.workspace}/a.txt`, 'start\nend\n');
      const random = new Random(SEED);
      const done = new Set<string>();
      let kills = 0;
      let unknown = 0;
      let final: string | undefined;
      for (let life = 0; life < 8 * KILLS + 20 && final === undefined; life += 1) {
        const killAfter = kills < KILLS ? random.below(6) : undefined;
        // Some die while they start: 0 is counted from the spawn.
        const lived = await oneLife({ ...place, steps: STEPS }, killAfter, random.below(killAfter === 0 ? 500 : 80));
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
      console.log(`      ${kills} kills, ${unknown} unknown effects, ${done.size} steps reported done, seed ${SEED}`);
    });

    it(`SIGKILL at each point where a file is changed or a command started (${LONG ? 'all' : POINTS}, seed ${SEED})`, async function () {
      this.timeout(LONG ? 0 : 180_000); // about 10 s on an idle machine
      const steps = 3;
      const place = (name: string): Place & { steps: number } => {
        const workspace = folder.at(name, 'work');
        mkdirSync(workspace, { recursive: true });
        writeFileSync(`${workspace}/a.txt`, 'start\nend\n');
        return { workspace, storage: folder.at(name, 'storage'), steps };
      };
      const end = (heard: Heard[]) => heard.flatMap((one) => ('final' in one ? [one] : []))[0];
      const all = end((await oneLife(place('whole'), undefined, 0)).heard)?.points ?? 0;
      assert.ok(all > 30, `${all} points`);
      const random = new Random(SEED);
      const chosen = new Set<number>();
      while (chosen.size < Math.min(POINTS, all)) chosen.add(POINTS > all ? chosen.size + 1 : 1 + random.below(all));
      let unknown = 0;
      for (const dieAt of chosen) {
        const here = place(`point-${dieAt}`);
        const first = await oneLife({ ...here, dieAt }, undefined, 0);
        assert.ok(first.killed, `point ${dieAt}: it was not killed`);
        const done = first.heard.flatMap((one) => ('done' in one ? [one.done] : []));
        const { heard } = await oneLife(here, undefined, 0);
        const opened = heard.flatMap((one) => ('opened' in one && one.opened ? [one.opened] : []))[0];
        const outcomes = new Map(opened?.steps);
        for (const id of done) assert.equal(outcomes.get(id), 'done', `point ${dieAt}: ${id} was done`);
        assert.ok((opened?.unknown.length ?? 0) <= 1, `point ${dieAt}: unknown ${opened?.unknown.join(', ')}`);
        unknown += opened?.unknown.length ?? 0;
        assert.equal(end(heard)?.final, 'completed', `point ${dieAt}`);
        checkWork(here, steps);
        for (const [name] of tree(here.workspace)) assert.doesNotMatch(name, /\.holdfast-/, `point ${dieAt}: a scrap`);
      }
      console.log(`      killed at ${chosen.size} of ${all} points, ${unknown} unknown effects`);
    });
  });
}

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
  place: Place & { steps: number },
  killAfter: number | undefined,
  ms: number,
): Promise<{ heard: Heard[]; killed: boolean }> {
  const host = spawn(process.execPath, [__filename], {
    env: { ...process.env, [CHILD]: JSON.stringify(place) },
    stdio: ['ignore', 'pipe', 'inherit'],
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
