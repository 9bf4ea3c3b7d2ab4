// npm test: every check there is, in order of cost, on a fresh clone too. Ends with the line "N passed, N failed".
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import * as provision from './lib/provision.mjs';

const { root, say } = provision;
const total = { passed: 0, failed: 0, skipped: 0 };
/** What failed, told once more at the end: whoever sees only the end of the output sees it too. */
const failures = [];

/** Runs a program and gives back its exit code and what it printed; its output is shown as it comes, or at its end. */
function show(command, args, { atEnd = false } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const pass = (stream) => (data) => {
      output = (output + data).slice(-2_000_000);
      if (!atEnd) stream.write(data);
    };
    child.stdout.on('data', pass(process.stdout));
    child.stderr.on('data', pass(process.stderr));
    child.on('error', (error) => resolve({ code: 1, output: String(error) }));
    child.on('close', (code) => {
      if (atEnd) process.stdout.write(output);
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
async function suite(name, count, command, args, options = {}) {
  const { code, output } = await timed(name, () => show(command, args, options));
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

/** What needs no host: from the cheap to the dear. */
async function plainChecks() {
  await check('format', bin('prettier'), ['--check', '--log-level=warn', '.']);
  // by its path: eslint needs the compiler before this one, and both are called tsc
  await check('types', process.execPath, ['node_modules/typescript-7/bin/tsc', '--noEmit']);
  await check('lint', bin('eslint'), ['.', '--cache', '--cache-location', 'node_modules/.cache/eslint/']);
  await suite('unit tests', mocha, bin('mocha'), ['--exit', 'out/test/unit/**/*.test.js']);
}

/** Suites of whole windows, one a file: whoever has nothing else to do takes the next. */
function endToEnd() {
  if (!provision.hostSupported()) {
    say('end to end in VS Code: skipped, the hosted VS Code runs on Linux x64 only');
    total.skipped += 1;
    return [];
  }
  const names = fs.readdirSync(path.join(root, 'test', 'e2e')).filter((name) => name.endsWith('.test.mjs'));
  return names.sort();
}

async function playEndToEnd(names) {
  for (let name = names.shift(); name !== undefined; name = names.shift())
    await suite(`end to end in VS Code, ${name}`, mocha, bin('mocha'), ['--exit', `test/e2e/${name}`], { atEnd: true });
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
  const names = endToEnd();
  const scenarios = (host) =>
    suite(`scenarios on ${host}`, closingLine, node, ['scripts/scenarios.mjs', '--host', host], { atEnd: true });
  // Two at a time: scenarios and windows wait a good part of their time, so that there is a core for the rest.
  await Promise.all([
    scenarios('node')
      .then(() => scenarios('vscode'))
      .then(() => playEndToEnd(names)),
    plainChecks()
      .then(() => suite('integration in VS Code', mocha, node, ['scripts/integration.mjs']))
      .then(() => playEndToEnd(names)),
  ]);
  if (failures.length > 0) console.log(`\nWhat failed:\n\n${failures.join('\n\n')}`);
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  process.exit(total.failed === 0 ? 0 : 1);
}

main().catch(provision.fail);
