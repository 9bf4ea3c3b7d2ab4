// What only the human can answer: unsaved files, a conflict, a command; and taking over.
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  eventually,
  followLink,
  inputReady,
  notifications,
  pressNotification,
  runCommand,
  save,
  screenshot,
  typeInEditor,
} from '../host/page.mjs';
import { conflict, approval, takeover, unsaved } from './lib/playbooks.mjs';
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
  treeRow,
} from './lib/window.mjs';

describe('decisions', function () {
  this.timeout(3 * LIMIT_MS);
  let window, page;

  const books = Object.entries({ conflict, approval, takeover, unsaved });
  useWindow(
    {
      files: Object.fromEntries(books.map(([name, book]) => [`${name}.playbook.json`, book])),
      settings: { 'terminal.integrated.gpuAcceleration': 'off' }, // the text of a terminal is then in the page
    },
    (opened) => {
      window = opened;
      page = opened.page;
    },
  );

  /** One message per question: it is on screen once. */
  const messages = async (words) => (await notifications(page)).filter((one) => one.message.includes(words)).length;

  it('unsaved text at resume: asked once, saved from the steering view, and kept', async () => {
    await runPlaybook(page, 'unsaved.playbook.json');
    await status(page, /^Your turn · agent paused · 1\/3/);
    await typeInEditor(page, 'src/colour.js', { line: 1, text: ' By hand.' });
    await press(page, 'Resume');
    await status(page, /^Needs you · agent/);
    await treeRow(page, 'Needs you').waitFor();
    const card = (await window.steer()).getByRole('article');
    await card.filter({ hasText: 'unsaved' }).waitFor();
    assert.ok((await card.getByRole('button').count()) >= 3);
    assert.equal(await messages('unsaved'), 0, 'the card is seen: no message says it again');
    assert.doesNotMatch(window.read('src/colour.js'), /By hand/);
    await card.getByRole('button', { name: /^Save/ }).click();
    await status(page, /^Completed · 3\/3/);
    await runCommand(page, 'Holdfast: Open Handover Brief', LIMIT_MS);
    const link = page.locator('.editor-group-container.active .detected-link').filter({ hasText: 'colour.js' });
    await followLink(page, link, page.locator('.tab.active[data-resource-name="colour.js"]'));
    assert.match(window.read('src/colour.js'), /^\/\/ Mixes colours.*By hand\.\n/);
    assert.match(window.read('src/colour.js'), /export const black/);
  });

  it('a command: asked with its words, allowed from the message, its output in the terminal', async () => {
    await runPlaybook(page, 'approval.playbook.json');
    await status(page, /^Waiting for approval · agent · 1\/2/);
    await treeRow(page, 'Needs you').waitFor();
    await screenshot(page, 'approval');
    await closeSideBar(page);
    const { message, buttons } = await notification(page, 'node --test');
    assert.equal(message, 'Run this command? node --test test/colour.test.js · in the workspace folder');
    await runCommand(page, 'Holdfast: Answer', LIMIT_MS);
    const list = await inputReady(page, 'Run this command?');
    await list.locator('input[placeholder^="node --test"]').waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'hidden' });
    assert.equal(await messages('node --test'), 1);
    const allow = buttons.find((button) => /^(Allow|Grant)/.test(button));
    assert.ok(allow, buttons.join(', '));
    await pressNotification(page, 'node --test', allow);
    await status(page, /^Completed · 2\/2/);
    await runCommand(page, 'Holdfast: Show Command Output', LIMIT_MS);
    const rows = page.locator('.terminal-wrapper.active .xterm-rows');
    await eventually(async () => /# pass \d/.test(await rows.innerText()), 'the terminal shows the output', LIMIT_MS);
    assert.match(await rows.innerText(), /\[exit 0\]/);
    await page
      .locator('.part.panel')
      .getByRole('button', { name: /^Hide Panel/ })
      .click();
    await page.locator('.part.panel').waitFor({ state: 'hidden' });
  });

  it('a conflict: shown under Needs you, and "Keep Mine" keeps it', async () => {
    await runPlaybook(page, 'conflict.playbook.json');
    await status(page, /^Your turn · agent paused · 1\/2/);
    await typeInEditor(page, 'src/card.js', { line: 1, text: '// A card, in words of my own.', replace: true });
    await save(page);
    await press(page, 'Resume');
    await status(page, /^Needs you · agent/);
    await treeRow(page, 'Keep Mine').waitFor();
    const answers = (await window.steer()).getByRole('group', { name: /^Answers/ }).getByRole('button');
    const offered = ['Keep Mine', "Take the Agent's", 'Edit by Hand'];
    assert.deepEqual((await answers.allInnerTexts()).slice(0, 3), offered);
    await screenshot(page, 'conflict');
    // What was written for another answer stays open: it is nowhere else.
    await pressRow(page, 'Edit by Hand');
    await treeRow(page, 'Write My Version').waitFor();
    const result = page.locator('.merge-editor .code-view.result');
    await result.filter({ hasText: '1 Conflict Remaining' }).waitFor();
    await result.locator('.view-lines').click();
    await result.locator('.monaco-editor.focused').waitFor();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('// Not yet. ');
    await eventually(async () => /Not\syet\./.test(await result.innerText()), 'it is typed', LIMIT_MS);
    await pressRow(page, 'Keep Mine');
    await status(page, /^Completed/);
    assert.match(window.read('src/card.js'), /^\/\/ A card, in words of my own\.\n/);
    await notification(page, 'was not used');
    assert.match(await page.locator('.merge-editor .result .view-lines').innerText(), /Not\syet\./);
  });

  it('take over, then hand back with a note; the brief says where things stand', async () => {
    await runPlaybook(page, 'takeover.playbook.json');
    await status(page, /^Running · agent · 1\/3/);
    await press(page, 'Take Over');
    await status(page, /^You have control/);
    await page.locator('.tab.active[data-resource-name^="Handover Brief · "]').waitFor();
    await eventually(async () => /Handover brief/.test(await editorText(page)), 'the brief is shown', LIMIT_MS);
    await treeRow(page, 'You have control').waitFor();
    await screenshot(page, 'takeover');
    const frame = await window.steer();
    await frame.getByRole('textbox', { name: 'Note for the record' }).fill('I left the colours alone.');
    await press(page, 'Hand Back');
    await status(page, /^Running · agent · 1\/3/);
    assert.equal(await frame.getByRole('textbox').inputValue(), '', 'the note is with the run');
    await runCommand(page, 'Holdfast: Open Transcript', LIMIT_MS);
    await eventually(
      async () => /I left the colours alone\./.test(await editorText(page)),
      'the transcript has the note',
      LIMIT_MS,
    );
    await press(page, 'Abort');
    await press(page, 'Abort the Run');
    await status(page, /^Aborted · 1\/3/);
  });
});
