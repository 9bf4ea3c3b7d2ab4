// Folders that are made once and used by every checkout of this user: complete or absent, never half made.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SetupError, step, tidy } from './steps.mjs';

const MARKER = 'holdfast-ready.json';
const STALE_MS = 30 * 60_000; // no set-up takes longer, so such a leftover belongs to an interrupted one

/** Where the cache is: HOLDFAST_CACHE, else `~/.cache/holdfast-vscode`. */
export function cacheRoot() {
  return path.resolve(process.env.HOLDFAST_CACHE || path.join(os.homedir(), '.cache', 'holdfast-vscode'));
}

/**
 * Returns the folder `name` of the cache. If it is missing, was left incomplete, or was made by another `recipe`,
 * `build(folder)` fills a private folder that is then renamed into place: an interrupted set-up is never mistaken for a
 * finished one, and of two at once one wins and both go on with the same folder.
 */
export async function cached(name, recipe, text, build) {
  const target = path.join(cacheRoot(), name);
  if (isReady(target, recipe)) return target;
  let work;
  try {
    fs.mkdirSync(cacheRoot(), { recursive: true });
    removeStale();
    work = fs.mkdtempSync(path.join(cacheRoot(), '.making-'));
  } catch (error) {
    throw new SetupError(
      `Cannot write to the cache folder ${tidy(cacheRoot())} (${error.code}): set HOLDFAST_CACHE to a folder you can write to.`,
    );
  }
  const discard = () => fs.rmSync(work, { recursive: true, force: true });
  process.on('exit', discard);
  const undoSignals = exitOnSignals();
  try {
    await step(`${text} in ${tidy(target)}`, () => build(work));
    fs.writeFileSync(path.join(work, MARKER), JSON.stringify(recipe));
    moveIntoPlace(work, target, recipe);
    return target;
  } catch (error) {
    if (error.code === 'ENOSPC')
      throw new SetupError(
        `The disk of ${tidy(cacheRoot())} is full: free about 1 GB, or set HOLDFAST_CACHE to a folder on another disk.`,
      );
    throw error;
  } finally {
    undoSignals();
    process.off('exit', discard);
    discard();
  }
}

function isReady(folder, recipe) {
  try {
    return fs.readFileSync(path.join(folder, MARKER), 'utf8') === JSON.stringify(recipe);
  } catch {
    return false;
  }
}

/** rename() refuses a target folder with content, which tells us that another process was faster. */
function moveIntoPlace(work, target, recipe) {
  for (let attempt = 0; ; attempt++) {
    try {
      fs.renameSync(work, target);
      return;
    } catch (error) {
      if (isReady(target, recipe)) return;
      if (attempt === 3 || !['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
      const aside = `${work}-old-${attempt}`;
      fs.renameSync(target, aside);
      fs.rmSync(aside, { recursive: true, force: true });
    }
  }
}

function removeStale() {
  for (const name of fs.readdirSync(cacheRoot())) {
    const folder = path.join(cacheRoot(), name);
    if (name.startsWith('.making-') && Date.now() - fs.statSync(folder).mtimeMs > STALE_MS)
      fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Without a handler Node ends at once on a signal and no 'exit' listener runs. */
function exitOnSignals() {
  const quit = { SIGINT: () => process.exit(130), SIGTERM: () => process.exit(143) };
  for (const [signal, handler] of Object.entries(quit)) process.on(signal, handler);
  return () => {
    for (const [signal, handler] of Object.entries(quit)) process.off(signal, handler);
  };
}
