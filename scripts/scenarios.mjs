// `npm run scenarios -- [--host node|vscode] [--jobs N] [--only ID,ID] [--json FILE] [DIR|FILE ...]`
// Builds the runner and what it plays, then starts it. Without places it plays the project's own scenarios.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ensureBuild, ensureDependencies, fail, root } from './lib/provision.mjs';

/** Each run builds into a folder of its own: several may run while others change the sources. */
const out = path.join(root, 'out', 'scenarios', `run-${process.pid}`);

async function build(host) {
  const esbuild = await import('esbuild');
  removeLeftovers();
  const entries = { main: 'test/scenarios/main.ts' };
  if (host === 'vscode') entries.window = 'test/vscode/scenarios.ts';
  else {
    entries.nodeChild = 'test/scenarios/hosts/nodeChild.ts';
    entries.nodeStart = 'test/scenarios/hosts/nodeStart.ts';
  }
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: entries,
    outdir: out,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    // ES modules first: some packages have a CommonJS form that cannot be bundled
    mainFields: ['module', 'main'],
    external: ['vscode', 'esbuild', 'playwright-core', '@vscode/test-electron'],
    sourcemap: 'linked',
    logLevel: 'error',
  });
}

/** Of runs that were killed. */
function removeLeftovers() {
  const folder = path.dirname(out);
  for (const name of fs.existsSync(folder) ? fs.readdirSync(folder) : []) {
    const pid = Number(/^run-(\d+)$/.exec(name)?.[1]);
    if (pid && !lives(pid)) fs.rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function play(args) {
  const child = spawn(process.execPath, [path.join(out, 'main.js'), ...args], {
    stdio: 'inherit',
  });
  // the runner cleans up and ends by itself when it gets the signal that we get
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

function hostOf(args) {
  const at = args.findIndex((arg) => arg === '--host' || arg.startsWith('--host='));
  return at < 0 ? 'node' : (args[at].split('=')[1] ?? args[at + 1]);
}

try {
  await ensureDependencies();
  const args = process.argv.slice(2);
  const host = hostOf(args);
  await build(host);
  if (host === 'vscode') await ensureBuild();
  process.on('exit', () => fs.rmSync(out, { recursive: true, force: true }));
  process.exitCode = await play(args);
} catch (error) {
  fail(error);
}
