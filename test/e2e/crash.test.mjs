// The extension host is killed in the middle: nothing is lost, nothing is done twice, nothing restarts by itself.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, it } from 'mocha';
import { pressNotification } from '../host/page.mjs';
import { LIMIT_MS, notification, useWindow, runPlaybook, status, statusText, oneAfterAnother } from './lib/window.mjs';

const note = (words, more = {}) => ({
  title: `Note ${words}`,
  tool: 'run_command',
  with: { command: `echo ${words} >> log.txt` },
  ...more,
});

describe('a killed extension host', function () {
  this.timeout(3 * LIMIT_MS);
  oneAfterAnother();
  let window, page;

  const steps = [note('one'), note('two'), note('three', { delay_s: 12 }), note('four')];
  useWindow(
    {
      files: { 'log.playbook.json': { goal: 'Keep a log', steps } },
      machineSettings: { 'holdfast.approvals': 'auto' },
    },
    (opened) => {
      window = opened;
      page = opened.page;
    },
  );

  const log = () => {
    const file = path.join(window.folder, 'log.txt');
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n') : [];
  };

  it('the run is offered as interrupted after a reload, and does not go on by itself', async () => {
    await runPlaybook(page, 'log.playbook.json');
    await status(page, /^Running · agent · 2\/4/);
    process.kill(window.server.extensionHostPid(), 'SIGKILL');
    await window.reload();
    const { message, buttons } = await notification(page, 'was interrupted');
    assert.match(message, /Keep a log.*2 finished steps kept/);
    assert.deepEqual(buttons, ['Resume', 'Take Over', 'Later']);
    await status(page, /^Paused · agent · 2\/4/);
    await sleep(4000); // time for what must not happen
    assert.deepEqual(log(), ['one', 'two']);
    assert.match(await statusText(page), /^Paused/);
  });

  it('resume goes on where it was, and each step is done once', async () => {
    await pressNotification(page, 'was interrupted', 'Resume');
    await status(page, /^Completed · 4\/4/);
    assert.deepEqual(log(), ['one', 'two', 'three', 'four']);
  });
});
