// Undoing a step: from the button of its row, asked once with what will run, and told how it ended.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'mocha';
import { eventually, notifications, runCommand, screenshot } from '../host/page.mjs';
import { undoable } from './lib/playbooks.mjs';
import {
  LIMIT_MS,
  notification,
  press,
  runPlaybook,
  status,
  treeRow,
  useWindow,
  oneAfterAnother,
} from './lib/window.mjs';

describe('undoing a step', function () {
  this.timeout(3 * LIMIT_MS);
  oneAfterAnother();
  let window, page;

  useWindow({ files: { 'undoable.playbook.json': undoable } }, (opened) => {
    window = opened;
    page = opened.page;
  });
  const there = () => fs.existsSync(path.join(window.folder, 'made'));
  const dialog = () => page.locator('.monaco-dialog-box');
  const row = () => treeRow(page, 'Make a folder');
  const button = () => row().locator('.action-label[aria-label^="Undo"]');
  /** The row may move from under the pointer while the tree is drawn anew, at any moment before the press is heard. */
  const pressUndo = async () => {
    const short = { timeout: 3000 };
    const attempt = async () => {
      if (await dialog().isVisible()) return true;
      await row().hover(short);
      await button().click(short);
      await dialog().waitFor(short);
      return true;
    };
    await eventually(() => attempt().catch(() => false), 'the button of the row asks', LIMIT_MS);
  };

  it('the row of the step has a button, which asks with the whole call', async () => {
    await runPlaybook(page, 'undoable.playbook.json');
    await status(page, /^Waiting for approval · agent · 1\/3/);
    await press(page, 'Allow');
    await status(page, /^Your turn · agent paused · 2\/3/);
    assert.ok(there());
    await pressUndo();
    assert.match(
      await dialog().innerText(),
      /Undo step 2 “Make a folder”\?\s+This runs in the workspace folder:\s+rm -r made/,
    );
    await page.mouse.move(700, 700); // the tooltip of the row goes
    await page.locator('.workbench-hover-container').first().waitFor({ state: 'hidden' });
    await screenshot(page, 'undo');
    await dialog().getByRole('button', { name: 'Cancel' }).click();
    await dialog().waitFor({ state: 'detached' });
    assert.ok(there(), 'nothing was done');
    await status(page, /^Your turn/);
  });

  it('once agreed to it is not asked about again, and says how it ended', async () => {
    await pressUndo();
    await dialog().getByRole('button', { name: 'Undo', exact: true }).click();
    await notification(page, 'Undone: step 2');
    assert.ok(!there());
    const asked = (await notifications(page)).filter(({ message }) => message.includes('Run this command?'));
    assert.deepEqual(asked, []);
    await status(page, /^Paused · agent · 2\/3/);
    await row().hover();
    await eventually(async () => (await button().count()) === 0, 'it cannot be undone twice', LIMIT_MS);
    await runCommand(page, 'Holdfast: Open Receipt', LIMIT_MS);
    await page.locator('.tab.active[data-resource-name^="Receipts · "]').waitFor();
  });
});
