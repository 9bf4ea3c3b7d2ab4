import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, readdirSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as esbuild from 'esbuild';

/** The checkout: tests are bundled to out/test/unit. */
const root = path.resolve(__dirname, '../../..');

describe('bundles', () => {
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

  it('stay within their budgets: 300 KB for the main entry, 1.5 MB for all', () => {
    const dist = mkdtempSync(path.join(os.tmpdir(), 'holdfast-dist-'));
    try {
      execFileSync(process.execPath, ['esbuild.mjs', '--production', `--outdir=${dist}`], { cwd: root });
      const sizes = Object.fromEntries(readdirSync(dist).map((name) => [name, statSync(path.join(dist, name)).size]));
      console.log(`      sizes in bytes: ${JSON.stringify(sizes)}`);
      const all = Object.values(sizes).reduce((sum, size) => sum + size, 0);
      assert.ok((sizes['extension.js'] ?? Infinity) <= 300_000, `extension.js has ${sizes['extension.js']} bytes`);
      assert.ok(all <= 1_500_000, `all JavaScript has ${all} bytes`);
    } finally {
      rmSync(dist, { recursive: true, force: true });
    }
  });

  it('the main entry does not carry the model providers', () => {
    const source = readFileSync(path.join(root, 'src/extension.ts'), 'utf8');
    assert.doesNotMatch(source, /^import (?!type)[^;]*from '\.\/models/m);
  });
});
