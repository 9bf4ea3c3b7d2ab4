// npm run integration: the tests in test/vscode/integration, inside the extension host of a real VS Code.
//   npm run integration -- PATTERN     only those whose name matches
//   HOLDFAST_EXTENSION, HOLDFAST_ENTRY: the folder of another build of the extension, another program in its host (the benches)
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  ensureBrowser,
  ensureBuild,
  ensureDependencies,
  ensureHost,
  fail,
  hostSupported,
  isBuilt,
  root,
  cacheRoot,
} from './lib/provision.mjs';
import { run } from './lib/steps.mjs';

async function main() {
  await ensureDependencies();
  const { HOLDFAST_EXTENSION: extension = root, HOLDFAST_ENTRY: entry } = process.env;
  if (!entry) {
    await ensureBuild();
    if (!isBuilt()) await run(process.execPath, ['esbuild.mjs', '--tests']);
  }
  const { runTests } = await import('@vscode/test-electron');
  const hosted = hostSupported();
  if (hosted) {
    await ensureHost();
    await ensureBrowser();
  }
  const base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-integration-')));
  const folder = path.join(base, 'workspace');
  const userData = path.join(base, 'u');
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, 'readme.txt'), 'one\ntwo\nthree\n');
  try {
    const code = await runTests({
      // Linux x64: VS Code's own server and web workbench, from npm. Elsewhere the desktop one is downloaded.
      ...(hosted
        ? { vscodeExecutablePath: path.join(root, 'test', 'host', 'vscode-hosted.mjs') }
        : { cachePath: path.join(cacheRoot(), 'desktop') }),
      extensionDevelopmentPath: extension,
      extensionTestsPath: entry ?? path.join(root, 'out', 'test', 'vscode', 'integration.js'),
      // Both folders here: runTests would put them into the checkout otherwise.
      launchArgs: [
        folder,
        '--disable-workspace-trust',
        `--user-data-dir=${userData}`,
        `--extensions-dir=${path.join(base, 'x')}`,
      ],
      extensionTestsEnv: {
        HOLDFAST_TEST_FOLDER: folder,
        HOLDFAST_TEST_USER_DATA: userData,
        HOLDFAST_TEST_GREP: process.argv[2] ?? '',
      },
    });
    process.exitCode = code;
  } finally {
    fs.rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

main().catch(fail);
