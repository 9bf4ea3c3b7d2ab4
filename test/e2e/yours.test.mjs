// What the human wrote stays theirs: marked in the editor, asked about before it goes, and kept unsaved through all of it.
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  answerBox,
  eventually,
  openFile,
  pressNotification,
  save,
  screenshot,
  typeInEditor,
  unsavedTextKept,
} from '../host/page.mjs';
import { typing, yours } from './lib/playbooks.mjs';
import {
  closeSideBar,
  editorText,
  LIMIT_MS,
  notification,
  useWindow,
  press,
  pressRow,
  runPlaybook,
  status,
  oneAfterAnother,
} from './lib/window.mjs';

describe('your lines', function () {
  this.timeout(3 * LIMIT_MS);
  let window, page;

  useWindow({ files: { 'yours.playbook.json': yours, 'typing.playbook.json': typing } }, (opened) => {
    window = opened;
    page = opened.page;
  });

  /** The rows of the active editor that have the mark beside them, by the line's number, top down. */
  const marked = () =>
    page.locator('.editor-group-container.active .monaco-editor').evaluateAll((editors) => {
      const rows = (selector, holds) =>
        editors.flatMap((editor) => [...editor.querySelectorAll(selector)].filter(holds));
      const glyphs = rows('.glyph-margin-widgets *', (one) =>
        globalThis.getComputedStyle(one).backgroundImage.includes('human-line'),
      );
      const numbers = rows('.line-numbers', () => true);
      const top = (one) => one.getBoundingClientRect().top;
      return glyphs
        .map((glyph) => numbers.find((number) => Math.abs(top(number) - top(glyph)) < 4)?.textContent ?? '?')
        .sort((a, b) => a - b);
    });

  describe('and the agent', () => {
    oneAfterAnother();

    it('a line they wrote is marked in the editor, and a setting hides the marks', async () => {
      await openFile(page, 'src/greeting.js');
      await runPlaybook(page, 'yours.playbook.json');
      await status(page, /^Your turn · agent paused · 1\/3/);
      assert.deepEqual(await marked(), []);
      await typeInEditor(page, 'src/greeting.js', { line: 4, text: "  en: 'Good day',", replace: true });
      await eventually(async () => (await marked()).join() === '4', 'the line typed is marked', LIMIT_MS);
      await save(page);
      window.write('.vscode/settings.json', JSON.stringify({ 'holdfast.markHumanLines': false }));
      await eventually(async () => (await marked()).length === 0, 'the setting hides the mark', LIMIT_MS);
      window.write('.vscode/settings.json', '{}');
      await eventually(async () => (await marked()).join() === '4', 'the mark is back', LIMIT_MS);
    });

    it('a change of it is asked about, and the question shows exactly that line', async () => {
      await press(page, 'Resume');
      await status(page, /^Waiting for approval · agent · 2\/3/);
      // The agent has put a line above it meanwhile.
      await eventually(async () => (await marked()).join() === '5', 'the mark went with its line', LIMIT_MS);
      const card = (await window.steer()).getByRole('article');
      await card.filter({ hasText: 'Change lines you wrote in src/greeting.js?' }).waitFor();
      assert.match(await card.innerText(), /5.*en: 'Good day'/);
      await pressRow(page, 'Show Change');
      await page.locator('.tab.active').filter({ hasText: 'now ↔ proposed' }).waitFor();
      await page.locator('.editor-group-container.active .char-insert').first().waitFor();
      await eventually(async () => (await marked()).join() === '5', 'and the line is marked there', LIMIT_MS);
      await screenshot(page, 'your-lines');
      await pressRow(page, 'Reject');
      await answerBox(page, 'Why, or what to do instead'); // nothing
      await status(page, /^(Completed|Paused)/);
      assert.match(window.read('src/greeting.js'), /en: 'Good day'/);
    });
  });

  it('unsaved typing survives an edit of the agent, a pause and a reload', async () => {
    const before = window.read('src/colour.js');
    await openFile(page, 'src/colour.js');
    await runPlaybook(page, 'typing.playbook.json');
    await status(page, /^Running · agent · 1\/3/);
    await typeInEditor(page, 'src/colour.js', { line: 1, text: ' Not saved yet.' });
    await status(page, /^Running · agent · 2\/3/);
    await eventually(async () => /black/.test(await editorText(page)), 'the edit of the agent is shown', LIMIT_MS);
    assert.equal(window.read('src/colour.js'), before, 'the disk has neither');
    await press(page, 'Pause');
    await status(page, /^Paused · agent · 2\/3/);
    await unsavedTextKept(window.server, 'Not saved yet.');
    await unsavedTextKept(window.server, 'black');
    await window.reload();
    await status(page, /^Paused · agent · 2\/3/);
    await openFile(page, 'src/colour.js');
    await page.locator('.tab.active.dirty').waitFor();
    await eventually(async () => /Not saved yet\./.test(await editorText(page)), 'what was typed is there', LIMIT_MS);
    assert.match(await editorText(page), /export const black/);
    assert.equal(window.read('src/colour.js'), before, 'the disk still has neither');
    await press(page, 'Resume');
    await status(page, /^Needs you · agent/);
    await screenshot(page, 'unsaved');
    await closeSideBar(page);
    await notification(page, 'unsaved');
    await pressNotification(page, 'unsaved', 'Save');
    await status(page, /^Completed · 3\/3/);
    assert.match(window.read('src/colour.js'), /^\/\/ .* Not saved yet\.\n/);
    assert.match(window.read('src/colour.js'), /export const black/);
  });
});
