// Starts and stops the hosted VS Code: its server, which serves the workbench to a browser and runs the extension host.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ensureHost } from '../../scripts/lib/provision.mjs';
import { endAll, isAlive, killNow, killWhenIDie, MARK } from './processes.mjs';

const START_LIMIT_MS = 60_000;

/** Like a quiet desktop VS Code: in a browser `files.autoSave` would be `afterDelay`, and typing would reach the disk by itself. */
export const QUIET_SETTINGS = {
  'files.autoSave': 'off',
  'workbench.startupEditor': 'none',
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'window.commandCenter': false,
  'chat.commandCenter.enabled': false,
  'chat.agentHost.enabled': false, // its storage is a native module that is not built
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'telemetry.telemetryLevel': 'off',
  'extensions.ignoreRecommendations': true,
  'git.openRepositoryInParentFolders': 'never',
  // it would ask npm for the types of whatever a workspace names
  'typescript.disableAutomaticTypeAcquisition': true,
  'workbench.reduceMotion': 'on',
};

const servers = new Set();
let listening = false;

/**
 * Starts a server of its own on a free port of 127.0.0.1, with its data in a new folder under os.tmpdir().
 *
 * - `userSettings` are laid over QUIET_SETTINGS and under what `userDataDir` has already; `machineSettings` are written
 *   as remote machine settings.
 * - `extensions`: folders of extensions to have installed, used where they are; the window is then as a user sees it.
 *   Without it the server takes the payload of `url()`: extensions under development and a test entry. VS Code's
 *   smoke-test driver, which that needs, shows no notifications outside the notification centre.
 * - `trust: false` turns Workspace Trust on, so that folders open in Restricted Mode.
 * - `userDataDir`, as in the desktop VS Code: holds `User/settings.json` and the storage of extensions, and is kept.
 * - `env` is added to the environment of the extension host; `onOutput(text)` gets what the server prints.
 *
 * Returns `{ origin, dataDir, userDataDir, url(), payload(), remote(), ended, extensionHostPid(), extensionHostFailure(), output(), stop() }`.
 */
export async function startServer(options = {}) {
  const { extensions, userSettings, machineSettings, userDataDir, trust = true, env, onOutput } = options;
  const host = await ensureHost();
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-vscode-'));
  const data = path.join(dataDir, 'data');
  if (userDataDir) {
    fs.mkdirSync(userDataDir, { recursive: true });
    fs.symlinkSync(path.resolve(userDataDir), data);
  }
  writeSettings(path.join(data, 'User'), { ...QUIET_SETTINGS, ...userSettings });
  const extensionsDir = path.resolve(options.extensionsDir ?? path.join(dataDir, 'extensions'));
  if (extensions) writeInstalled(extensionsDir, extensions);
  if (machineSettings) writeSettings(path.join(data, 'Machine'), machineSettings);

  const mark = randomUUID();
  // XDG_RUNTIME_DIR: its sockets are removed with its data, and not left in the temporary folder
  const child = spawn(
    host.node,
    [
      ...['out/server-main.js', '--host', '127.0.0.1', '--port', '0', '--without-connection-token'],
      ...['--accept-server-license-terms', '--telemetry-level', 'off', '--server-data-dir', dataDir],
      ...['--extensions-dir', extensionsDir],
      '--force-disable-user-env', // the environment is the one given here, not what a login shell makes of it
      ...(trust ? ['--disable-workspace-trust'] : []),
      ...(extensions ? [] : ['--enable-smoke-test-driver']), // without it the page ignores the payload
    ],
    {
      cwd: host.server,
      env: { ...plainEnvironment(), XDG_RUNTIME_DIR: dataDir, ...env, [MARK]: mark },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const callOff = killWhenIDie(mark, child.pid, dataDir);
  const discard = () => {
    callOff();
    fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  };
  const server = { mark, pid: child.pid, discard };
  servers.add(server);
  cleanUpAtTheEnd();

  let output = '';
  const hosts = [];
  const endings = new Map();
  const readLine = (line) => {
    const [, pid] = /<(\d+)> Launched Extension Host Process/.exec(line) ?? [];
    if (pid) hosts.push(Number(pid));
    const [, ended, code, signal] =
      /<(\d+)> Extension Host Process exited with code: (\S+), signal: (\w+)/.exec(line) ?? [];
    if (ended) endings.set(Number(ended), signal !== 'null' ? signal : code === '0' ? undefined : `exit code ${code}`);
  };
  let unfinished = '';
  const take = (chunk) => {
    const text = String(chunk);
    output = (output + text).slice(-200_000);
    const lines = (unfinished + text).split('\n');
    unfinished = lines.pop();
    lines.forEach(readLine);
    onOutput?.(text);
  };
  child.stdout.on('data', take);
  child.stderr.on('data', (chunk) => {
    output = (output + chunk).slice(-200_000);
    onOutput?.(String(chunk));
  });

  let stopping;
  const stop = ({ graceMs = 2000 } = {}) =>
    (stopping ??= (async () => {
      // the extension hosts end by themselves when asked, and run deactivate()
      await endAll(mark, child.pid, [...hosts, child.pid].filter(isAlive), graceMs);
      discard();
      servers.delete(server);
    })());

  let port;
  try {
    port = await listeningPort(child, () => output);
  } catch (error) {
    await stop({ graceMs: 0 });
    throw error;
  }
  const authority = `127.0.0.1:${port}`;
  const remote = (file) => `vscode-remote://${authority}${pathToFileURL(file).pathname}`;
  return {
    origin: `http://${authority}`,
    dataDir,
    userDataDir: fs.realpathSync(data),
    /** Address of a window on a folder or a .code-workspace file; without either of an empty window. */
    url(target, payload = []) {
      const query = new URLSearchParams();
      if (target) query.set(target.endsWith('.code-workspace') ? 'workspace' : 'folder', path.resolve(target));
      else query.set('ew', 'true');
      query.set('payload', JSON.stringify([...payload, ['skipWelcome', 'true']]));
      return `http://${authority}/?${query}`;
    },
    /** What `url` takes to load extensions from folders and to run a test entry in them. */
    payload({ extensions = [], tests } = {}) {
      const pairs = extensions.map((folder) => ['extensionDevelopmentPath', remote(folder)]);
      return tests ? [...pairs, ['extensionTestsPath', remote(tests)]] : pairs;
    },
    /** The address that a file has for the page. */
    remote,
    /** Settles when the server process has ended, for whatever reason. */
    ended,
    /** Pid of the extension host started last, while it lives. */
    extensionHostPid: () => hosts.filter(isAlive).at(-1),
    /** How the extension host started last ended, when not well (a signal or an exit code); undefined while it lives. */
    async extensionHostFailure(limitMs = 10_000) {
      const pid = hosts.at(-1);
      // the server tells of the end only after the page has noticed it
      for (const end = Date.now() + limitMs; pid && !isAlive(pid) && !endings.has(pid); await sleep(50))
        if (Date.now() > end) return 'for an unknown reason';
      return endings.get(pid);
    },
    /** The end of what the server printed. */
    output: () => output,
    /** Ends the server and everything started by it; returns when no such process lives and its data is removed. */
    stop,
  };
}

function listeningPort(child, output) {
  return new Promise((resolve, reject) => {
    const give = (problem) => reject(new Error(`The VS Code server ${problem}.\n${output().slice(-2000)}`));
    const timer = setTimeout(() => give(`did not start within ${START_LIMIT_MS / 1000} s`), START_LIMIT_MS);
    child.once('error', (error) => give(`could not be started (${error.message})`));
    child.once('exit', (code, signal) => give(`ended with ${code ?? signal} at its start`));
    child.stdout.on('data', () => {
      const [, port] = /Extension host agent listening on (\d+)/.exec(output()) ?? [];
      if (!port) return;
      clearTimeout(timer);
      resolve(Number(port));
    });
  });
}

/** Settings that are there already win: a test may have prepared them. */
function writeSettings(folder, settings) {
  const file = path.join(folder, 'settings.json');
  let present = {};
  if (fs.existsSync(file)) {
    try {
      present = JSON.parse(fs.readFileSync(file, 'utf8'));
    } catch {
      return; // with comments: the author's own, left as it is
    }
  }
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(file, JSON.stringify({ ...settings, ...present }, undefined, 2));
}

/** The list that VS Code keeps of installed extensions may name any folder: nothing is copied, and nothing gets stale. */
function writeInstalled(folder, extensions) {
  const entries = extensions.map((extension) => {
    const { publisher, name, version } = JSON.parse(fs.readFileSync(path.join(extension, 'package.json'), 'utf8'));
    const location = { $mid: 1, scheme: 'file', path: path.resolve(extension) };
    return {
      identifier: { id: `${publisher}.${name}` },
      version,
      location,
      metadata: { installedTimestamp: Date.now() },
    };
  });
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'extensions.json'), JSON.stringify(entries));
}

/** Ours may be run from a terminal of another VS Code, whose variables would lead this one to that one's sockets. */
function plainEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VSCODE_|ELECTRON_)/.test(name)));
}

function cleanUpAtTheEnd() {
  if (listening) return;
  listening = true;
  process.on('exit', () => {
    for (const { mark, pid, discard } of servers) {
      killNow(mark, pid);
      discard();
    }
  });
  // without a handler Node ends at once on a signal and no 'exit' listener runs
  for (const [signal, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ])
    process.once(signal, () => process.exit(128 + number));
}
