// `npm run simulate -- [--seed S] [--runs N] [--history FILE]`: the real core on a simulated world, one history a seed.
// `npm run simulate -- --faults [--seed S] [--only WORDS]`: faults put in on purpose, and how many histories find each.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { faults, withFault } from '../test/sim/faults.mjs';
import { ensureDependencies, root } from './lib/provision.mjs';

/** Within so many histories a fault must be found. */
const ENOUGH = 5000;

const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args[args.indexOf(name) + 1] : undefined);

async function build(name, plugins = []) {
  const esbuild = await import('esbuild');
  const outfile = path.join(root, 'out', 'simulate', `${name}.js`);
  await esbuild.build({
    absWorkingDir: root,
    entryPoints: ['test/sim/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    mainFields: ['module', 'main'],
    sourcemap: 'linked',
    logLevel: 'error',
    plugins,
  });
  return outfile;
}

function run(file, given, stdio) {
  const child = spawn(process.execPath, ['--enable-source-maps', file, ...given], { stdio });
  let output = '';
  child.stdout?.on('data', (data) => (output += data));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code: code ?? 1, output })));
}

async function findFaults() {
  const seed = option('--seed') ?? String(Date.now() % 2 ** 31);
  const only = option('--only');
  let missed = 0;
  for (const [n, fault] of faults.entries()) {
    if (only !== undefined && !fault.name.includes(only)) continue;
    const file = await build(`fault-${n}`, [withFault(fault, root)]);
    const given = ['--seed', seed, '--runs', String(ENOUGH), '--first'];
    const { code, output } = await run(file, given, ['ignore', 'pipe', 'inherit']);
    const found = /^history (\d+) is wrong.*\n(.*)/m.exec(output);
    const is = code === 1 && found ? `found by history ${found[1]}:${found[2].replace(/ +/g, ' ')}` : 'NOT FOUND';
    if (code !== 1 || !found) missed += 1;
    console.log(`${fault.name}: ${is}`);
  }
  console.log(`${missed} not found within ${ENOUGH} histories from seed ${seed}`);
  return missed === 0 ? 0 : 1;
}

await ensureDependencies();
process.exitCode = args.includes('--faults')
  ? await findFaults()
  : (await run(await build('main'), args, 'inherit')).code;
