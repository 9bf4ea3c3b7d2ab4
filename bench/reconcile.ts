/**
 * `npm run bench -- reconcile [--json] [--trials N]`: what a long file costs. Merge, and tracking of the human's lines: one look
 * after an edit of the human, and one write of the agent, as a read and a write plan pay them. Ends non-zero when tracking an
 * edit in a file of 10,000 lines takes 50 ms, or in one of 100,000 holds up the host for 250 ms (a rewrite is reported only).
 */
import { parseArgs } from 'node:util';
import { carry, markHuman, type LineRange } from '../src/core/reconcile/owned';
import { merge3 } from '../src/core/reconcile/merge3';
import { percentile, type Row, rowOf, table } from './lib/measure';

const { values: options } = parseArgs({
  options: { json: { type: 'boolean', default: false }, trials: { type: 'string', default: '15' } },
});
const trials = Number(options.trials);

const join = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
const base = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => (i % 5 === 4 ? '}' : `  const value${i} = compute(${i % 97});`));
/** `places` changed lines, spread over the file. */
const changed = (lines: readonly string[], places: number, word: string): string[] => {
  const copy = [...lines];
  for (let k = 0; k < places; k += 1) copy[Math.floor(((k + 0.5) * lines.length) / places)] = `${word} ${k}`;
  return copy;
};

function times(work: () => unknown): number[] {
  const all: number[] = [];
  for (let i = 0; i < trials; i += 1) {
    const from = performance.now();
    work();
    all.push(performance.now() - from);
  }
  return all;
}

const rows: Row[] = [];
const missed: string[] = [];

function measure(name: string, lines: number, goal: number, work: () => unknown): void {
  work();
  const taken = times(work);
  const { p50, p99, trials: count } = rowOf(name, taken, []);
  rows.push({ name, lines, p50, p99, trials: count } as unknown as Row);
  const median = percentile(taken, 0.5);
  if (median > goal) missed.push(`${name}, ${lines} lines: ${median.toFixed(1)} ms, goal ${goal} ms`);
}

for (const count of [1000, 10_000, 100_000]) {
  const goal = count <= 10_000 ? 50 : 250;
  const lines = base(count);
  const before = join(lines);
  const owned: LineRange[] = Array.from({ length: 20 }, (_, k) => {
    const from = Math.floor(((k + 0.3) * count) / 20) + 1;
    return { from, to: from + 2 };
  });
  for (const places of [1, 20]) {
    const human = join(changed(lines, places, 'human'));
    measure(`track ${places} human edit${places > 1 ? 's' : ''}`, count, goal, () => markHuman(before, owned, human));
    const agent = join(changed(lines, places, 'agent'));
    measure(`track ${places} agent edit${places > 1 ? 's' : ''}`, count, goal, () => carry(before, owned, agent));
  }
  const reordered = join(
    [...lines.slice(count / 2), ...lines.slice(0, count / 2)].map((line, i) => (i % 3 ? line : `${line} //`)),
  );
  measure('track a rewrite', count, Infinity, () => carry(before, owned, reordered));
  const [mine, other] = [join(changed(lines, 20, 'agent')), join(changed(changed(lines, 1, 'x'), 30, 'human'))];
  measure('merge 20 + 31 edits', count, 1000, () => merge3(before, mine, other));
}

if (options.json) for (const row of rows) console.log(JSON.stringify(row));
else console.log(table(rows));
for (const one of missed) console.error(`missed: ${one}`);
process.exitCode = missed.length > 0 ? 1 : 0;
