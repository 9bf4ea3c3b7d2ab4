import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Random } from '../../../sim/random';
import { useFolder } from '../../node/helpers';
import { type Heard, hostUntilDone, type Place } from './host';

const CHILD = 'HOLDFAST_TEST_CORE_CHILD';
const child = process.env[CHILD];
const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 2 ** 31);
const KILLS = 50;
const STEPS = 120;

const text = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** Every third step runs a command that leaves one line; the others edit, write and move files. */
function playbook(): string {
  const steps = Array.from({ length: STEPS }, (_, i) => {
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
  const place = JSON.parse(child) as Place;
  const log = `${place.workspace}/log.txt`;
  void hostUntilDone(place, playbook(), (step) => {
    const word = /echo (\d+)/.exec((step.args as { command?: string }).command ?? '')?.[1] ?? '';
    return text(log).split('\n').includes(word);
  });
} else {
  describe('the whole core, killed', () => {
    const folder = useFolder();

    it(`${KILLS} SIGKILLs at random moments: no finished step is lost, no effect comes twice (seed ${SEED})`, async function () {
      this.timeout(180_000); // about 30 s on an idle machine
      const place: Place = { workspace: folder.at('work'), storage: folder.at('storage') };
      mkdirSync(place.workspace);
      writeFileSync(`${place.workspace}/a.txt`, 'start\nend\n');
      const random = new Random(SEED);
      const done = new Set<string>();
      let kills = 0;
      let unknown = 0;
      let final: string | undefined;
      for (let life = 0; life < 400 && final === undefined; life += 1) {
        const killAfter = kills < KILLS ? random.below(6) : undefined;
        // Some die while they start: 0 is counted from the spawn.
        const lived = await oneLife(place, killAfter, random.below(killAfter === 0 ? 500 : 80));
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
      const wanted = (rest: number): number[] =>
        Array.from({ length: STEPS }, (_, i) => i + 1).filter((n) => n % 3 === rest);
      assert.deepEqual(text(`${place.workspace}/log.txt`).trim().split('\n').map(Number), wanted(0));
      assert.equal(
        text(`${place.workspace}/a.txt`),
        ['start', ...wanted(1).map((n) => `edit ${n}`), 'end', ''].join('\n'),
      );
      for (const n of wanted(2)) assert.equal(text(`${place.workspace}/new/${n}.txt`), `${n}\n`);
      console.log(`      ${kills} kills, ${unknown} unknown effects, ${done.size} steps reported done, seed ${SEED}`);
    });
  });
}

/** Starts a host and kills it some ms after so many finished steps (0: after its start; undefined: lets it end). */
async function oneLife(
  place: Place,
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
  const whole = output
    .slice(0, output.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '');
  return { heard: whole.map((line) => JSON.parse(line) as Heard), killed };
}
