/**
 * `npm run bench -- stop [--json] [--trials N] [--grace MS] [--only NAME]`: from the command to the settled receipt, beside
 * the floor measured in the same process. Ends non-zero when a goal is missed: p99 within 1.5 x floor + 15 ms (a graced end:
 * within the grace + 150 ms), and nothing alive afterwards, in every trial.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openHoldfast } from '../src/core/holdfast';
import { HoldProbe } from '../src/core/holdProbe';
import { ShiftedClock } from '../src/node/clock';
import { Faults } from '../src/node/faults';
import { nodePorts } from '../test/scenarios/hosts/nodePorts';
import { livingProcesses } from '../test/scenarios/processes';
import { ScriptedModel } from '../test/scenarios/server';
import { type Row, rowOf, table, timed } from './lib/measure';
import { type Case, CASES, isReceipt } from './lib/stopTrials';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    trials: { type: 'string', default: '200' },
    grace: { type: 'string', default: '400' },
    only: { type: 'string' },
  },
});
const trials = Number(options.trials);
const graceMs = Number(options.grace);

const collect = (): void => globalThis.gc?.();

interface Measured {
  row: Row;
  problems: string[];
}

async function measure(one: Case): Promise<Measured> {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'holdfast-bench-')));
  const workspace = path.join(dir, 'workspace');
  const storage = path.join(dir, 'storage');
  for (const folder of [workspace, storage]) mkdirSync(folder);
  // Each trial is two requests at most: its own, and that of its floor.
  const replies = one.replies.map((reply) => ({ ...reply, repeat: 1 }));
  const times: number[] = [];
  const floor: number[] = [];
  const problems: string[] = [];
  let alive = 0;
  try {
    for (let trial = 0; trial < trials; trial += 1) {
      const model = new ScriptedModel(replies);
      const modelUrl = await model.start();
      const setup = { files: {}, settings: { ...one.settings, 'holdfast.stopGraceMs': graceMs } };
      const core = await openHoldfast(
        nodePorts(
          { setup, run: { approvals: 'auto' }, workspace, storage, modelUrl },
          { probe: new HoldProbe(), clock: new ShiftedClock(), faults: new Faults(), log: () => undefined },
        ),
      );
      const place = { core, workspace, modelUrl };
      if (trial === 0) await one.prepare?.(place);
      const started = await core.startRun({ goal: one.name });
      if (!('runId' in started)) throw new Error(started.message);
      const { runId } = started;
      await one.ready(place, runId);
      // what opening and looking for processes leaves behind is not the stop's, nor the floor's
      collect();
      const { ms, value } = await timed(() => core[one.stop]({ runId }));
      times.push(ms);
      if (!isReceipt(value)) problems.push(`trial ${trial}: ${value.message}`);
      const state = core.get(runId);
      if (state) problems.push(...(one.after?.(state) ?? []).map((text) => `trial ${trial}: ${text}`));
      if (one.stop !== 'abort') await core.abort({ runId });
      const left = livingProcesses({ runIds: [runId], root: undefined, mark: undefined });
      if (left.length > 0) {
        alive += 1;
        problems.push(`trial ${trial}: alive afterwards: ${left.map((p) => `${p.pid} ${p.command}`).join(', ')}`);
      }
      collect();
      floor.push(await one.floor(place));
      await core.dispose();
      await model.stop();
      rmSync(path.join(storage, 'runs', runId), { recursive: true, force: true });
      rmSync(path.join(storage, 'runs.json'), { force: true });
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  const row = rowOf(one.name, times, floor);
  const goal = Math.round((one.graced ? graceMs + 150 : 1.5 * row.floorP99 + 15) * 100) / 100;
  const ok = row.p99 <= goal && problems.length === 0;
  return { row: { ...row, goal, nothingAlive: trials - alive, ok, ...(one.graced ? { graceMs } : {}) }, problems };
}

async function main(): Promise<void> {
  const rows: Row[] = [];
  for (const one of CASES.filter(({ name }) => options.only === undefined || name === options.only)) {
    const { row, problems } = await measure(one);
    rows.push(row);
    if (options.json) console.log(JSON.stringify(row));
    for (const problem of problems.slice(0, 10)) console.error(`${one.name}: ${problem}`);
  }
  if (!options.json) console.log(table(rows));
  if (rows.length === 0 || rows.some((row) => row['ok'] !== true)) process.exitCode = 1;
}

void main();
