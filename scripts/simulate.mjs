// `npm run simulate -- [--seed S] [--runs N] [--history FILE]`: the real core on a simulated world, one history a seed.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { ensureDependencies, root } from './lib/provision.mjs';

await ensureDependencies();
const esbuild = await import('esbuild');
const outfile = path.join(root, 'out', 'simulate', 'main.js');
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
});
const child = spawn(process.execPath, ['--enable-source-maps', outfile, ...process.argv.slice(2)], {
  stdio: 'inherit',
});
child.on('close', (code) => (process.exitCode = code ?? 1));
