// Steering a run that a model drives: notes by the keyboard, and the whole view without a mouse.
import assert from 'node:assert/strict';
import { after, describe, it } from 'mocha';
import { eventually, runCommand } from '../host/page.mjs';
import { settingsFor, startModel } from './lib/model.mjs';
import { LIMIT_MS, useWindow, status, statusText, treeRow, oneAfterAnother } from './lib/window.mjs';

const read = (path) => ({ calls: [{ tool: 'read_file', args: { path } }] });

describe('steering', function () {
  this.timeout(3 * LIMIT_MS);
  oneAfterAnother();
  let window, page, model, goOn;
  const noted = new Promise((resolve) => (goOn = resolve));

  useWindow(
    async () => {
      model = await startModel([
        { text: 'I look at the greetings.', ...read('src/greeting.js') },
        { text: 'Now the colours.', until: noted, ...read('src/colour.js') },
        { text: 'And the card.', textMs: 3000, ...read('src/card.js') },
        { text: 'I have read everything.', hang: 'afterText' },
      ]);
      return { machineSettings: settingsFor(model) };
    },
    (opened) => {
      window = opened;
      page = opened.page;
    },
  );
  after(() => model?.stop());

  it('a goal typed in the view starts the run', async () => {
    const frame = await window.steer();
    const goal = frame.getByRole('textbox', { name: 'Goal' });
    await goal.press('Enter'); // empty: nothing
    await goal.pressSequentially('Read the sources');
    await goal.press('Enter');
    await status(page, /^Running · agent · 1$/);
    assert.match(model.requests[0].text, /Read the sources/);
  });

  it('Enter on an empty box and Escape do nothing; a note is queued, then delivered', async () => {
    const frame = await window.steer();
    const box = frame.getByRole('textbox', { name: 'Note to the agent' });
    await model.waitForRequest(2, LIMIT_MS);
    await box.click();
    await box.press('Enter');
    await box.press('Escape');
    await box.pressSequentially('   ');
    await box.press('Enter');
    assert.equal(await frame.getByRole('button', { name: 'Withdraw' }).count(), 0, 'nothing was sent');
    assert.match(await statusText(page), /^Running · agent · 1$/);
    await box.fill('');
    await box.pressSequentially('Do not touch the card');
    await box.press('Shift+Enter');
    await box.pressSequentially('please');
    await box.press('Enter');
    await frame.getByText('Queued note').waitFor();
    await treeRow(page, 'queued').waitFor();
    assert.equal(await box.inputValue(), '');
    goOn();
    const next = await model.waitForRequest(3, LIMIT_MS);
    assert.match(next.text, /Do not touch the card\nplease/);
    await treeRow(page, 'delivered after step').waitFor();
    await frame.getByText('Queued note').waitFor({ state: 'detached' });
  });

  it('a note is changed in its place, and taken back', async () => {
    const frame = await window.steer();
    await model.waitForRequest(4, LIMIT_MS);
    const box = frame.getByRole('textbox', { name: 'Note to the agent' });
    await box.fill('Never mind this');
    await box.press('Enter');
    await frame.getByRole('button', { name: 'Edit' }).click();
    const field = frame.getByRole('textbox', { name: 'Queued note' });
    assert.equal(await field.inputValue(), 'Never mind this');
    await field.fill('Never mind that either');
    await field.press('Enter');
    await treeRow(page, 'Never mind that either').waitFor();
    await frame.getByText('Never mind that either').waitFor();
    await field.waitFor({ state: 'detached' });
    await frame.getByRole('button', { name: 'Withdraw' }).click();
    await treeRow(page, 'withdrawn').waitFor();
  });

  it('everything has a role and a name', async () => {
    const frame = await window.steer();
    await frame.getByRole('status').filter({ hasText: 'The agent is answering.' }).waitFor();
    await frame.getByRole('group', { name: 'Run' }).getByRole('button', { name: 'Pause' }).waitFor();
    await frame.getByRole('group', { name: 'Note' }).getByRole('button', { name: 'Send', exact: true }).waitFor();
    await frame.getByRole('textbox', { name: 'Note to the agent' }).waitFor();
    for (const control of await frame.locator('button, textarea').all())
      assert.notEqual(await control.evaluate((node) => node.labels?.[0]?.textContent || node.textContent.trim()), '');
    const row = page.locator('.part.sidebar .monaco-list-row').first();
    assert.match((await row.getAttribute('aria-label')) ?? '', /^Run, Running/);
  });

  it('the view is reached and used by the keyboard alone', async () => {
    await runCommand(page, 'Holdfast: Focus on Steer View', LIMIT_MS);
    const frame = await window.steer();
    const focused = () => frame.evaluate(() => document.activeElement?.textContent || document.activeElement?.id);
    await eventually(async () => (await focused()) === 'text', 'the box has the keyboard', LIMIT_MS);
    const tabTo = async (name, key) => {
      for (let i = 0; i < 8; i += 1) {
        await page.keyboard.press(key);
        if ((await focused()) === name) return;
      }
      assert.fail(`${key} does not reach ${name}, but ${await focused()}`);
    };
    await tabTo('Pause', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await status(page, /^Paused · agent/);
    await eventually(
      async () => (await focused()) === 'text',
      'the box has the keyboard of the pressed button',
      LIMIT_MS,
    );
    // Abort asks once more, with the keyboard on the harmless answer; Escape takes it back.
    await tabTo('Abort', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await eventually(async () => (await focused()) === 'Keep It', 'it asks', LIMIT_MS);
    await page.keyboard.press('Escape');
    await eventually(async () => (await focused()) === 'Abort', 'Escape takes it back', LIMIT_MS);
    await status(page, /^Paused · agent/);
    await page.keyboard.press('Enter');
    await eventually(async () => (await focused()) === 'Keep It', 'it asks again', LIMIT_MS);
    await tabTo('Abort the Run', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await status(page, /^Aborted/);
    await tabTo('Start New Run', 'Tab');
  });
});
