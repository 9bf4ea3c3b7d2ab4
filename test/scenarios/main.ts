/** Command line of the scenarios: what is played on which host, side by side or in one window, and what is told. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Found, readScenarios } from './files';
import { NodeHost } from './hosts/node';
import { launchWindows } from './hosts/windows';
import { play } from './player';
import { closingLine, count, tell, type Told } from './report';
import { sideBySide } from './sideBySide';
import type { HostName, Scenario } from './types';
import { Place } from './workspace';

interface Options {
  host: HostName;
  jobs: number;
  only: string[] | undefined;
  json: string | undefined;
  places: string[];
}

function readOptions(args: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      host: { type: 'string', default: 'node' },
      jobs: { type: 'string' },
      only: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const { host, jobs, only, json } = values;
  if (host !== 'node' && host !== 'vscode') throw new Error(`--host is node or vscode, not ${host}.`);
  if (jobs !== undefined && !/^[1-9]\d*$/.test(jobs)) throw new Error(`--jobs is a number from 1, not ${jobs}.`);
  return {
    host,
    // most of a scenario on node is waiting; a window keeps a core busy
    jobs: Number(jobs ?? (host === 'node' ? 4 : 2)),
    only: only?.split(',').map((id) => id.trim()),
    json,
    places: positionals.length > 0 ? positionals : [path.resolve(__dirname, '../../../test/scenarios')],
  };
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  const { found, problems } = await readScenarios(options.places);
  const chosen = options.only ? found.filter((f) => options.only?.includes(f.scenario.id)) : found;
  for (const id of options.only ?? [])
    if (!found.some((f) => f.scenario.id === id)) problems.push(`There is no scenario with the id ${id}.`);
  for (const problem of problems) console.log(`FAIL  ${problem}`);

  const told: Told[] = [];
  const report = (one: Told): void => {
    told.push(one);
    tell(one, console.log);
  };
  const fitting: Found[] = [];
  for (const one of chosen) {
    const { id, title, hosts } = one.scenario;
    if (hosts && !hosts.includes(options.host)) report({ id, title, skipped: `for host ${hosts.join(' and ')}` });
    else fitting.push(one);
  }
  if (options.host === 'node')
    await sideBySide(fitting, options.jobs, async (one) => report(await playOnNode(one.scenario)));
  else await launchWindows(fitting, options.jobs, report);

  if (options.json !== undefined) await writeJson(options.json, told);
  const counts = count(told);
  const all = { ...counts, failed: counts.failed + problems.length };
  if (all.passed + all.failed + all.skipped === 0) console.log('There is no scenario to play.');
  console.log(closingLine(all));
  return all.failed > 0 || all.passed + all.skipped === 0 ? 1 : 0;
}

/** Of the scenarios under way. */
const folders = new Set<string>();

async function playOnNode(scenario: Scenario): Promise<Told> {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'holdfast-scenario-')));
  folders.add(root);
  const mark = randomUUID();
  const place = new Place(root, path.join(root, 'workspace'), path.join(root, 'storage'));
  const host = new NodeHost(path.join(__dirname, 'nodeStart.js'), { SCENARIO_MARK: mark });
  try {
    return await play(scenario, host, place, `SCENARIO_MARK=${mark}`);
  } finally {
    removeFolder(root);
  }
}

function removeFolder(root: string): void {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  folders.delete(root);
}

/** Requests, states and time line of those that failed. */
async function writeJson(file: string, told: readonly Told[]): Promise<void> {
  const failed = told.filter((t) => !('skipped' in t) && t.failures.length > 0);
  await writeFile(file, JSON.stringify(failed, undefined, 2));
}

process.on('exit', () => [...folders].forEach(removeFolder));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  },
);
