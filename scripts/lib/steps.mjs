// What every set-up step needs: one line that says what happens, a child process that can be interrupted, and errors
// that are one sentence with a remedy. Node built-ins only: this runs before `npm ci`.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');

/** An expected failure: the message is one sentence for the user and names what to do. */
export class SetupError extends Error {
  name = 'SetupError';
}

/** One line on stderr, so that stdout stays free for results. */
export function say(text) {
  process.stderr.write(`holdfast: ${text}\n`);
}

/** Says what starts, does it, and says how long it took. */
export async function step(text, action) {
  say(`${text} …`);
  const from = Date.now();
  const result = await action();
  say(`${text}: done in ${((Date.now() - from) / 1000).toFixed(1)} s`);
  return result;
}

/** Ends a script: an expected failure is shown as its sentence, anything else with its stack. */
export function fail(error) {
  if (error instanceof SetupError) say(error.message);
  else process.stderr.write(`${error?.stack ?? error}\n`);
  process.exit(1);
}

/** A path as a person would write it. */
export function tidy(file) {
  const home = os.homedir() + path.sep;
  return file.startsWith(home) ? `~/${file.slice(home.length)}` : file;
}

const running = new Set();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Runs a program to its end and returns its stdout. Throws an Error with `exitCode` and `output` (the last of its
 * stderr) when it fails. `show: true` passes its output on to our stderr.
 */
export function run(command, args, { cwd = root, env = {}, show = false, timeoutMs = 0 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
      shell: command === 'npm' && process.platform === 'win32', // a .cmd file there
    });
    running.add(child);
    let out = '';
    let errors = '';
    child.stdout.on('data', (data) => {
      out += data;
      if (show) process.stderr.write(data);
    });
    child.stderr.on('data', (data) => {
      errors = (errors + data).slice(-4000);
      if (show) process.stderr.write(data);
    });
    const end = (code, cause) => {
      running.delete(child);
      if (code === 0) return resolve(out);
      const problem = cause ?? new Error(`${command} ${args.join(' ')} ended with ${code}\n${errors}`);
      reject(Object.assign(problem, { exitCode: code, output: errors.trim() || out.trim().slice(-4000) }));
    };
    child.on('error', (error) => end(-1, error));
    child.on('close', (code, signal) => end(code ?? signal));
  });
}

/** npm, with its failure told as one sentence. `what` completes "Could not …". */
export async function npm(args, what, options = {}) {
  try {
    return await run('npm', args, options);
  } catch (error) {
    if (error.code === 'ENOENT') throw new SetupError('npm was not found: install Node 20 or newer together with npm.');
    const lines = (error.output ?? '').split('\n').filter((line) => /npm (ERR!|error)/i.test(line));
    const told = lines.map((line) => line.replace(/^npm (ERR!|error)\s*/i, '').trim()).filter(Boolean);
    const reason =
      told.find((line) => !/^(code|errno|syscall)\b/.test(line)) ?? told[0] ?? error.message.split('\n')[0];
    throw new SetupError(
      `Could not ${what} (npm: ${reason.replace(/[.\s]+$/, '')}): check the network and \`npm config get registry\`, then run this again.`,
    );
  }
}

/** The first program of this name on PATH, or undefined. */
export function onPath(...names) {
  const endings = process.platform === 'win32' ? ['.cmd', '.exe', ''] : [''];
  for (const name of names)
    for (const folder of (process.env.PATH ?? '').split(path.delimiter).filter(Boolean))
      for (const ending of endings) {
        const file = path.join(folder, name + ending);
        try {
          fs.accessSync(file, fs.constants.X_OK);
          if (fs.statSync(file).isFile()) return file;
        } catch {
          // not here
        }
      }
  return undefined;
}
