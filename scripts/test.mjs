// npm test: every check there is, on a fresh clone too. Ends with the line "N passed, N failed".
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as provision from './lib/provision.mjs';

const { root, say } = provision;
const total = { passed: 0, failed: 0, skipped: 0 };
/** What failed, told once more at the end: whoever sees only the end of the output sees it too. */
const failures = [];

/** Runs a program and gives back its exit code and what it printed, which is shown at its end: several run at a time. */
function show(command, args) {
  return new Promise((resolve) => {
    const env = { ...process.env, HOLDFAST_BUILT: '1' };
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (data) => (output = (output + data).slice(-2_000_000));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve({ code: 1, output: String(error) }));
    child.on('close', (code) => {
      process.stdout.write(output);
      resolve({ code: code ?? 1, output });
    });
  });
}

const bin = (name) => path.join(root, 'node_modules', '.bin', name);

/** One check: passed or failed as a whole. */
async function check(name, command, args) {
  const { code } = await timed(name, () => show(command, args));
  total[code === 0 ? 'passed' : 'failed'] += 1;
  if (code !== 0) failures.push(name);
}

/** A suite that counts. One that ended badly without a failed test of its own counts as one failure. */
async function suite(name, count, command, args) {
  const { code, output } = await timed(name, () => show(command, args));
  if (code !== 0) failures.push(`${name}:\n${failedParts(output)}`);
  const { passed = 0, failed = 0, skipped = 0 } = count(output) ?? {};
  total.passed += passed;
  total.failed += failed === 0 && (code !== 0 || passed === 0) ? 1 : failed;
  total.skipped += skipped;
}

/** The FAIL blocks of scenarios, and what mocha prints after its counts; without either the last lines. */
function failedParts(output) {
  const scenarios = [...output.matchAll(/^FAIL .*(?:\n {2,}.*)*/gm)].map(([block]) => block);
  const mochaPart = /^\s*\d+ failing$[\s\S]*/m.exec(output)?.[0];
  return [...scenarios, mochaPart ?? ''].join('\n').trim().slice(0, 6000) || output.trim().slice(-1500);
}

async function timed(name, work) {
  say(`${name} …`);
  const from = Date.now();
  const result = await work();
  say(`${name}: ${((Date.now() - from) / 1000).toFixed(1)} s`);
  return result;
}

const number = (output, pattern) => Number([...output.matchAll(pattern)].at(-1)?.[1] ?? 0);

const mocha = (output) => ({
  passed: number(output, /^\s*(\d+) passing/gm),
  failed: number(output, /^\s*(\d+) failing/gm),
  skipped: number(output, /^\s*(\d+) pending/gm),
});

const closingLine = (output) => {
  const match = [...output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)].at(-1);
  return match && { passed: Number(match[1]), failed: Number(match[2]), skipped: Number(match[3] ?? 0) };
};

const CORE_TESTS = 'out/test/unit/core/**/*.test.js';

/** What needs no host. */
const plain = {
  format: () => check('format', bin('prettier'), ['--check', '--log-level=warn', '.']),
  // by its path: eslint needs the compiler before this one, and both are called tsc
  types: () => check('types', process.execPath, ['node_modules/typescript-7/bin/tsc', '--noEmit']),
  lint: () => check('lint', bin('eslint'), ['.', '--cache', '--cache-location', 'node_modules/.cache/eslint/']),
  core: () => suite('unit tests of the core', mocha, bin('mocha'), ['--exit', CORE_TESTS]),
  rest: () =>
    suite('unit tests of the rest', mocha, bin('mocha'), [
      '--exit',
      '--ignore',
      CORE_TESTS,
      'out/test/unit/**/*.test.js',
    ]),
};

const scenarios = (host) => () =>
  suite(`scenarios on ${host}`, closingLine, process.execPath, ['scripts/scenarios.mjs', '--host', host]);
const integration = () => suite('integration in VS Code', mocha, process.execPath, ['scripts/integration.mjs']);

/** Suites of whole windows, one a file. */
function endToEnd() {
  if (!provision.hostSupported()) {
    say('end to end in VS Code: skipped, the hosted VS Code runs on Linux x64 only');
    total.skipped += 1;
    return [];
  }
  const names = fs.readdirSync(path.join(root, 'test', 'e2e')).filter((name) => name.endsWith('.test.mjs'));
  return names
    .sort()
    .map((name) => () => suite(`end to end in VS Code, ${name}`, mocha, bin('mocha'), ['--exit', `test/e2e/${name}`]));
}

/**
 * The longest first, so that no long one is left alone at the end. Whoever has nothing else to do takes the next, one
 * for each processor: with more of them, scenarios that wait for a moment met it too late.
 */
async function playAll() {
  const { format, types, lint, core, rest } = plain;
  const queue = [scenarios('node'), core, scenarios('vscode'), rest, integration, lint, ...endToEnd(), format, types];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next();
  };
  await Promise.all(Array.from({ length: os.availableParallelism() }, worker));
}

async function main() {
  await provision.ensureDependencies();
  const node = process.execPath;
  await check('build', node, ['esbuild.mjs', '--production']);
  await check('build of the tests', node, ['esbuild.mjs', '--tests']);
  if (provision.hostSupported()) {
    await provision.ensureHost();
    await provision.ensureBrowser();
  }
  await playAll();
  if (failures.length > 0) console.log(`\nWhat failed:\n\n${failures.join('\n\n')}`);
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  process.exit(total.failed === 0 ? 0 : 1);
}

main().catch(provision.fail);
