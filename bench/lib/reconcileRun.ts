/** A resume in a generated workspace, beside `git status` and a raw walk of the same files in the same run. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openHoldfast } from '../../src/core/holdfast';
import { HoldProbe } from '../../src/core/holdProbe';
import type { RunState } from '../../src/core/run/state';
import { ShiftedClock } from '../../src/node/clock';
import { Faults } from '../../src/node/faults';
import { nodePorts } from '../../test/scenarios/hosts/nodePorts';
import { ScriptedModel } from '../../test/scenarios/server';
import { until } from './stopTrials';
import { timed } from './measure';

/** Files that the run knows and the human changes before each resume. */
const KNOWN = 20;
const PER_FOLDER = 100;

export interface ResumeTimes {
  /** From the command to the run that goes on, ms. */
  resume: number[];
  gitStatus: number[];
  walk: number[];
}

const fileName = (i: number): string => `d${Math.floor(i / PER_FOLDER)}/f${i}.ts`;
const text = (i: number, word: string): string =>
  Array.from({ length: 20 }, (_, line) => `export const ${word}${i}x${line} = ${line};\n`).join('');

/** In the workspace of `files` files. `looks`: false leaves everything but the files of the run alone. */
export async function resumes(files: number, git: boolean, looks: boolean, trials: number): Promise<ResumeTimes> {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'holdfast-bench-')));
  const [workspace, storage] = [path.join(dir, 'workspace'), path.join(dir, 'storage')];
  for (const folder of [workspace, storage]) mkdirSync(folder);
  const run = (...args: string[]): void => void execFileSync('git', ['-C', workspace, ...args], { stdio: 'pipe' });
  const write = (i: number, word: string): void => writeFileSync(path.join(workspace, fileName(i)), text(i, word));
  const known = Array.from({ length: KNOWN }, (_, k) => Math.floor((k * files) / KNOWN));
  const times: ResumeTimes = { resume: [], gitStatus: [], walk: [] };
  const calls = known.map((i) => ({ tool: 'read_file', args: { path: fileName(i) } }));
  const model = new ScriptedModel([{ calls }, { text: 'on', hang: 'afterText', repeat: trials + 2 }]);
  try {
    for (let i = 0; i < files; i += PER_FOLDER) mkdirSync(path.dirname(path.join(workspace, fileName(i))));
    for (let i = 0; i < files; i += 1) write(i, 'first');
    if (git) {
      run('init', '-q');
      run('config', 'gc.auto', '0');
      run('add', '-A');
      run('-c', 'user.name=b', '-c', 'user.email=b@localhost', 'commit', '-qm', 'first');
    }
    const modelUrl = await model.start();
    const { tree, ...ports } = nodePorts(
      { setup: { files: {} }, run: { approvals: 'auto' }, workspace, storage, modelUrl },
      { probe: new HoldProbe(), clock: new ShiftedClock(), faults: new Faults(), log: () => undefined },
    );
    const core = await openHoldfast(looks && tree ? { ...ports, tree } : ports);
    const started = await core.startRun({ goal: 'read' });
    if (!('runId' in started)) throw new Error(started.message);
    const { runId } = started;
    const streams = (s: RunState): boolean => (s.partial?.text ?? '') !== '';
    await until(core, runId, 'streaming', streams);
    for (let trial = 0; trial <= trials; trial += 1) {
      await core.pause({ runId });
      for (const i of known) write(i, `trial${trial}n`);
      const goesOn = until(core, runId, 'on its way', (s) => s.status === 'running');
      const { ms } = await timed(async () => {
        const answer = await core.resume({ runId });
        if ('refused' in answer) throw new Error(answer.message);
        await goesOn;
      });
      await until(core, runId, 'streaming again', streams);
      const verdicts = core.get(runId)?.report?.files.length;
      if (verdicts !== KNOWN) throw new Error(`the report names ${verdicts} files, not ${KNOWN}`);
      for (const i of known) write(i, `status${trial}n`);
      const status = git ? (await timed(() => Promise.resolve(run('status', '--porcelain')))).ms : undefined;
      const walked = (await timed(() => walk(workspace))).ms;
      // the first pays for what is made once
      if (trial === 0) continue;
      times.resume.push(ms);
      if (status !== undefined) times.gitStatus.push(status);
      times.walk.push(walked);
    }
    await core.abort({ runId });
    await core.dispose();
    return times;
  } finally {
    await model.stop();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Size and time of every file, as the simplest of walks gets them. */
async function walk(folder: string): Promise<number> {
  let seen = 0;
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.name === '.git') continue;
    if (entry.isDirectory()) seen += await walk(file);
    else seen += (await lstat(file)).size;
  }
  return seen;
}
