// A conflict settled in VS Code's merge editor: what the human leaves in the result is what is written, byte for byte.
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { eventually, runCommand, save, screenshot, typeInEditor } from '../host/page.mjs';
import { LANTERN, lantern } from './lib/playbooks.mjs';
import {
  LIMIT_MS,
  notification,
  useWindow,
  press,
  pressRow,
  runPlaybook,
  status,
  statusText,
  treeRow,
} from './lib/window.mjs';

const MINE = LANTERN.replace("'amber'", "'warm amber'");

describe('the merge editor', function () {
  this.timeout(3 * LIMIT_MS);
  let window, page;

  useWindow({ files: { 'src/lantern.js': LANTERN, 'lantern.playbook.json': lantern } }, (opened) => {
    window = opened;
    page = opened.page;
  });

  const editor = () => page.locator('.merge-editor');
  const result = () => page.locator('.merge-editor .code-view.result');

  /** A run that stands at the conflict, its merge editor open. */
  const conflict = async () => {
    await runPlaybook(page, 'lantern.playbook.json');
    await status(page, /^Your turn · agent paused · 1\/2/);
    await typeInEditor(page, 'src/lantern.js', { line: 2, text: "export const colour = 'warm amber';", replace: true });
    await save(page);
    await press(page, 'Resume');
    await status(page, /^Needs you · agent/);
    await pressRow(page, 'Edit by Hand');
    await treeRow(page, 'Write My Version').waitFor();
    await result().filter({ hasText: '1 Conflict Remaining' }).waitFor();
  };

  it('the base, both sides and the result; what the human leaves there is what is written', async () => {
    await conflict();
    assert.equal(window.read('src/lantern.js'), MINE, 'nothing was written');
    await screenshot(page, 'merge');
    await editor().getByText('Accept Yours', { exact: true }).first().click();
    await result().filter({ hasText: '0 Conflicts Remaining' }).waitFor();
    await result().locator('.view-line').first().click();
    await result().locator('.monaco-editor.focused').waitFor();
    await page.keyboard.press('End');
    await page.keyboard.type(' By both of us.');
    await page.locator('.editor-actions').getByRole('button', { name: 'Write My Version' }).click();
    await status(page, /^Completed · 2\/2/);
    await editor().waitFor({ state: 'detached' });
    const made = MINE.replace('lantern.\r\n', 'lantern. By both of us.\r\n').replace(
      'return `',
      'return `A lantern in ',
    );
    assert.equal(window.read('src/lantern.js'), made, 'line ends and all');
  });

  it('closing it is no answer, and another answer closes it without a question', async () => {
    window.write('src/lantern.js', LANTERN);
    await conflict();
    await runCommand(page, 'View: Close Editor', LIMIT_MS);
    const dialog = page.locator('.monaco-dialog-box');
    await dialog.getByRole('button', { name: "Don't Save" }).click();
    await editor().waitFor({ state: 'detached' });
    await treeRow(page, 'Edit by Hand').waitFor();
    assert.match(await statusText(page), /^Needs you/);
    assert.equal(window.read('src/lantern.js'), MINE);
    await pressRow(page, 'Edit by Hand');
    await result().filter({ hasText: '1 Conflict Remaining' }).waitFor();
    await pressRow(page, 'Keep Mine');
    await status(page, /^Completed/);
    await editor().waitFor({ state: 'detached' });
    assert.equal(await dialog.count(), 0);
    assert.equal(window.read('src/lantern.js'), MINE);
  });

  it('what was saved of it is kept, and can still be written', async () => {
    window.write('src/lantern.js', LANTERN);
    await conflict();
    await editor().getByText('Accept Agent’s', { exact: true }).first().click();
    await result().filter({ hasText: '0 Conflicts Remaining' }).waitFor();
    await runCommand(page, 'Merge Editor: Complete Merge', LIMIT_MS);
    await editor().waitFor({ state: 'detached' });
    const { message, buttons } = await notification(page, 'is kept');
    assert.match(message, /Your version of src\/lantern\.js is kept, and not written yet/);
    assert.deepEqual(buttons, ['Write My Version', 'Go On Editing']);
    assert.equal(window.read('src/lantern.js'), MINE);
    await pressRow(page, 'Edit by Hand');
    await result().filter({ hasText: '0 Conflicts Remaining' }).waitFor();
    await pressRow(page, 'Write My Version');
    await status(page, /^Completed · 2\/2/);
    const agents = LANTERN.replace("'amber'", "'orange'").replace('return `', 'return `A lantern in ');
    await eventually(() => window.read('src/lantern.js') === agents, 'it is written', LIMIT_MS);
  });
});
