/**
 * `npm run bench -- checkpoint [--json] [--steps 100,1000,10000] [--peers 100,1000] [--git 1000,10000,100000]`: what a checkpoint
 * costs. State grows 2 KB a step, three files of 4 KB change. Beside Holdfast, step by step in the same loop, its floor (the
 * same bytes into the same files with the same number of syncs, raw) and one append with one sync; then others with the same
 * payload. An empty list leaves a part out. Ends non-zero when a goal is missed.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { NodeStore } from '../src/node/store';
import { Layout } from '../src/node/store/layout';
import { NodeLease } from '../src/node/store/lease';
import { Floor, written } from './lib/checkpointFloor';
import { bytesWritten, langgraph, lowdb, shadowGit } from './lib/checkpointPeers';
import { BenchRun, content, FILES } from './lib/checkpointRun';
import { percentile, table } from './lib/measure';
import { type Op, Trace, tracedFs } from './lib/tracedFs';

interface Row {
  name: string;
  steps: number;
  /** Files in the workspace; 0: the measure has none. */
  files: number;
  /** ms a step. */
  p50: number;
  p99: number;
  /** Median by that of the floor with as many steps; 1 where that was not measured. */
  ratioToFloor: number;
  /** Median of the last 100 steps by that of the first 100; 1 where there are fewer than 200. */
  flatness: number;
  bytes: number;
  [more: string]: string | number;
}

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    steps: { type: 'string', default: '100,1000,10000' },
    peers: { type: 'string', default: '100,1000' },
    git: { type: 'string', default: '1000,10000,100000' },
  },
});
const numbers = (text: string): number[] => text.split(',').filter(Boolean).map(Number);
const peersFolder = path.resolve('bench');
const rows: Row[] = [];
/** Medians of the floor by steps. */
const floors = new Map<number, number>();
const missed: string[] = [];

const round = (value: number): number => Math.round(value * 1000) / 1000;
const median = (times: readonly number[]): number => percentile(times, 0.5);

function add(name: string, steps: number, files: number, times: readonly number[], bytes: number, floor?: number): Row {
  const flatness = times.length < 200 ? 1 : median(times.slice(-100)) / median(times.slice(0, 100));
  const p50 = median(times);
  const row: Row = {
    ...{ name, steps, files, p50: round(p50), p99: round(percentile(times, 0.99)) },
    ratioToFloor: floor === undefined ? 1 : round(p50 / floor),
    flatness: round(flatness),
    bytes,
  };
  rows.push(row);
  if (options.json) console.log(JSON.stringify(row));
  return row;
}

async function inFolder<T>(work: (dir: string) => Promise<T> | T): Promise<T> {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'holdfast-bench-')));
  try {
    return await work(dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

interface Measured {
  run: BenchRun;
  lease: NodeLease;
  trace: Trace;
  floor: Floor;
  own: number[];
  least: number[];
}

async function begin(dir: string): Promise<Measured> {
  const trace = new Trace();
  const [storage, fs] = [path.join(dir, 'storage'), tracedFs(trace)];
  const lease = new NodeLease(fs, new Layout(storage));
  const run = await BenchRun.begin(new NodeStore({ dir: storage, fs, lease }), 'bench');
  return { run, lease, trace, floor: await Floor.begin(path.join(dir, 'floor')), own: [], least: [] };
}

/** One step, and the floor of it; what the step wrote and synced. */
async function step(one: Measured, read?: (file: number) => Promise<Uint8Array>): Promise<Op[]> {
  one.trace.take();
  one.own.push(await one.run.next(read));
  const ops = one.trace.take();
  one.least.push(await one.floor.step(ops));
  return ops;
}

async function close({ run, lease, floor }: Measured): Promise<void> {
  await run.close();
  await lease.release();
  await floor.close();
}

/** Holdfast, its floor and one append, in turns: what else the machine does meets all three alike. */
function holdfast(steps: number): Promise<Row> {
  return inFolder(async (dir) => {
    const one = await begin(dir);
    const append: number[] = [];
    for (let n = 0; n < steps; n += 1)
      append.push(await one.floor.append(written(await step(one), ['pack', 'journal'])));
    await close(one);
    const { bytes } = one.trace;
    const floor = median(one.least);
    floors.set(steps, floor);
    const row = add('holdfast', steps, 0, one.own, bytes, floor);
    add('floor', steps, 0, one.least, bytes, floor);
    const least = add('append + fdatasync', steps, 0, append, bytes, floor);
    if (steps < 1000) return row;
    goal(row.ratioToFloor <= 1.5, `${steps} steps: ${row.ratioToFloor} x the floor at the median (goal 1.5)`);
    goal(
      row.p50 <= 4 * least.p50,
      `${steps} steps: ${round(row.p50 / least.p50)} x one append with fdatasync (goal 4)`,
    );
    goal(row.flatness <= 1.2, `${steps} steps: the last 100 take ${row.flatness} x the first 100 (goal 1.2)`);
    return row;
  });
}

/** Holdfast in workspaces of several sizes, in turns too; then a shadow repository in each. */
function workspaces(sizes: readonly number[]): Promise<void> {
  return inFolder(async (dir) => {
    const all: { files: number; workspace: string; one: Measured }[] = [];
    for (const files of sizes) {
      const workspace = path.join(dir, `${files}`, 'workspace');
      fill(workspace, files);
      all.push({ files, workspace, one: await begin(path.join(dir, `${files}`)) });
    }
    for (let n = 0; n < 200; n += 1)
      for (const { workspace, one } of all) await step(one, (file) => readFile(path.join(workspace, `f${file}.ts`)));
    const medians: number[] = [];
    for (const { files, one } of all) {
      await close(one);
      medians.push(add('holdfast, workspace', 200, files, one.own, one.trace.bytes, median(one.least)).p50);
    }
    const ratio = round((medians.at(-1) ?? 0) / (medians[0] ?? 1));
    goal(ratio <= 1.2, `${sizes.at(-1)} files take ${ratio} x the time of ${sizes[0]} (goal 1.2)`);
    for (const { files, workspace } of all) {
      const before = bytesWritten();
      const times = shadowGit(workspace, path.join(dir, `${files}`, 'git'), 10);
      add('shadow git', 10, files, times, bytesWritten() - before);
    }
  });
}

function fill(workspace: string, files: number): void {
  for (let n = 0; n < files; n += 1) {
    const folder = n < FILES ? workspace : path.join(workspace, `d${n % 100}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `f${n}.ts`), content(0, n));
  }
}

function goal(met: boolean, text: string): void {
  if (!met) missed.push(text);
}

async function peer(name: string, steps: number, work: (dir: string) => Promise<number[]>): Promise<Row> {
  return inFolder(async (dir) => {
    const before = bytesWritten();
    const times = await work(dir);
    return add(name, steps, 0, times, bytesWritten() - before, floors.get(steps));
  });
}

async function main(): Promise<void> {
  const own = new Map<number, Row>();
  for (const steps of numbers(options.steps)) own.set(steps, await holdfast(steps));
  for (const steps of numbers(options.peers)) {
    for (const durability of ['sync', 'async'] as const) {
      const graph = await peer(`langgraph sqlite, ${durability}`, steps, (dir) =>
        langgraph(peersFolder, dir, steps, durability),
      );
      const ours = own.get(steps);
      if (ours === undefined || steps < 1000) continue;
      goal(
        graph.bytes >= 20 * ours.bytes,
        `${graph.name}: only ${round(graph.bytes / ours.bytes)} x our bytes (goal 20)`,
      );
      goal(graph.p50 >= 10 * ours.p50, `${graph.name}: only ${round(graph.p50 / ours.p50)} x our time (goal 10)`);
    }
    await peer('lowdb, one growing JSON', steps, (dir) => lowdb(dir, steps));
  }
  const sizes = numbers(options.git);
  if (sizes.length > 0) await workspaces(sizes);
  if (!options.json) console.log(table(rows as unknown as Parameters<typeof table>[0]));
  for (const text of missed) console.error(`missed: ${text}`);
  process.exitCode = missed.length > 0 ? 1 : 0;
}

void main();
