// One VS Code window on a copy of the sample project, with Holdfast installed, and the doors to its parts.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach } from 'mocha';
import { root } from '../../../scripts/lib/provision.mjs';
import {
  clickRow,
  eventually,
  notifications,
  openContainer,
  openWorkbench,
  pick,
  runCommand,
  webviewFrame,
} from '../../host/page.mjs';

/** How long anything may take on a slow and busy machine. */
export const LIMIT_MS = 60_000;

/**
 * Opens a window of its own. `files` are written into the copy (strings as they are, anything else as JSON); the other
 * options are those of openWorkbench(). Adds `folder`, `read(file)`, `write(file, text)`, `steer()` and `close()`.
 */
async function openHoldfast({ files = {}, ...options } = {}) {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-e2e-')));
  const folder = path.join(base, 'hello-colours');
  fs.cpSync(path.join(root, 'samples', 'workspace'), folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(
      path.join(folder, name),
      typeof content === 'string' ? content : `${JSON.stringify(content, undefined, 2)}\n`,
    );
  }
  const discard = () => fs.rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  commitAll(folder);
  try {
    const workbench = await openWorkbench({ folder, ...options });
    const close = async () => {
      await workbench.close();
      discard();
    };
    const { page } = workbench;
    page.setDefaultTimeout(LIMIT_MS);
    const read = (file) => fs.readFileSync(path.join(folder, file), 'utf8');
    const write = (file, text) => {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      fs.writeFileSync(path.join(folder, file), text);
    };
    return { ...workbench, folder, read, write, steer: () => steerView(page), close };
  } catch (error) {
    discard();
    throw error;
  }
}

/** The explorer then shows what has changed, as in a real project. Without git the tests work all the same. */
function commitAll(folder) {
  const git = (...args) =>
    spawnSync('git', ['-c', 'user.name=Holdfast', '-c', 'user.email=holdfast@example.invalid', ...args], {
      cwd: folder,
    });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('-c', 'commit.gpgsign=false', 'commit', '-q', '--no-verify', '-m', 'The sample project');
}

/** The content of the steering view, shown if it is not. */
export async function steerView(page) {
  await openContainer(page, 'Holdfast', LIMIT_MS);
  return webviewFrame(page, '#line:not(:empty)', LIMIT_MS);
}

/** Presses a button of the steering view as a person does: it must be there, visible and enabled. */
export async function press(page, name) {
  const frame = await steerView(page);
  await frame.getByRole('button', { name, exact: true }).click();
}

/** The status bar item of Holdfast: "Paused · agent · 3/6". */
export async function statusText(page) {
  const item = page.locator('.part.statusbar .statusbar-item[id^="holdfast"]');
  return ((await item.count()) === 0 ? '' : await item.first().innerText()).replace(/\s+/g, ' ').trim();
}

/** Waits until the status bar item matches. */
export function status(page, pattern) {
  return eventually(async () => pattern.test(await statusText(page)), `the status bar says ${pattern}`, LIMIT_MS).catch(
    async (error) => {
      throw new Error(`${error.message} It says "${await statusText(page)}".`);
    },
  );
}

/** Starts a playbook from the command palette: the command, then the file in the list. */
export async function runPlaybook(page, name) {
  await runCommand(page, 'Holdfast: Run Playbook', LIMIT_MS);
  await pick(page, name, LIMIT_MS);
}

/** The notification whose message contains `text`, once it is on screen. */
export function notification(page, text) {
  return eventually(
    async () => (await notifications(page)).find((one) => one.message.includes(text)),
    `a notification says "${text}"`,
    LIMIT_MS,
  );
}

/** Closes the side bar: where the steering view is seen, its card asks and no message does. */
export async function closeSideBar(page) {
  const bar = page.locator('.part.sidebar');
  if (await bar.isVisible()) await runCommand(page, 'View: Toggle Primary Side Bar Visibility', LIMIT_MS);
  await bar.waitFor({ state: 'hidden' });
}

const TREE_ROWS = '.part.sidebar .pane-body .monaco-list-row';

/** The first row of the run tree that holds these words. */
export const treeRow = (page, words) => page.locator(TREE_ROWS).filter({ hasText: words }).first();

/** Presses the first row of the run tree that holds these words, once it is there. */
export const pressRow = (page, words) => clickRow(page, TREE_ROWS, words, LIMIT_MS);

/** The visible text of the active editor. Its spaces are no-break spaces, and its lines are not in order in the page. */
export async function editorText(page) {
  const lines = page.locator('.editor-group-container.active .view-lines .view-line');
  const rows = await lines.evaluateAll((all) => all.map((row) => [row.getBoundingClientRect().top, row.textContent]));
  return rows
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text.replaceAll('\u00a0', ' '))
    .join('\n');
}

/** For `afterEach`: what the window showed when a test failed, as a picture in the temporary folder whose name is printed. */
async function pictureOfFailure(test, page) {
  if (test?.state !== 'failed' || !page) return;
  const name = test
    .fullTitle()
    .replace(/[^a-z0-9]+/gi, '-')
    .slice(0, 60);
  const file = path.join(os.tmpdir(), `holdfast-e2e-${name}.png`);
  await page.screenshot({ path: file }).catch(() => {});
  console.log(`    the window then: ${file}`);
}

/**
 * One window for all tests of a `describe`: `options` of openHoldfast(), or a function that gives them; `opened` is called with
 * the window. A test that fails leaves a picture of it, and the next one gets a new window: what stands in the old one (a run
 * that waits, a dialog) would take it down too.
 */
export function useWindow(options, opened) {
  let window, failed;
  const open = async () => {
    failed = false;
    window = await openHoldfast(typeof options === 'function' ? await options() : options);
    opened(window);
  };
  before(open);
  beforeEach(async () => {
    if (!failed) return;
    await window.close();
    await open();
  });
  afterEach(function () {
    failed = this.currentTest?.state === 'failed';
    return pictureOfFailure(this.currentTest, window?.page);
  });
  after(() => window?.close());
}

/**
 * For a `describe` whose tests go on from each other (called before useWindow()): after one that failed the others could only
 * say that again, and are skipped.
 */
export function oneAfterAnother() {
  let failed = false;
  beforeEach(function () {
    if (failed) this.skip();
  });
  afterEach(function () {
    failed ||= this.currentTest?.state === 'failed';
  });
}
