#!/usr/bin/env node
// npm start: Holdfast in a VS Code with a sample project and a playbook, on a fresh clone too.
//   npm start                                     desktop VS Code if there is one, else a hosted one in the browser
//   npm start -- --headless --screenshot FILE     a picture of it, for machines without a display
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as provision from './lib/provision.mjs';
import { run } from './lib/steps.mjs';

const { root, say, SetupError } = provision;
const PLAYBOOK = 'tour.playbook.json';
const SETTINGS = { 'chat.disableAIFeatures': true }; // nothing of Copilot between a newcomer and Holdfast

const TODO = `
Three things to do in the window:
  1. ${PLAYBOOK} is open: press its Run button, or press F1 and choose "Holdfast: Run Playbook".
  2. When the run pauses, change 'Hello' on line 4 of src/greeting.js to a greeting of your own, and save.
  3. Press Resume in the Holdfast side bar (or F1, "Holdfast: Resume"). The agent rewrites that file: your line stays.
Near the end the run asks whether it may run the tests. No model, key or account is used.
`;

async function main() {
  const options = readArguments(process.argv.slice(2));
  await provision.ensureDependencies();
  await provision.ensureBuild();
  if (options.screenshot) return picture(options.screenshot);
  const code = desktopCode();
  await (code ? desktop(code) : hosted());
}

function readArguments(args) {
  const options = { headless: false, screenshot: undefined };
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--headless') options.headless = true;
    else if (args[i] === '--screenshot') options.screenshot = args[++i];
    else if (args[i].startsWith('--screenshot=')) options.screenshot = args[i].slice('--screenshot='.length);
    else
      throw new SetupError(
        `Unknown argument ${args[i]}: use \`npm start\` or \`npm start -- --headless --screenshot FILE\`.`,
      );
  }
  if (options.headless !== Boolean(options.screenshot))
    throw new SetupError('--headless and --screenshot FILE go together: `npm start -- --headless --screenshot FILE`.');
  if (options.screenshot) options.screenshot = path.resolve(process.env.INIT_CWD ?? '.', options.screenshot);
  return options;
}

/** A copy that may be changed at will, as a git repository where git is there. */
async function scratchCopy({ keep }) {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-tour-')));
  if (!keep) process.on('exit', () => fs.rmSync(base, { recursive: true, force: true, maxRetries: 3 }));
  const folder = path.join(base, 'hello-colours');
  fs.cpSync(path.join(root, 'samples', 'workspace'), folder, { recursive: true });
  if (provision.onPath('git')) {
    const identity = [
      '-c',
      'user.name=Holdfast',
      '-c',
      'user.email=holdfast@example.invalid',
      '-c',
      'commit.gpgsign=false',
    ];
    try {
      await run('git', ['init', '-q'], { cwd: folder });
      await run('git', ['add', '.'], { cwd: folder });
      await run('git', [...identity, 'commit', '-q', '--no-verify', '-m', 'The sample project'], { cwd: folder });
    } catch {
      fs.rmSync(path.join(folder, '.git'), { recursive: true, force: true }); // the tour works without a repository
    }
  }
  return { base, folder };
}

/** The `code` of a desktop VS Code that can open a window here, or undefined. */
function desktopCode() {
  const { env, platform } = process;
  const display = ['darwin', 'win32'].includes(platform) || env.DISPLAY || env.WAYLAND_DISPLAY;
  // below WSL, and in the terminal of a remote window, `code` stands for a VS Code on another system
  const elsewhere = env.WSL_DISTRO_NAME || /remote-cli/.test(provision.onPath('code') ?? '');
  return display && !elsewhere ? provision.onPath('code') : undefined;
}

async function desktop(code) {
  const { base, folder } = await scratchCopy({ keep: true });
  const userData = path.join(base, 'u'); // short: sockets below it have a length limit on macOS
  fs.mkdirSync(path.join(userData, 'User'), { recursive: true });
  fs.writeFileSync(
    path.join(userData, 'User', 'settings.json'),
    JSON.stringify({ 'workbench.startupEditor': 'none', ...SETTINGS }),
  );
  say(`Opening the desktop VS Code with a profile of its own, on ${folder}`);
  const args = [
    ...[
      '--new-window',
      `--extensionDevelopmentPath=${root}`,
      `--user-data-dir=${userData}`,
      `--extensions-dir=${path.join(base, 'x')}`,
    ],
    ...['--disable-workspace-trust', '--skip-welcome', '--skip-release-notes', folder, path.join(folder, PLAYBOOK)],
  ];
  const windows = process.platform === 'win32'; // `code` is a .cmd file there, which needs a shell
  const child = spawn(windows ? `"${code}"` : code, windows ? args.map((arg) => `"${arg}"`) : args, {
    stdio: 'inherit',
    shell: windows,
  });
  const status = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (status !== 0) throw new SetupError(`\`code\` ended with ${status}: check that \`code --version\` works.`);
  console.log(TODO);
}

async function hosted() {
  const { startServer } = await import('../test/host/server.mjs');
  const { folder } = await scratchCopy({ keep: false });
  const server = await startServer({ extensions: [root], userSettings: SETTINGS });
  const url = server.url(folder, [['openFile', server.remote(path.join(folder, PLAYBOOK))]]);
  console.log(`\nHoldfast runs in a VS Code at\n\n  ${url}\n${TODO}`);
  const opener = process.env.DISPLAY || process.env.WAYLAND_DISPLAY ? provision.onPath('xdg-open') : undefined;
  if (opener)
    spawn(opener, [url], { stdio: 'ignore', detached: true })
      .on('error', () => {})
      .unref();
  say(
    `${opener ? 'Opening it in your browser' : 'Open that address in a browser on this machine'}; Ctrl+C ends VS Code and removes the sample.`,
  );
  await server.ended;
  throw new SetupError('The VS Code server ended by itself: run `npm start` again.');
}

async function picture(file) {
  const { openContainer, openWorkbench, screenshot, webviewFrame } = await import('../test/host/page.mjs');
  const { folder } = await scratchCopy({ keep: false });
  const window = await provision.step('Opening VS Code in a headless Chromium', () =>
    openWorkbench({ folder, settings: SETTINGS, openFile: path.join(folder, PLAYBOOK) }),
  );
  try {
    const { page } = window;
    const there = await provision.step('Waiting for Holdfast in it', async () => {
      await page.locator('.tab.active').waitFor();
      const found = await openContainer(page, 'Holdfast', 30_000);
      // the steering view is a page of its own, which comes after the others; without it there is a picture all the same
      if (found) await webviewFrame(page, '#line:not(:empty)').catch(() => undefined);
      await settled(page);
      return found;
    });
    console.log(`Picture: ${await screenshot(page, file)}`);
    console.log(TODO);
    if (!there)
      throw new SetupError(
        'VS Code shows no "Holdfast" in its activity bar: see whether the extension builds and its manifest is right.',
      );
  } finally {
    await window.close();
  }
}

/** VS Code tells views late whether the folder is trusted and what extensions say: waits for 4 s without a change. */
async function settled(page) {
  const text = () => page.locator('.part.sidebar').innerText();
  let [seen, since] = ['', Date.now()];
  for (const end = Date.now() + 30_000; Date.now() < end && Date.now() - since < 4000; await page.waitForTimeout(200)) {
    const now = await text();
    if (now !== seen) [seen, since] = [now, Date.now()];
  }
}

main().then(() => process.exit(0), provision.fail);
