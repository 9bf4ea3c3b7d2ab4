import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as esbuild from 'esbuild';

/** The checkout: tests are bundled to out/test/unit. */
const root = path.resolve(__dirname, '../../..');

describe('bundles', function () {
  this.timeout(60_000);

  it('the core builds for a platform that has neither VS Code nor Node', async () => {
    const result = await esbuild.build({
      absWorkingDir: root,
      entryPoints: ['src/core/holdfast.ts'],
      bundle: true,
      platform: 'neutral',
      mainFields: ['module', 'main'],
      write: false,
      logLevel: 'silent',
    });
    assert.deepEqual(result.errors, []);
  });

  it('stay within their budgets: 150 KB for the main entry, 1.5 MB for all', () => {
    const dist = mkdtempSync(path.join(os.tmpdir(), 'holdfast-dist-'));
    try {
      execFileSync(process.execPath, ['esbuild.mjs', '--production', `--outdir=${dist}`], { cwd: root });
      const sizes = Object.fromEntries(readdirSync(dist).map((name) => [name, statSync(path.join(dist, name)).size]));
      console.log(`      sizes in bytes: ${JSON.stringify(sizes)}`);
      const all = Object.values(sizes).reduce((sum, size) => sum + size, 0);
      assert.ok((sizes['extension.js'] ?? Infinity) <= 150_000, `extension.js has ${sizes['extension.js']} bytes`);
      assert.ok(all <= 1_500_000, `all JavaScript has ${all} bytes`);
    } finally {
      rmSync(dist, { recursive: true, force: true });
    }
  });

  it('the main entry carries neither the engine nor the model providers', async () => {
    const { metafile } = await esbuild.build({
      absWorkingDir: root,
      entryPoints: ['src/extension.ts'],
      ...{ bundle: true, platform: 'node', format: 'cjs', external: ['vscode'], mainFields: ['module', 'main'] },
      ...{ write: false, metafile: true, logLevel: 'silent' },
    });
    const carried = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    );
    const heavy =
      /^(src\/(core\/(tools|reconcile|run\/(controller|transition|execute))|models|node\/(store|files|processes))|node_modules\/(lowdb|zod|diff|picomatch|ai|@ai-sdk))/;
    assert.deepEqual(
      carried.filter((file) => heavy.test(file)),
      [],
    );
  });
});
