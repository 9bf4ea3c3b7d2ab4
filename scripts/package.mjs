// npm run package [-- FILE]: the VSIX, holdfast-VERSION.vsix in the project folder unless another file is named.
// vsce comes from npm's cache for this one run: it brings some hundred packages that nothing else here needs.
import fs from 'node:fs';
import path from 'node:path';
import { ensureDependencies, fail, root, say } from './lib/provision.mjs';
import { npm, run } from './lib/steps.mjs';

/** The last line that runs on Node 20. */
const VSCE = '@vscode/vsce@3.9.2';

async function main() {
  await ensureDependencies();
  await run(process.execPath, ['esbuild.mjs', '--production']);
  const { name, version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  const file = path.resolve(process.argv[2] ?? path.join(root, `${name}-${version}.vsix`));
  // everything is in the bundles: no node_modules go in; the pictures of the README are in the package too
  const options = ['--no-dependencies', '--no-rewrite-relative-links', '--allow-missing-repository', '--out', file];
  await npm(['exec', '--yes', `--package=${VSCE}`, '--', 'vsce', 'package', ...options], 'make the package');
  say(`package: ${path.relative(process.cwd(), file)}, ${(fs.statSync(file).size / 1024).toFixed(0)} KB`);
}

main().catch(fail);
