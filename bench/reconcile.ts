/**
 * `npm run bench -- reconcile [--json] [--trials N] [--files 1000,10000,100000] [--resumes N]`. A resume after the human changed 20
 * files the run knows, in workspaces of the sizes given, beside `git status` and a raw walk; and what a long file costs: merge, and tracking of the human's lines: one look
 * after an edit of the human, and one write of the agent, as a read and a write plan pay them. Ends non-zero when a resume
 * in the largest repository takes more than 1.3 x `git status`, when one that looks at known files only grows with the workspace
 * (largest / smallest > 1.3), when tracking an edit in a file of 10,000 lines takes 50 ms, or in one of 100,000 holds up the host for 250 ms. A rewrite is tracked in parts: its longest part counts.
 */
import { parseArgs } from 'node:util';
import { carry, carrying, markHuman, type LineRange } from '../src/core/reconcile/owned';
import type { InParts } from '../src/core/reconcile/parts';
import { merge3 } from '../src/core/reconcile/merge3';
import { percentile, type Row, rowOf, table } from './lib/measure';
import { resumes } from './lib/reconcileRun';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    trials: { type: 'string', default: '15' },
    files: { type: 'string', default: '1000,10000,100000' },
    resumes: { type: 'string', default: '9' },
  },
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

function timeOf(work: () => unknown): number {
  const from = performance.now();
  work();
  return performance.now() - from;
}

const rows: Row[] = [];
const missed: string[] = [];

function measure(name: string, lines: number, goal: number, work: () => unknown): void {
  work();
  measureAs(name, lines, goal, () => timeOf(work));
}

/** As `measure`, of what the work itself says it took, in ms. */
function measureAs(name: string, lines: number, goal: number, work: () => number): void {
  const taken = Array.from({ length: trials }, work);
  const { p50, p99, trials: count } = rowOf(name, taken, []);
  rows.push({ name, lines, p50, p99, trials: count } as unknown as Row);
  const median = percentile(taken, 0.5);
  if (median > goal) missed.push(`${name}, ${lines} lines: ${median.toFixed(1)} ms, goal ${goal} ms`);
}

function longestPart(work: InParts<unknown>): number {
  for (let longest = 0; ;) {
    const from = performance.now();
    const { done } = work.next();
    longest = Math.max(longest, performance.now() - from);
    if (done) return longest;
  }
}

interface ResumeRow {
  name: string;
  files: number;
  git: boolean;
  ms: number;
  ratioToGitStatus?: number;
}

/** Medians. */
async function measureResumes(sizes: readonly number[]): Promise<ResumeRow[]> {
  const found: ResumeRow[] = [];
  const rounded = (ms: number): number => Math.round(ms * 100) / 100;
  for (const files of sizes) {
    for (const [git, looks] of [
      [true, true],
      [false, true],
      [true, false],
    ] as const) {
      const taken = await resumes(files, git, looks, Number(options.resumes));
      const status = percentile(taken.gitStatus, 0.5);
      const row = (name: string, all: readonly number[]): ResumeRow => {
        const ms = rounded(percentile(all, 0.5));
        return { name, files, git, ms, ...(git ? { ratioToGitStatus: rounded(ms / status) } : {}) };
      };
      found.push(row(looks ? 'resume' : 'resume, known files only', taken.resume));
      if (!looks) continue;
      if (git) found.push(row('git status', taken.gitStatus));
      found.push(row('stat walk', taken.walk));
    }
  }
  return found;
}

function judgeResumes(found: readonly ResumeRow[]): void {
  const largest = found.filter(({ name, git }) => name === 'resume' && git).at(-1);
  if ((largest?.ratioToGitStatus ?? 0) > 1.3)
    missed.push(`resume, ${largest?.files} files: ${largest?.ratioToGitStatus} x git status, goal 1.3`);
  const known = found.filter(({ name }) => name === 'resume, known files only').map(({ ms }) => ms);
  const growth = (known.at(-1) ?? 0) / (known[0] ?? 1);
  if (growth > 1.3)
    missed.push(`resume, known files only: grows ${growth.toFixed(2)} times with the workspace, goal 1.3`);
}

async function main(): Promise<void> {
  const sizes = options.files.split(',').filter(Boolean).map(Number);
  const resumed = await measureResumes(sizes);
  judgeResumes(resumed);
  const shown = resumed as unknown as Row[];
  if (!options.json && shown.length > 0) console.log(`${table(shown)}\n`);
  else for (const row of shown) console.log(JSON.stringify(row));
  measureFiles();
  if (options.json) for (const row of rows) console.log(JSON.stringify(row));
  else console.log(table(rows));
  for (const one of missed) console.error(`missed: ${one}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
}

function measureFiles(): void {
  for (const count of [1000, 10_000, 100_000]) measureFile(count);
}

function measureFile(count: number): void {
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
  // What the host waits for at most, the bounded diff: between the parts it has its turn.
  measureAs('track a rewrite, longest part', count, Math.max(goal, 100), () =>
    longestPart(carrying(before, owned, reordered)),
  );
  const [mine, other] = [join(changed(lines, 20, 'agent')), join(changed(changed(lines, 1, 'x'), 30, 'human'))];
  measure('merge 20 + 31 edits', count, 1000, () => merge3(before, mine, other));
}

void main();
