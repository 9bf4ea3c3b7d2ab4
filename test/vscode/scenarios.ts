/** Entry of the extension test host that plays scenarios: one window, many scenarios, a line of results after each. */
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { extensions } from 'vscode';
import { play, type Result } from '../scenarios/player';
import { parseScenario } from '../scenarios/validate';
import { EXTENSION, PLAN, RESULTS, type WindowLine, type WindowPlan } from '../scenarios/hosts/window';
import { type TestApi, VscodeHost } from '../scenarios/hosts/vscode';
import { within } from '../scenarios/watch';
import { Place } from '../scenarios/workspace';

const LIMIT_MS = 300_000;

/** Called by VS Code. Results go to a file, so that a crash of the host loses none. */
export async function run(): Promise<void> {
  const plan = JSON.parse(readFileSync(given(PLAN), 'utf8')) as WindowPlan;
  const results = given(RESULTS);
  const write = (line: WindowLine): void => appendFileSync(results, `${JSON.stringify(line)}\n`);
  const api = await testApi();
  const scratch = path.dirname(results);
  for (const file of plan.files) {
    write({ started: file });
    const result = await playOne(file, plan, api, scratch);
    write({ file, result });
    // what one scenario leaves behind must not be blamed on the next
    if (result.failures.some((f) => f.startsWith('closing the host'))) return;
  }
}

async function playOne(file: string, plan: WindowPlan, api: TestApi, scratch: string): Promise<Result> {
  const scenario = parseScenario(readFileSync(file, 'utf8'), file);
  const startedAt = performance.now();
  try {
    await clear(plan);
    const storage = api.storage ?? storageFolder(plan.userDataDir);
    const place = new Place(plan.root, path.join(plan.root, 'workspace'), storage);
    return await within(play(scenario, new VscodeHost(api, storage, scratch), place), LIMIT_MS, 'the scenario');
  } catch (error) {
    const { id, title } = scenario;
    const details = { timeline: [], requests: [], states: [], living: [] };
    return {
      id,
      title,
      ms: performance.now() - startedAt,
      failures: [String((error as Error).stack)],
      notes: [],
      details,
    };
  }
}

/** Empties what the scenario before left; the opened folders themselves stay. */
async function clear({ root, folders = [] }: WindowPlan): Promise<void> {
  const workspace = path.join(root, 'workspace');
  const kept = new Set([workspace, ...folders.map((folder) => path.join(workspace, folder))]);
  for (const dir of [root, ...kept]) {
    await mkdir(dir, { recursive: true });
    for (const name of await readdir(dir)) {
      const file = path.join(dir, name);
      if (!kept.has(file)) await rm(file, { recursive: true, force: true });
    }
  }
}

/** Where VS Code puts the storage of an extension for the one workspace that this user data has seen. */
function storageFolder(userDataDir: string): string {
  const all = path.join(userDataDir, 'User', 'workspaceStorage');
  const [workspace, ...more] = existsSync(all) ? readdirSync(all).filter((name) => !name.startsWith('.')) : [];
  if (workspace === undefined || more.length > 0) return path.join(all, 'unknown', EXTENSION);
  return path.join(all, workspace, EXTENSION);
}

async function testApi(): Promise<TestApi> {
  const extension = extensions.getExtension<{ test?: TestApi }>(EXTENSION);
  if (!extension) throw new Error(`The extension ${EXTENSION} is not there.`);
  const { test } = await extension.activate();
  if (!test) throw new Error('activate() returned no `test`: is this ExtensionMode.Test?');
  return test;
}

function given(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: this entry is started by scripts/scenarios.mjs.`);
  return value;
}
