// The main job: start a playbook from the palette, pause it from the button, change a file by typing, resume, and see
// the line survive, on disk and in the editor. With a picture of each state.
import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { eventually, openFile, pick, runCommand, save, screenshot, typeInEditor } from '../host/page.mjs';
import {
  editorText,
  LIMIT_MS,
  useWindow,
  press,
  pressRow,
  runPlaybook,
  status,
  treeRow,
  oneAfterAnother,
} from './lib/window.mjs';
import { farewell } from './lib/playbooks.mjs';

describe('the main job', function () {
  this.timeout(3 * LIMIT_MS);
  oneAfterAnother();
  let window, page;

  useWindow({ files: { 'farewell.playbook.json': farewell } }, (opened) => {
    window = opened;
    page = opened.page;
  });

  it('a run starts from the palette and shows what it does', async () => {
    await openFile(page, 'src/greeting.js');
    await runPlaybook(page, 'farewell.playbook.json');
    await status(page, /^Running · agent · 3\/6/);
    await treeRow(page, 'greeting.js').waitFor();
    await screenshot(page, 'running');
  });

  it('the button of the steering view pauses it', async () => {
    await press(page, 'Pause');
    await status(page, /^Paused · agent · 3\/6/);
    const frame = await window.steer();
    await frame.getByRole('button', { name: 'Resume', exact: true }).waitFor();
    await treeRow(page, 'Paused').waitFor();
    assert.equal(await frame.getByRole('button', { name: 'Pause', exact: true }).count(), 0);
    await screenshot(page, 'paused');
  });

  it('the human types a line and saves it', async () => {
    await typeInEditor(page, 'src/greeting.js', { line: 4, text: "  en: 'Good day',", replace: true });
    await save(page);
    assert.match(window.read('src/greeting.js'), /Good day/);
    await screenshot(page, 'human-edit');
  });

  it('resume goes on, and the line is there at the end, on disk and in the editor', async () => {
    await press(page, 'Resume');
    await status(page, /^Running · agent · 4\/6/);
    await screenshot(page, 'resumed');
    await status(page, /^Completed · 6\/6/);
    const text = window.read('src/greeting.js');
    assert.match(text, /en: 'Good day'/, 'the line of the human');
    assert.match(text, /es: 'Hola'/, 'what the agent added before');
    assert.match(text, /export function farewell/, 'what the agent added after');
    assert.match(text, /name \|\| 'friend'/, 'the last edit of the agent');
    await openFile(page, 'src/greeting.js');
    await eventually(async () => (await editorText(page)).includes("en: 'Good day'"), 'it is shown', LIMIT_MS);
    await screenshot(page, 'completed');
  });

  it('the checkpoints are listed, and one shows what has changed since', async () => {
    await runCommand(page, 'Holdfast: Focus on Checkpoints View', LIMIT_MS);
    await pressRow(page, 'After step 3: Add Spanish');
    await page.locator('.tab.active').filter({ hasText: 'Since step 3' }).waitFor();
    await screenshot(page, 'checkpoints');
  });

  it('a run of before stands in the history, and its transcript opens with how it ended', async () => {
    await runPlaybook(page, 'farewell.playbook.json');
    await status(page, /^Running · agent/);
    await runCommand(page, 'Holdfast: Focus on History View', LIMIT_MS);
    await pressRow(page, /(just now|min ago) · Completed · 6 of 6 steps/);
    await page.locator('.tab.active[data-resource-name^="Transcript · "]').waitFor();
    await eventually(async () => /Completed after 6 steps\./.test(await editorText(page)), 'it is shown', LIMIT_MS);
    await screenshot(page, 'transcript');
  });

  it('a fork is the current run at once, and so is the run that still stands paused when it has ended', async () => {
    await press(page, 'Pause');
    await status(page, /^Paused · agent/);
    await runCommand(page, 'Holdfast: Fork Run', LIMIT_MS);
    await pick(page, 'After step 1');
    await status(page, /^Paused · agent · 1\/6/);
    const frame = await window.steer();
    await frame.getByText('Forked at step 1').waitFor();
    await press(page, 'Abort');
    await press(page, 'Abort the Run');
    await status(page, /^Paused · agent · 3\/6/);
    await frame.getByRole('button', { name: 'Resume', exact: true }).waitFor();
  });
});
