/** Launches VS Code windows, some for each kind of set-up, and takes in the results while they are played. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { downloadAndUnzipVSCode } from '@vscode/test-electron';
import type { Found } from '../files';
import type { Told } from '../report';
import { sideBySide } from '../sideBySide';
import { sleep } from '../watch';
import { PLAN, RESULTS, type WindowLine, type WindowPlan } from './window';

/** Bundles stand in `out/scenarios/run-PID/`. */
const projectRoot = path.resolve(__dirname, '../../..');
const POLL_MS = 200;

interface Kind {
  folders?: string[];
  noFolder: boolean;
  trusted: boolean;
}

/** A window costs some seconds to open: no share of a group is smaller than this. */
const SHARE = 15;

/** Plays all, in up to `jobs` windows at a time. */
export async function launchWindows(
  found: readonly Found[],
  jobs: number,
  report: (told: Told) => void,
): Promise<void> {
  const groups = new Map<string, Found[]>();
  for (const one of found) groups.set(kindOf(one), [...(groups.get(kindOf(one)) ?? []), one]);
  const shares = [...groups].flatMap(([key, group]) =>
    shared(group, jobs).map((share) => ({ kind: JSON.parse(key) as Kind, share })),
  );
  // the long ones first, so that no core idles at the end
  shares.sort((a, b) => b.share.length - a.share.length);
  await sideBySide(shares, jobs, ({ kind, share }) => playGroup(kind, share, report));
}

/** Dealt out in turns: neighbours are alike, and take alike long. */
function shared(group: readonly Found[], jobs: number): Found[][] {
  const count = Math.max(1, Math.min(jobs, Math.floor(group.length / SHARE)));
  return Array.from({ length: count }, (_, i) => group.filter((_one, at) => at % count === i));
}

function kindOf({ scenario: { setup } }: Found): string {
  const kind: Kind = {
    ...(setup.folders ? { folders: setup.folders } : {}),
    noFolder: setup.noFolder ?? false,
    trusted: setup.trusted ?? true,
  };
  return JSON.stringify(kind);
}

/** A window that ends early is blamed on the scenario under way; the others are played in the next one. */
async function playGroup(kind: Kind, group: readonly Found[], report: (told: Told) => void): Promise<void> {
  let left = [...group];
  while (left.length > 0) {
    const { done, started, ending } = await playWindow(kind, left, report);
    // one that plays nothing at all will not do better the next time
    const blamed = left.filter((f) => !done.has(f.file) && (started === undefined || f.file === started));
    for (const { scenario } of blamed) {
      const { id, title } = scenario;
      const details = { timeline: [], requests: [], states: [], living: [] };
      report({
        id,
        title,
        ms: 0,
        failures: [`the window ended before this was played to its end: ${ending}`],
        notes: [],
        details,
      });
    }
    left = left.filter((f) => !done.has(f.file) && !blamed.includes(f));
  }
}

interface WindowEnd {
  done: Set<string>;
  started: string | undefined;
  ending: string;
}

async function playWindow(kind: Kind, group: readonly Found[], report: (told: Told) => void): Promise<WindowEnd> {
  const base = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'holdfast-window-')));
  const results = path.join(base, 'results.jsonl');
  const plan: WindowPlan = {
    files: group.map((f) => f.file),
    root: path.join(base, 'place'),
    ...(kind.folders ? { folders: kind.folders } : {}),
    userDataDir: path.join(base, 'user-data'),
  };
  writeFileSync(path.join(base, 'plan.json'), JSON.stringify(plan));
  writeFileSync(results, '');
  const end: WindowEnd = { done: new Set(), started: undefined, ending: '' };
  let taken = 0;
  const takeIn = (): void => {
    const lines = readFileSync(results, 'utf8').split('\n').slice(0, -1);
    for (const line of lines.slice(taken).map((text) => JSON.parse(text) as WindowLine)) {
      if ('started' in line) end.started = line.started;
      else {
        end.done.add(line.file);
        report(line.result);
      }
    }
    taken = lines.length;
  };
  try {
    const environment = { [PLAN]: path.join(base, 'plan.json'), [RESULTS]: results };
    let over = false;
    const launched = launch(kind, targetOf(kind, plan, base), plan.userDataDir, environment)
      .then((how) => (end.ending = how))
      .catch((error: unknown) => (end.ending = String(error)))
      .finally(() => (over = true));
    while (!over) {
      takeIn();
      await Promise.race([launched, sleep(POLL_MS)]);
    }
    takeIn();
    return end;
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What the window opens: the workspace, a multi-root workspace file, or nothing. */
function targetOf(kind: Kind, { root, folders }: WindowPlan, base: string): string | undefined {
  const workspace = path.join(root, 'workspace');
  mkdirSync(workspace, { recursive: true });
  if (kind.noFolder) return undefined;
  if (!folders) return workspace;
  for (const folder of folders) mkdirSync(path.join(workspace, folder), { recursive: true });
  const file = path.join(base, 'scenario.code-workspace');
  writeFileSync(file, JSON.stringify({ folders: folders.map((folder) => ({ path: path.join(workspace, folder) })) }));
  return file;
}

/** Answers with how it ended. What it prints is told only then: the consoles of all extensions come along. */
async function launch(
  kind: Kind,
  target: string | undefined,
  userDataDir: string,
  env: Record<string, string>,
): Promise<string> {
  const args = [
    ...(target === undefined ? [] : [target]),
    `--user-data-dir=${userDataDir}`,
    `--extensionDevelopmentPath=${projectRoot}`,
    `--extensionTestsPath=${path.join(__dirname, 'window.js')}`,
    ...['--no-sandbox', '--disable-gpu-sandbox', '--disable-updates', '--skip-welcome', '--skip-release-notes'],
    ...(kind.trusted ? ['--disable-workspace-trust'] : []),
  ];
  // not runTests(): it always switches Workspace Trust off, and passes everything printed on
  const executable = hostedVscode() ?? (await downloadAndUnzipVSCode({ cachePath: cacheFolder() }));
  return new Promise((resolve, reject) => {
    const child = spawn(executable, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer): string => (output = (output + chunk.toString()).slice(-4000));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const end = (): boolean => child.kill();
    process.once('exit', end);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.off('exit', end);
      resolve(`it ended with ${code ?? signal}:\n${output.trim().slice(-800)}`);
    });
  });
}

/** Outside of the checkout, as for the hosted one. */
function cacheFolder(): string {
  const base = process.env.HOLDFAST_CACHE ?? path.join(os.homedir(), '.cache', 'holdfast-vscode');
  return path.join(base, 'desktop');
}

/** On Linux x64 the one that needs no display and no download but npm's. */
function hostedVscode(): string | undefined {
  const program = path.join(projectRoot, 'test', 'host', 'vscode-hosted.mjs');
  return process.platform === 'linux' && process.arch === 'x64' && existsSync(program) ? program : undefined;
}
