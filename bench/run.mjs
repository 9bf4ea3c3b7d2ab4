// `npm run bench -- NAME [--json] [options of the bench]`: builds bench/NAME.ts and starts it. Ends non-zero when a goal is missed.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { ensureDependencies, fail, root } from '../scripts/lib/provision.mjs';

const folder = path.join(root, 'bench');
const names = fs
  .readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -'.ts'.length));
const [name, ...args] = process.argv.slice(2);
if (!names.includes(name)) fail(`usage: npm run bench -- NAME [--json]\nNAME is one of: ${names.join(', ')}`);

await ensureDependencies();
const { build } = await import('esbuild');
const out = path.join(root, 'out', 'bench', `${name}.js`);
await build({
  absWorkingDir: root,
  entryPoints: [path.join('bench', `${name}.ts`), path.join('bench', 'lib', 'startupHost.ts')],
  outbase: 'bench',
  outdir: path.join(root, 'out', 'bench'),
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  // ES modules first: some packages have a CommonJS form that cannot be bundled
  mainFields: ['module', 'main'],
  external: ['vscode'],
  logLevel: 'error',
});
// without source maps: reading them at the first error takes a second, in the middle of what is measured
const child = spawn(process.execPath, ['--expose-gc', '--no-flush-bytecode', out, ...args], { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.once('exit', (code) => process.exit(code ?? 1));
