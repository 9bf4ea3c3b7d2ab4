// Everything a fresh clone on a fresh machine needs before anything of ours runs. Each function does nothing and says
// nothing when its part is there already. Node built-ins only: nothing is installed yet.
import fs from 'node:fs';
import path from 'node:path';
import { npm, root, run, say, SetupError, step } from './steps.mjs';

export { ensureBrowser } from './browser.mjs';
export { cacheRoot } from './cache.mjs';
export { ensureHost, HOST_VERSION, hostSupported } from './host.mjs';
export { fail, onPath, root, say, SetupError, step, tidy } from './steps.mjs';

/** Throws one clear sentence on a Node that is too old. */
export function ensureNode() {
  if (Number.parseInt(process.versions.node, 10) < 20)
    throw new SetupError(
      `Holdfast needs Node 20 or newer and this is Node ${process.versions.node}: install a newer one from https://nodejs.org.`,
    );
}

/** Installs the dependencies when they are missing or are not those of package-lock.json. */
export async function ensureDependencies() {
  ensureNode();
  if (!fs.existsSync(path.join(root, 'package-lock.json')))
    throw new SetupError(
      'package-lock.json is missing: restore it with `git checkout package-lock.json`, then run this again.',
    );
  const missing = !fs.existsSync(path.join(root, 'node_modules'));
  if (!missing && dependenciesMatch()) return;
  const text = missing
    ? 'Installing the dependencies (npm ci)'
    : 'Updating the dependencies to package-lock.json (npm ci)';
  await step(text, () => npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], 'install the dependencies'));
}

/** Times alone would run `npm ci` after every checkout of a branch, so a newer lock file is compared by content. */
function dependenciesMatch() {
  const wantedFile = path.join(root, 'package-lock.json');
  const presentFile = path.join(root, 'node_modules', '.package-lock.json');
  try {
    if (fs.statSync(presentFile).mtimeMs >= fs.statSync(wantedFile).mtimeMs) return true;
    const wanted = JSON.parse(fs.readFileSync(wantedFile, 'utf8')).packages;
    const present = JSON.parse(fs.readFileSync(presentFile, 'utf8')).packages;
    return Object.entries(wanted).every(
      ([name, { version, optional, peer }]) =>
        name === '' || present[name]?.version === version || (!present[name] && (optional || peer)),
    );
  } catch {
    return false;
  }
}

/**
 * Builds the extension. Its bundler takes well under a second, so it is not asked whether that is needed. HOLDFAST_BUILT says that
 * whoever started this has built all, and plays other suites with it now: they must not find half a file.
 */
export async function ensureBuild() {
  if (isBuilt()) return;
  if (!fs.existsSync(path.join(root, 'esbuild.mjs')))
    throw new SetupError('esbuild.mjs is missing: restore it with `git checkout esbuild.mjs`, then run this again.');
  try {
    await step('Building the extension (node esbuild.mjs)', () => run(process.execPath, ['esbuild.mjs']));
  } catch (error) {
    say(error.output ?? error.message);
    throw new SetupError('The extension does not build: see the errors above.');
  }
}

/** Whether the extension and its tests are built already, by `npm test`. */
export const isBuilt = () => process.env.HOLDFAST_BUILT === '1';
