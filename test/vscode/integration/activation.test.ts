import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { commands } from 'vscode';
import { COMMANDS } from '../../../src/vscode/ids';
import { api, clean, extension } from './support';

describe('activation', () => {
  const reads = new Set<string>();
  let ms: number | undefined;

  before(async () => {
    assert.ok(extension, 'the extension is installed');
    if (extension.isActive) return;
    const stop = watchReads((file) => reads.add(file));
    const from = performance.now();
    await extension.activate();
    ms = performance.now() - from;
    stop();
  });
  after(clean);

  it('gives the API, version 1', async () => {
    const holdfast = await api();
    assert.equal(holdfast.version, 1);
    assert.deepEqual([typeof holdfast.startRun, holdfast.runs()], ['function', []]);
  });

  it('takes little time, and without a run loads neither engine nor model provider', function () {
    if (ms === undefined) return this.skip(); // the window was quicker than the test
    console.log(`    activation: ${ms.toFixed(0)} ms, its own code and its loading`);
    const ours = [...reads].filter((file) => file.includes(`${path.sep}dist${path.sep}`));
    assert.ok(!ours.some((file) => /(engine|models)\.js$/.test(file)), `read: ${ours.join(', ')}`);
    const stored = [...reads].filter((file) => file.includes('workspaceStorage'));
    assert.ok(
      stored.every((file) => !/[\\/](runs|blobs)[\\/]/.test(file)),
      `read of the storage: ${stored.join(', ')}`,
    );
  });

  it('registers every command there is', async () => {
    const known = new Set(await commands.getCommands(true));
    const missing = COMMANDS.filter((id) => !known.has(id));
    assert.deepEqual(missing, []);
  });
});

/** Calls back with each file that is read or listed by name, until the answer is called. */
function watchReads(seen: (file: string) => void): () => void {
  const undo: (() => void)[] = [];
  const wrap = (holder: object, name: string): void => {
    const original: unknown = Reflect.get(holder, name);
    if (typeof original !== 'function') return;
    Reflect.set(holder, name, function (this: unknown, ...given: unknown[]): unknown {
      if (typeof given[0] === 'string') seen(given[0]);
      return Reflect.apply(original as (...all: unknown[]) => unknown, this, given);
    });
    undo.push(() => Reflect.set(holder, name, original));
  };
  for (const name of ['readFileSync', 'readFile', 'readdirSync', 'readdir', 'openSync', 'open']) wrap(fs, name);
  for (const name of ['readFile', 'readdir', 'open']) wrap(fs.promises, name);
  return () => undo.forEach((one) => one());
}
