/**
 * `npm run simulate -- [--seed S] [--runs N] [--history FILE]`: plays histories; the first that is wrong is made small and shown
 * (`--first`: only shown). `--disk`: each on the store as it is shipped.
 */
import { readFileSync } from 'node:fs';
import { type History, historyOf } from './play/history';
import { play } from './play/session';
import { shrink } from './play/shrink';

const number = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  const value = at === -1 ? otherwise : Number(process.argv[at + 1]);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} needs a whole number`);
  return value;
};

/** Lets timers of Node go, and output out, now and then. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function main(): Promise<number> {
  const file = process.argv.indexOf('--history');
  const given = file === -1 ? undefined : (JSON.parse(readFileSync(process.argv[file + 1] ?? '', 'utf8')) as History);
  const seed = number('seed', Date.now() % 2 ** 31);
  const runs = given ? 1 : number('runs', 2000);
  const from = performance.now();
  // Each abort makes an error that nobody reads: their traces would cost a tenth of the time.
  Error.stackTraceLimit = 0;
  for (let n = 0; n < runs; n += 1) {
    const history = given ?? historyOf(seed + n);
    if (process.argv.includes('--disk')) history.options.disk = true;
    const wrong = await play(history);
    if (wrong.length > 0) {
      await report(history, wrong, n + 1, process.argv.includes('--first'));
      return 1;
    }
    if (n % 50 === 49) await breathe();
    if (n % 10_000 === 9_999) console.log(`${n + 1} histories, ${rate(n + 1, from)} a second`);
  }
  const cpu = process.cpuUsage();
  const cpuSeconds = ((cpu.user + cpu.system) / 1e6).toFixed(1);
  console.log(`${runs} histories clean from seed ${seed}: ${rate(runs, from)} a second, ${cpuSeconds} s of CPU`);
  return 0;
}

const rate = (runs: number, from: number): string => (runs / ((performance.now() - from) / 1000)).toFixed(0);

async function report(history: History, wrong: readonly string[], n: number, only: boolean): Promise<void> {
  console.log(`history ${n} is wrong; again: npm run simulate -- --seed ${history.seed} --runs 1`);
  for (const one of wrong) console.log(`  ${one}`);
  if (only) return;
  const small = await shrink(history);
  Error.stackTraceLimit = 10;
  small.wrong = await play(small.history);
  console.log(`made small, ${small.history.acts.length} of ${history.acts.length} acts; again with --history FILE:`);
  console.log(JSON.stringify(small.history));
  for (const one of small.wrong) console.log(`  ${one}`);
}

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    console.error(error);
    process.exitCode = 2;
  },
);
