// Driving the hosted VS Code the way a person does: palette, editor, tree, webview, status bar.
import fs from 'node:fs';
import path from 'node:path';
import { root } from '../../scripts/lib/provision.mjs';
import { launchBrowser } from './browser.mjs';
import { startServer } from './server.mjs';

const MOD = 'Control'; // the hosted VS Code runs on Linux only

/**
 * Typed text arrives as typed: nothing closes brackets, indents or completes behind the test's back. Pictures show
 * Holdfast and not Copilot (a test of `vscode.lm` sets that to false).
 */
const TEST_SETTINGS = {
  'chat.disableAIFeatures': true,
  'editor.minimap.enabled': false,
  'editor.autoClosingBrackets': 'never',
  'editor.autoClosingQuotes': 'never',
  'editor.autoIndent': 'none',
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.suggestOnTriggerCharacters': false,
  'editor.wordBasedSuggestions': 'off',
};

/**
 * Opens a window of a VS Code of its own and waits until extensions run in it.
 *
 * `folder` is a folder or a .code-workspace file, `extensionPath` one folder or several, `settings` user settings,
 * `openFile` a file (absolute path) to open at the start; the other options are those of startServer(). Returns `{ page, server, browser, reload(), close() }`.
 */
export async function openWorkbench(given = {}) {
  const {
    folder,
    openFile: file,
    settings,
    extensionPath = root,
    viewport = { width: 1400, height: 900 },
    ...options
  } = given;
  const extensions = [extensionPath].flat();
  const server = await startServer({ extensions, userSettings: { ...TEST_SETTINGS, ...settings }, ...options });
  let browser;
  const close = async () => {
    await browser?.close().catch(() => {});
    await server.stop();
  };
  try {
    browser = await launchBrowser();
    const page = await browser.newPage({ viewport });
    const url = server.url(folder, file ? [['openFile', server.remote(file)]] : []);
    await page.goto(url, { waitUntil: 'commit' });
    await workbenchReady(page, server);
    const reload = async () => {
      const before = server.extensionHostPid();
      await page.goto('about:blank'); // lets the window end its extension host
      await page.goto(url, { waitUntil: 'commit' });
      await workbenchReady(page, server, before);
    };
    return { page, server, browser, reload, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits for the window, an extension host, and the end of VS Code's own start-up messages in the status bar. */
async function workbenchReady(page, server, formerHost, limitMs = 120_000) {
  await page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: limitMs });
  await eventually(
    () => ![undefined, formerHost].includes(server.extensionHostPid()),
    'an extension host runs',
    limitMs,
  );
  await page
    .locator('.monaco-workbench .statusbar-item:has-text("Opening Remote")')
    .waitFor({ state: 'detached', timeout: limitMs });
}

/** Waits for a list or a box of VS Code's that shows `words` and has the keyboard; a key sent before that goes elsewhere. */
export async function inputReady(page, words) {
  const widget = page.locator('.quick-input-widget').filter({ hasText: words });
  await widget.waitFor();
  await widget.locator('input.input:focus').waitFor();
  return widget;
}

/** Answers the box whose title or prompt holds `words`, as it comes up: types `text` ('' leaves it empty) and presses Enter. */
export async function answerBox(page, words, text = '') {
  const widget = await inputReady(page, words);
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  await widget.waitFor({ state: 'hidden' });
}

/** Runs the command with exactly this title ("Holdfast: Pause") through the command palette. */
export async function runCommand(page, title, limitMs = 30_000) {
  const exactly = new RegExp(`^\\s*${title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}\\s*$`);
  const label = page.locator('.label-name').filter({ hasText: exactly });
  // the extension that contributes the command may be on its way, and an open list does not fill up by itself
  await choose(page, 'F1', `>${title}`, ROW(page).filter({ has: label }), limitMs);
}

/** Opens a file of the workspace (path relative to it) in an editor that has the focus, at a line counted from 1. */
export async function openFile(page, file, line = 1, limitMs = 30_000) {
  const name = path.basename(file);
  const folder = path.dirname(file) === '.' ? '' : path.dirname(file);
  // a row shows the name, and the folder beside it
  const row = ROW(page)
    .filter({ has: page.locator('.label-name').filter({ hasText: name }) })
    .filter({ hasText: folder });
  await choose(page, `${MOD}+p`, `${file}:${line}`, row, limitMs);
  await page.locator(`.tab.active[data-resource-name=${JSON.stringify(name)}]`).waitFor();
  // the file may have been open with the keyboard elsewhere in it: the cursor moves only after the list has closed
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  await page
    .locator('.part.statusbar .statusbar-item')
    .filter({ hasText: new RegExp(`^\\s*Ln ${line}, Col`) })
    .waitFor();
  await page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
}

/**
 * Types `text` at the end of a line (counted from 1) as a person does, without saving. `replace: true` types it instead
 * of the line's text. A line break in the text is the Enter key.
 */
export async function typeInEditor(page, file, { line, text, replace = false }) {
  await openFile(page, file, line);
  await page.keyboard.press('Home');
  await page.keyboard.press('Home'); // the first goes to the indentation only
  await page.keyboard.press(replace ? 'Shift+End' : 'End');
  await page.keyboard.type(text, { delay: 5 });
}

/** Saves the editor that has the focus, which has unsaved changes. */
export async function save(page) {
  await page.locator('.tab.active.dirty').waitFor(); // else the wait below would be over before the save
  await page.keyboard.press(`${MOD}+s`);
  await page.locator('.tab.active.dirty').waitFor({ state: 'detached' });
}

/**
 * Waits until VS Code has put the unsaved text aside (hot exit): a second or more after the last key. What is not yet
 * there is lost when the window or its extension host is killed, or the window reloaded without asking.
 */
export async function unsavedTextKept(server, text, limitMs = 30_000) {
  const folder = path.join(server.userDataDir, 'User', 'Backups');
  const holds = () => {
    if (!fs.existsSync(folder)) return false;
    const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    return files.some((file) =>
      fs.readFileSync(path.join(file.parentPath ?? file.path, file.name), 'utf8').includes(text),
    );
  };
  await eventually(() => holds(), `VS Code has kept the unsaved text "${text}"`, limitMs);
}

/** Shows the view container of the activity bar with this name; returns false when there is none. */
export async function openContainer(page, name = 'Holdfast', limitMs = 15_000) {
  // its label is "Holdfast" or, with a badge, "Holdfast - 2 …"
  const item = page
    .locator(`.activitybar .action-item:has(.action-label[aria-label^=${JSON.stringify(name)}])`)
    .first();
  const found = await item.waitFor({ timeout: limitMs }).then(
    () => true,
    () => false,
  );
  if (found && !(await item.evaluate((node) => node.classList.contains('checked')))) await item.click();
  await page.mouse.move(700, 450); // away from the item, whose hover would cover the view
  if (found) await page.locator('.part.sidebar .composite.title').waitFor();
  return found;
}

/**
 * The frame of a webview's content (two iframes deep). `predicate` is a selector that the content must hold, or a
 * function of the frame; frames come and go while a webview loads, so it is asked until it holds.
 */
export async function webviewFrame(page, predicate, limitMs = 30_000) {
  const holds = typeof predicate === 'string' ? (frame) => frame.locator(predicate).count() : predicate;
  return eventually(
    async () => {
      for (const frame of page.frames())
        if (
          frame !== page.mainFrame() &&
          frame.parentFrame() !== page.mainFrame() &&
          (await Promise.resolve(holds(frame)).catch(() => false))
        )
          return frame;
      return undefined;
    },
    `a webview holds ${predicate}`,
    limitMs,
  );
}

/**
 * Clicks the first visible row of a list or tree (`selector` names its rows) that holds these words, once it is there. Found and
 * clicked in one go: the pointer would come down where the row was, and lists move their rows and use them again for others.
 */
export async function clickRow(page, selector, words, limitMs = 30_000) {
  const { source, flags } = words instanceof RegExp ? words : new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const click = (wanted) => {
    const holds = new RegExp(wanted.source, wanted.flags);
    const row = [...document.querySelectorAll(wanted.selector)].find(
      (one) => holds.test(one.textContent.replace(/\s+/g, ' ')) && one.checkVisibility(),
    );
    row?.click();
    return row !== undefined;
  };
  await eventually(() => page.evaluate(click, { source, flags, selector }), `a row says ${words}`, limitMs);
}

/** Clicks an entry of the open quick pick. */
export const pick = (page, words, limitMs) => clickRow(page, '.quick-input-list .monaco-list-row', words, limitMs);

/** The text of the status bar's items, left to right, joined by " | ". */
export async function statusBarText(page) {
  const texts = await page.locator('.part.statusbar .statusbar-item').allInnerTexts();
  return texts
    .map((text) => text.replace(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join(' | ');
}

/**
 * The visible rows of the trees in the side bar, top down: `{ level, label, description, expanded, aria }`. `view` limits
 * them to the view with this title. VS Code renders only the rows that fit.
 */
export async function treeItems(page, view) {
  return page.locator('.part.sidebar .pane').evaluateAll(
    (panes, wanted) =>
      panes
        .filter(
          (pane) =>
            !wanted ||
            pane.querySelector('.pane-header .title')?.textContent.trim().toLowerCase() === wanted.toLowerCase(),
        )
        .flatMap((pane) => [...pane.querySelectorAll('.monaco-list-row')])
        .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top)
        .map((row) => ({
          level: Number(row.getAttribute('aria-level')),
          label: row.querySelector('.label-name')?.textContent ?? row.textContent,
          description: row.querySelector('.label-description')?.textContent ?? '',
          expanded: row.getAttribute('aria-expanded'),
          aria: row.getAttribute('aria-label') ?? '',
        })),
    view,
  );
}

/** The notifications on screen: `{ message, buttons }`. */
export async function notifications(page) {
  return page.locator('.notifications-toasts .notification-list-item').evaluateAll((items) =>
    items.map((item) => ({
      message: item.querySelector('.notification-list-item-message')?.textContent ?? '',
      buttons: [...item.querySelectorAll('.notification-list-item-buttons-container .monaco-button')].map(
        (button) => button.textContent,
      ),
    })),
  );
}

/** Presses a button of the notification whose message contains `text`. */
export async function pressNotification(page, text, button) {
  const item = page.locator('.notifications-toasts .notification-list-item').filter({ hasText: text });
  await item.locator('.monaco-button').filter({ hasText: button }).first().click();
}

/** Saves a picture as docs/images/NAME.png of the checkout, or under `name` when that is an absolute path. */
export async function screenshot(page, name) {
  const file = path.resolve(root, 'docs', 'images', name.endsWith('.png') ? name : `${name}.png`);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  await page.screenshot({ path: file });
  return file;
}

/** Asks `probe` until it gives something true and returns that; throws what was waited for when `limitMs` are over. */
export async function eventually(probe, what, limitMs = 30_000) {
  const end = Date.now() + limitMs;
  for (;;) {
    const result = await probe();
    if (result) return result;
    if (Date.now() > end) throw new Error(`Waited ${limitMs / 1000} s in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Follows a link in an editor, until `opened` is there: VS Code draws a link anew under the pointer, which loses a click now and then. */
export async function followLink(page, link, opened) {
  await eventually(async () => {
    const box = await link.first().boundingBox();
    if (!box) return false;
    await page.keyboard.down(MOD);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.keyboard.up(MOD);
    return opened.waitFor({ timeout: 2000 }).then(
      () => true,
      () => false,
    );
  }, 'the link is followed');
}

const ROW = (page) => page.locator('.quick-input-list .monaco-list-row');

/**
 * Opens a quick input by its key, fills it, and clicks the row. A window that is still starting may not hear the key, or
 * takes the focus and so closes the input again: then all of it is tried anew.
 */
async function choose(page, key, text, row, limitMs) {
  const input = page.locator('.quick-input-widget input.input');
  const attempt = async () => {
    if (!(await input.isVisible())) await page.keyboard.press(key);
    await input.fill('', { timeout: 1500 });
    await input.fill(text, { timeout: 1500 });
    const handle = await row.first().elementHandle({ timeout: 1500 });
    // clicked inside the page and only once: a click() that times out on a slow machine may have happened all the same
    return handle.evaluate((element) => element.checkVisibility() && (element.click(), true));
  };
  const failed = async () => {
    await page.keyboard.press('Escape');
    return false;
  };
  await eventually(() => attempt().catch(failed), `"${text}" is offered`, limitMs);
}
