/**
 * `npm run bench -- startup [--json] [--windows 10] [--steps 1000,10000]`: what the extension costs before it is used. In the
 * real VS Code, a new window each: its own code from loading to the answer of `activate`, and the first view. In a fresh
 * process: opening a long run. Ends non-zero when a goal is missed: 50 ms of activation at the median, a run of 10,000 steps
 * open in 1 s and 100 MB.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { percentile, table, type Row } from './lib/measure';
import { longRun, openRun, type OpenFigures } from './lib/startupOpen';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    windows: { type: 'string', default: '10' },
    steps: { type: 'string', default: '1000,10000' },
    open: { type: 'string' },
  },
});

const MARK = 'startup figures: ';
const run = promisify(execFile);
const rows: Record<string, string | number>[] = [];
const missed: string[] = [];
const rounded = (value: number): number => Math.round(value * 10) / 10;

function figuresIn<T>(output: string): T {
  const line = output.split('\n').find((one) => one.includes(MARK));
  if (line === undefined) throw new Error(`no figures:\n${output.slice(-2000)}`);
  return JSON.parse(line.slice(line.indexOf(MARK) + MARK.length)) as T;
}

interface WindowFigures {
  load: number;
  activate: number;
  settled: number;
  view: number;
  heapMB: number;
}

async function windows(count: number): Promise<void> {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'holdfast-bench-')));
  try {
    // as it is shipped
    await run(process.execPath, ['esbuild.mjs', '--production', `--outdir=${path.join(dir, 'dist')}`]);
    for (const part of ['media', 'schemas', 'package.nls.json'])
      cpSync(part, path.join(dir, part), { recursive: true });
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { main: string };
    writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ ...manifest, main: './startupMain.cjs' }));
    cpSync('bench/lib/startupMain.cjs', path.join(dir, 'startupMain.cjs'));
    const env = {
      ...process.env,
      HOLDFAST_EXTENSION: dir,
      HOLDFAST_ENTRY: path.resolve('out/bench/lib/startupHost.js'),
    };
    const all: WindowFigures[] = [];
    for (let n = 0; n < count; n += 1) {
      const { stdout } = await run(process.execPath, ['scripts/integration.mjs'], { env, maxBuffer: 1e8 });
      all.push(figuresIn<WindowFigures>(stdout));
    }
    const median = (of: (one: WindowFigures) => number): number => rounded(percentile(all.map(of), 0.5));
    const own = median((one) => one.load + one.activate);
    rows.push(
      { name: 'load', trials: count, p50: median((one) => one.load) },
      { name: 'activate', trials: count, p50: median((one) => one.activate) },
      {
        name: 'load and activate',
        trials: count,
        p50: own,
        p99: rounded(Math.max(...all.map((one) => one.load + one.activate))),
      },
      { name: 'activate, until settled', trials: count, p50: median((one) => one.settled) },
      { name: 'first view', trials: count, p50: median((one) => one.view) },
    );
    if (own > 50) missed.push(`activation: ${own} ms of our own code at the median, goal 50`);
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function longRuns(steps: readonly number[]): Promise<void> {
  for (const count of steps) {
    const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'holdfast-bench-')));
    try {
      await longRun(dir, count);
      const all: OpenFigures[] = [];
      for (let n = 0; n < 5; n += 1) {
        const { stdout } = await run(process.execPath, ['--expose-gc', __filename, '--open', dir]);
        all.push(figuresIn<OpenFigures>(stdout));
      }
      const median = (of: (one: OpenFigures) => number): number => rounded(percentile(all.map(of), 0.5));
      const [ms, peakMB] = [median((one) => one.loaded), median((one) => one.peakMB)];
      rows.push({
        name: 'open a run',
        steps: count,
        trials: all.length,
        p50: ms,
        heapMB: median((one) => one.heapMB),
        peakMB,
      });
      if (all.some((one) => one.steps !== count)) missed.push(`not all of ${count} steps were loaded`);
      if (count === 10_000 && ms > 1000) missed.push(`a run of ${count} steps opens in ${ms} ms, goal 1000`);
      if (count === 10_000 && peakMB > 100)
        missed.push(`a run of ${count} steps takes ${peakMB} MB at its peak, goal 100`);
    } finally {
      rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

async function main(): Promise<void> {
  if (options.open !== undefined) {
    console.log(MARK + JSON.stringify(await openRun(options.open)));
    return;
  }
  await longRuns(options.steps.split(',').filter(Boolean).map(Number));
  if (Number(options.windows) > 0) await windows(Number(options.windows));
  if (options.json) for (const row of rows) console.log(JSON.stringify(row));
  else console.log(table(rows as unknown as Row[]));
  for (const one of missed) console.error(`missed: ${one}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
}

void main();
