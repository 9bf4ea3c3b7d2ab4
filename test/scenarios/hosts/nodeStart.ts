/**
 * Starts the process of the node host from code that was compiled once: a scenario starts it two to five times, and
 * compiling 2.7 MB took most of each start.
 */
import fs from 'node:fs';
import Module, { createRequire } from 'node:module';
import path from 'node:path';
import vm from 'node:vm';

const file = path.join(__dirname, 'nodeChild.js');
const kept = path.join(__dirname, 'nodeChild.compiled');

const code = new vm.Script(Module.wrap(fs.readFileSync(file, 'utf8')), { filename: file, ...known() });
const start = code.runInThisContext() as (...given: unknown[]) => void;
const module_ = { exports: {} };
start(module_.exports, createRequire(file), module_, file, __dirname);
if (code.cachedDataRejected !== false) keep(code.createCachedData());

function known(): { cachedData?: Buffer } {
  return fs.existsSync(kept) ? { cachedData: fs.readFileSync(kept) } : {};
}

/** Several processes may do this at once: each writes a whole file under the name. */
function keep(compiled: Buffer): void {
  const own = `${kept}.${process.pid}`;
  fs.writeFileSync(own, compiled);
  fs.renameSync(own, kept);
}
