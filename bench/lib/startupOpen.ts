/** A long run on disk, and how long a fresh process takes to open it: `node OUT/startup.js --open DIR` prints one line of figures. */
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { openHoldfast } from '../../src/core/holdfast';
import { foldLoaded, summarize } from '../../src/core/run/load';
import { HoldProbe } from '../../src/core/holdProbe';
import { ShiftedClock } from '../../src/node/clock';
import { Faults } from '../../src/node/faults';
import { NodeStore } from '../../src/node/store';
import { Layout } from '../../src/node/store/layout';
import { NodeLease } from '../../src/node/store/lease';
import { realFs } from '../../src/node/fs';
import { nodePorts } from '../../test/scenarios/hosts/nodePorts';
import { BenchRun } from './checkpointRun';

export interface OpenFigures {
  /** Runs are listed, and what lost its process is settled. */
  open: number;
  /** The state of the run is there, ms from the start of `open`. */
  loaded: number;
  /** More heap than before, after a collection. */
  heapMB: number;
  /** More memory of the process at its peak than before. */
  peakMB: number;
  steps: number;
}

const runId = 'bench';

/** `steps` steps, each with 2 KB of state and three files of 4 KB, written as the core writes them; the host was killed then. */
export async function longRun(dir: string, steps: number): Promise<void> {
  const storage = path.join(dir, 'storage');
  for (const folder of [path.join(dir, 'workspace'), storage]) mkdirSync(folder, { recursive: true });
  const lease = new NodeLease(realFs, new Layout(storage));
  const store = new NodeStore({ dir: storage, lease });
  const run = await BenchRun.begin(store, runId);
  for (let step = 0; step < steps; step += 1) await run.next();
  await run.close();
  const state = foldLoaded((await store.load(runId)) ?? { snapshot: undefined, tail: [], damage: [] });
  if (state) await store.updateIndex(summarize(state));
  await lease.release();
}

export async function openRun(dir: string): Promise<OpenFigures> {
  const [workspace, storage] = [path.join(dir, 'workspace'), path.join(dir, 'storage')];
  const options = { setup: { files: {} }, run: {}, workspace, storage, modelUrl: 'http://127.0.0.1:9' };
  const controls = { probe: new HoldProbe(), clock: new ShiftedClock(), faults: new Faults(), log: () => undefined };
  const ports = nodePorts(options, controls);
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const peak = process.resourceUsage().maxRSS;
  const from = performance.now();
  const core = await openHoldfast(ports);
  const open = performance.now() - from;
  const state = await core.load(runId);
  const loaded = performance.now() - from;
  const peakMB = (process.resourceUsage().maxRSS - peak) / 1000;
  globalThis.gc?.();
  const heapMB = (process.memoryUsage().heapUsed - heap) / 1e6;
  const steps = state?.steps.length ?? 0;
  await core.dispose();
  return { open, loaded, heapMB, peakMB, steps };
}
