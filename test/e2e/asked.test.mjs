// What is typed beside an answer, a text that looks secret, and questions while the side bar is closed: in a run of a model.
import assert from 'node:assert/strict';
import { after, describe, it } from 'mocha';
import { eventually, notifications, runCommand } from '../host/page.mjs';
import { settingsFor, startModel } from './lib/model.mjs';
import { closeSideBar, editorText, LIMIT_MS, notification, press, status, treeRow, useWindow } from './lib/window.mjs';

const command = (line) => ({ calls: [{ tool: 'run_command', args: { command: line } }] });
const call = (tool, args) => ({ calls: [{ tool, args }] });

/** A workspace that would have nothing asked, and one setting that it may set. */
const SETTINGS = { 'holdfast.approvals': 'auto', 'holdfast.markHumanLines': true };

describe('what is asked', function () {
  this.timeout(3 * LIMIT_MS);
  let window, page, model;

  useWindow(
    async () => {
      model = await startModel([
        { text: 'First a command.', ...command('echo $(date) $(sleep 0; echo late)') },
        call('read_file', { path: '.env' }),
        call('edit_file', { path: '.env', old_text: 'PORT=1', new_text: 'PORT=2\nHOST=here' }),
        command('echo one'),
        command('echo two'),
        command('echo three'),
        { text: 'I wait.', hang: 'afterText' },
      ]);
      return {
        machineSettings: settingsFor(model),
        files: { '.env': 'KEY=dont-show\nPORT=1\n', '.vscode/settings.json': SETTINGS },
      };
    },
    (opened) => {
      window = opened;
      page = opened.page;
    },
  );
  after(() => model?.stop());

  const field = (frame) => frame.getByRole('textbox', { name: /^A note with your answer/ });
  const inputBox = () => page.locator('.quick-input-widget .quick-input-box input');
  const asked = async () => (await notifications(page)).map(({ message }) => message);

  it('a note in the card goes with Reject in the tree, and with Allow to the agent; a setting without effect is named', async () => {
    const frame = await window.steer();
    const goal = frame.getByRole('textbox', { name: 'Goal' });
    await goal.fill('Set the port');
    await goal.press('Enter');
    await status(page, /^Waiting for approval/);
    await frame.getByText('echo $(date) $(sleep 0; echo late)').first().waitFor();
    const { message } = await notification(page, 'in this workspace');
    assert.match(message, /^holdfast\.approvals stands in this workspace and has no effect/);
    await field(frame).fill('Use UTC');
    await treeRow(page, 'Reject').click();
    await eventually(async () => (await inputBox().inputValue()) === 'Use UTC', 'the note is in the box', LIMIT_MS);
    await page.keyboard.press('Escape');
    await press(page, 'Allow with This Note');
    await model.waitForRequest(2, LIMIT_MS);
    await status(page, /^Waiting for approval/);
    const request = model.requests.find(({ text }) => text.includes('Use UTC'));
    assert.ok(request, 'the agent has the note');
    assert.equal(await frame.getByText('Written before and not sent').count(), 0);
  });

  it('a change of a secret-looking file: its size and lines, and its text only on purpose', async () => {
    await press(page, 'Allow'); // reading it
    const frame = await window.steer();
    await frame.getByText(/2 lines added, 1 removed/).waitFor();
    const card = frame.getByRole('article');
    assert.match(await card.innerText(), /Now 2 lines, 21 bytes; then 3 lines, 31 bytes/);
    assert.doesNotMatch(await card.innerText(), /dont-show|HOST/);
    await press(page, 'Show Secret Text');
    await page.locator('.tab.active').filter({ hasText: 'proposed, not stored' }).waitFor();
    await eventually(async () => /HOST=here/.test(await editorText(page)), 'the proposal is shown', LIMIT_MS);
    await press(page, 'Allow');
    await page.locator('.tab').filter({ hasText: 'proposed, not stored' }).waitFor({ state: 'detached' });
    await eventually(() => window.read('.env').includes('HOST=here'), 'it is written', LIMIT_MS);
  });

  it('with the side bar closed one message asks; answered elsewhere, they do not pile up', async () => {
    await (await window.steer()).getByText('echo one').first().waitFor();
    assert.deepEqual(
      (await asked()).filter((text) => /\?/.test(text)),
      [],
      'the card is seen',
    );
    await closeSideBar(page);
    await notification(page, 'echo one');
    const answer = async (words) => {
      await runCommand(page, 'Holdfast: Answer', LIMIT_MS);
      await page.locator(`.quick-input-widget input[placeholder^="${words}"]`).waitFor();
      await page.keyboard.press('Enter'); // Allow
    };
    await answer('echo one');
    await notification(page, 'The run waits for your answer.');
    await answer('echo two');
    await runCommand(page, 'Notifications: Show Notifications', LIMIT_MS);
    const list = page.locator('.notifications-center .notification-list-item-message');
    await eventually(
      async () => (await list.allTextContents()).some((text) => text.includes('waits for your answer')),
      'the next question is told',
      LIMIT_MS,
    );
    await status(page, /^Waiting for approval/);
    const texts = await list.allTextContents();
    assert.ok(texts.filter((text) => /Run this command|waits for your/.test(text)).length <= 2, texts.join(' | '));
    const row = page
      .locator('.notifications-center .notification-list-item')
      .filter({ hasText: 'waits for your answer' });
    await row.getByRole('button', { name: 'Show Question' }).click();
    const frame = await window.steer();
    await frame.locator('.card').filter({ hasText: 'echo three' }).waitFor();
    await press(page, 'Allow');
    await status(page, /^Running/);
  });

  it('a note in the steering box goes with the key that hands back', async () => {
    await model.waitForRequest(7, LIMIT_MS); // it waits in its answer
    await press(page, 'Take Over');
    await status(page, /^You have control/);
    const frame = await window.steer();
    const box = frame.getByRole('textbox', { name: 'Note to the agent' });
    await box.fill('I set the host myself');
    await runCommand(page, 'Holdfast: Hand Back', LIMIT_MS);
    await eventually(async () => (await inputBox().inputValue()) === 'I set the host myself', 'it is there', LIMIT_MS);
    await page.keyboard.press('Enter');
    await status(page, /^Running/);
    await eventually(async () => (await box.inputValue()) === '', 'the box is empty', LIMIT_MS);
    await eventually(
      () => model.requests.some(({ text }) => text.includes('I set the host myself')),
      'the agent has it',
      LIMIT_MS,
    );
  });
});
