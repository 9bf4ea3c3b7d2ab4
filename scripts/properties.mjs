// `npm run properties -- [--runs N] [--seed S] [FILE …]`: the property tests alone, in their long mode (10,000 runs of each property).
import { spawn } from 'node:child_process';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureDependencies, root } from './lib/provision.mjs';

const { values, positionals } = parseArgs({
  options: { runs: { type: 'string', default: '10000' }, seed: { type: 'string' } },
  allowPositionals: true,
});

const run = (args, env = {}) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
    child.once('exit', (code) => resolve(code ?? 1));
  });

await ensureDependencies();
const built = await run(['esbuild.mjs', '--tests']);
const files = positionals.length > 0 ? positionals : ['test/unit/**/*.property.test.ts'];
const compiled = files.map((file) => path.join('out', file).replace(/\.ts$/, '.js'));
const seed = values.seed === undefined ? {} : { HOLDFAST_SEED: values.seed };
const mocha = ['node_modules/mocha/bin/mocha.js', '--exit', '--timeout', '0', ...compiled];
process.exitCode = built || (await run(mocha, { HOLDFAST_RUNS: values.runs, ...seed }));
