import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { ArchiveError } from '../../../../src/core/transfer/archive';
import { NodeArchives } from '../../../../src/node/archive/archives';
import { countValues, type Limits, LIMITS } from '../../../../src/node/archive/limits';
import { realFs } from '../../../../src/node/fs';
import type { NodeStore } from '../../../../src/node/store';
import { useFolder } from '../../node/helpers';
import { granted, linesOf, type Machine, refused, write, useMachines } from './machine';

const HEAD = '{"holdfastRun":1,"runId":"a","schemaVersion":2,"exportedAt":1,"folders":[],"base":null}\n';

describe('what is taken in of a file', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const file = (): string => folder.at('run.holdfast-run');
  const open = useMachines(folder);
  async function machine(name: string, limits: Partial<Limits> = {}): Promise<Machine> {
    const made = await open(name);
    const { store } = made.ports;
    made.ports.archives = new NodeArchives({
      ...{ fs: realFs, dir: made.storage, store: store as NodeStore },
      limits: { ...LIMITS, ...limits },
    });
    return made;
  }

  it('is bounded: unpacked, the state, its values; nothing is written', async () => {
    const item = '{"list":"steps","item":[[],[],[],[],[],[],[],[]]}\n';
    writeFileSync(file(), gzipSync(`${HEAD}{"state":{"steps":[]}}\n${item.repeat(100_000)}`));
    assert.ok(readFileSync(file()).length < 50_000);
    for (const [limits, words] of [
      [{ unpacked: 1024 * 1024 }, /more than any run may \(unpacked more than 1 MB\)/],
      [{ state: 1024 * 1024 }, /a state of more than 1 MB/],
      [{ values: 50_000 }, /a state of more than 50000 values/],
      [{ values: 8 }, /a line of more than 8 values/],
    ] as const) {
      const one = await machine(`one-${Object.keys(limits)[0]}-${Object.values(limits)[0]}`, limits);
      const { code, message } = refused(await one.core.importRun({ target: file() }));
      assert.match(message, words);
      assert.equal(code, 'badArgument');
      assert.equal(existsSync(path.join(one.storage, 'runs')), false);
    }
  });

  it('is written only as far as it could be taken in again', async () => {
    const one = await machine('one', { unpacked: 4000 });
    const { runId } = await one.start([write('a.txt', 'a\n'.repeat(4000))]);
    assert.match(refused(await one.core.exportRun({ runId, target: file() })).message, /too large/);
    assert.equal(existsSync(file()), false);
  });

  it('values are counted outside of texts, and nesting has an end', () => {
    const of = (json: string): number => countValues(Buffer.from(json), 1000);
    assert.equal(of('{"a":"[,{\\",\\\\","b":[1,2]}'), 5);
    assert.ok(of(JSON.stringify({ a: [1, [2, { b: null }]] })) >= 6);
    assert.throws(() => countValues(Buffer.from(`[${'[],'.repeat(2000)}[]]`), 1000), ArchiveError);
    assert.throws(() => of('['.repeat(500)), /without end/);
  });

  it('a pipe and a device are refused at once, a link to a file is that file', async function () {
    if (process.platform === 'win32') this.skip();
    const one = await machine('one');
    const fifo = folder.at('fifo');
    execFileSync('mkfifo', [fifo]);
    for (const target of [fifo, '/dev/zero'])
      assert.match(refused(await one.core.importRun({ target })).message, /no plain file/);
    const { runId } = await one.start([write('a.txt', 'a\n')]);
    granted(await one.core.exportRun({ runId, target: file() }));
    assert.equal(linesOf(readFileSync(file()))[0]?.['runId'], runId);
    symlinkSync(file(), folder.at('link'));
    const two = await machine('two');
    granted(await two.core.importRun({ target: folder.at('link') }));
  });
});
