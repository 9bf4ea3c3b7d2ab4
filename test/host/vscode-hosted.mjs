#!/usr/bin/env node
// The hosted VS Code in the clothes of the desktop one: a `vscodeExecutablePath` for runTests() of @vscode/test-electron.
// Takes the arguments that matter here, ignores the rest, and ends with the exit code of the test run.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { launchBrowser } from './browser.mjs';
import { startServer } from './server.mjs';

const NOISE = new RegExp(
  [
    /(Error: )?Could not locate the bindings file|(Error: )?Cannot find module '\.\/build\/Release\/watchdog'/,
    /Creating a socket \(|Resolv(ing|ed) connection token|Updating additional builtin extensions/,
    /\[(AgentHost|RemoteAgentHost|AccountPolicyGate|Service Worker|reconnection-grace-time)/,
    /Creation of workbench contribution/,
    /.*authentication provider 'github'|getaddrinfo \S+ open-vsx\.org/,
  ]
    .map((pattern) => `^${pattern.source}`)
    .join('|'),
);
/** Nobody looks at this window, and a machine without a graphics card pays for every pixel. */
const UNSEEN = {
  'chat.disableAIFeatures': true,
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
};
const WORKBENCH_LIMIT_MS = Number(process.env.HOSTED_VSCODE_START_MS) || 120_000;

/** The arguments of the desktop VS Code that have a meaning here. */
export function parseArguments(args) {
  const options = {
    extensions: [],
    tests: undefined,
    target: undefined,
    userDataDir: undefined,
    extensionsDir: undefined,
    trust: false,
  };
  for (let i = 0; i < args.length; i++) {
    const [, name, joined] = /^--([^=]+)(?:=(.*))?$/s.exec(args[i]) ?? [];
    const value = () => joined ?? args[++i];
    if (name === undefined) options.target ??= args[i];
    else if (name === 'extensionDevelopmentPath') options.extensions.push(value());
    else if (name === 'extensionTestsPath') options.tests = value();
    else if (name === 'user-data-dir') options.userDataDir = value();
    else if (name === 'extensions-dir') options.extensionsDir = value();
    else if (name === 'disable-workspace-trust') options.trust = true;
  }
  if (options.target?.startsWith('-')) options.target = undefined;
  if (options.target) options.target = fs.realpathSync(path.resolve(options.target));
  return options;
}

/** Node resolves a test entry without its extension; the web workbench imports exactly what is named. */
function entryFile(tests) {
  for (const candidate of [tests, `${tests}.js`, `${tests}.cjs`, `${tests}.mjs`, path.join(tests, 'index.js')])
    if (fs.statSync(candidate, { throwIfNoEntry: false })?.isFile()) return path.resolve(candidate);
  throw new Error(`There is no test entry ${tests}: build the tests first.`);
}

async function main() {
  const { extensions, tests, target, userDataDir, extensionsDir, trust } = parseArguments(process.argv.slice(2));
  if (!tests) throw new Error('--extensionTestsPath is missing: this program only runs tests.');
  const entry = entryFile(tests);
  const server = await startServer({ userDataDir, extensionsDir, trust, userSettings: UNSEEN });
  let browser;
  try {
    browser = await launchBrowser();
    const page = await browser.newPage({ viewport: { width: 900, height: 600 } });
    const logs = [];
    page.on('console', (message) => logs.push(`${message.type()}: ${message.text()}`));
    const exit = new Promise((resolve) => page.exposeFunction('codeAutomationExit', (code) => resolve(code)));
    await page.exposeFunction('codeAutomationLog', relay);
    const lost = new Promise((_, reject) => {
      page.on('crash', () => reject(new Error('The page of the workbench crashed.')));
      browser.on('disconnected', () => reject(new Error('The browser ended before the tests did.')));
    });
    lost.catch(() => {});
    const url = server.url(
      target,
      server.payload({ extensions: extensions.map((folder) => path.resolve(folder)), tests: entry }),
    );
    await page.goto(url, { waitUntil: 'commit' });
    await Promise.race([exit, lost, workbenchUp(page, server, logs)]);
    const code = await Promise.race([exit, lost]);
    // the workbench reports a dead extension host as an end with code 0
    const failure = await server.extensionHostFailure();
    if (failure) throw new Error(`The extension host ended before the tests did (${failure}).`);
    return code;
  } finally {
    await browser?.close().catch(() => {});
    await server.stop();
  }
}

/** Resolves when an extension host runs; rejects with what is known when it does not come up in time. */
async function workbenchUp(page, server, logs) {
  const end = Date.now() + WORKBENCH_LIMIT_MS;
  while (server.extensionHostPid() === undefined) {
    if (Date.now() > end) {
      const picture = path.join(os.tmpdir(), `holdfast-workbench-${process.pid}.png`);
      await page.screenshot({ path: picture }).catch(() => {});
      const known = [`server: ${plain(server.output())}`, `page: ${logs.slice(-15).join('\n')}`, `picture: ${picture}`];
      throw new Error(`The workbench did not come up within ${WORKBENCH_LIMIT_MS / 1000} s.\n${known.join('\n')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The server's output without the stacks of the native modules that are not built. */
function plain(output) {
  const lines = output
    .split('\n')
    .filter(
      (line) => line.trim() && !/node_modules|node:internal|bindings file|tries: \[|^\s+at |^[\s\]})]*$/.test(line),
    );
  return lines.slice(-20).join('\n');
}

/**
 * The workbench gives its own log and the extension host's console through the same function. What it always complains
 * about on a machine without a network, an account and compiled log writers is left out.
 */
function relay(_type, args) {
  const text = args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg))).join(' ');
  if (process.env.HOSTED_VSCODE_VERBOSE || !NOISE.test(text)) process.stdout.write(`${text}\n`);
}

main().then(
  (code) => process.exit(Number.isInteger(code) ? code : 1),
  (error) => {
    process.stderr.write(`${error.name === 'SetupError' ? error.message : error.stack}\n`);
    process.exit(1);
  },
);
