import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { Faults, withFaults } from '../../../src/node/faults';
import { type FsCalls, realFs } from '../../../src/node/fs';
import { sha256 } from '../../../src/node/hash';
import { NodeStore } from '../../../src/node/store';
import { bytesOf, tree, useFolder, withoutSync } from './helpers';
import { DURABLE, record } from './runs';

describe('store: blobs', function () {
  this.timeout(60_000); // on a busy disk a sync takes its time
  const folder = useFolder();
  const storage = (): string => folder.at('storage');
  const open = (fs?: FsCalls): NodeStore =>
    new NodeStore(fs === undefined ? { dir: storage() } : { dir: storage(), fs });
  const packs = (): string[] => readdirSync(folder.at('storage/blobs')).filter((name) => name.endsWith('.pack'));
  const pack = (n = 0): string => folder.at('storage/blobs', packs()[n] ?? 'none');
  const bytes = bytesOf('some text, long enough to be looked for');
  /** Put and written, as the journal does before its records. */
  async function keep(store: NodeStore, ...contents: Uint8Array[]): Promise<void> {
    await Promise.all(contents.map((one) => store.blobs.put(one)));
    await store.blobs.flush();
  }
  const count = (file: string, part: Uint8Array): number =>
    readFileSync(file, 'latin1').split(Buffer.from(part).toString('latin1')).length - 1;

  it('keeps contents once, whoever puts them', async () => {
    const store = open();
    const [hash, again] = await Promise.all([store.blobs.put(bytes), store.blobs.put(bytes)]);
    assert.deepEqual([hash, again], [sha256(bytes), sha256(bytes)]);
    assert.deepEqual(await store.blobs.get(hash), Buffer.from(bytes), 'before it is written');
    await store.blobs.flush();
    assert.deepEqual(await store.blobs.get(hash), Buffer.from(bytes));
    await keep(open(), bytes);
    await keep(store, bytes);
    assert.equal(packs().length, 1);
    assert.equal(count(pack(), bytes), 1);
    assert.equal(statSync(pack()).mode & 0o777, 0o600);
    assert.equal(await store.blobs.get('../../x'), undefined);
    assert.equal(await store.blobs.get('0'.repeat(64)), undefined);
  });

  it('what another store puts later is found', async () => {
    const [one, two] = [open(), open()];
    await keep(one, bytes);
    assert.deepEqual(await two.blobs.get(sha256(bytes)), Buffer.from(bytes));
    const later = bytesOf('later');
    await keep(one, later);
    assert.deepEqual(await two.blobs.get(sha256(later)), Buffer.from(later));
    assert.equal(packs().length, 1, 'nothing was put by the second');
  });

  it('any contents come back, in the same store and in the next', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 20 }), async (contents) => {
        const store = open(withoutSync);
        await keep(store, ...contents);
        const next = open(withoutSync);
        for (const one of contents) {
          assert.deepEqual(await store.blobs.get(sha256(one)), Buffer.from(one));
          assert.deepEqual(await next.blobs.get(sha256(one)), Buffer.from(one));
        }
        await store.blobs.close();
        await next.blobs.close();
        rmSync(storage(), { recursive: true, force: true });
      }),
      { numRuns: 50 },
    );
  });

  it('a content that was spoilt, cut off or removed is not given, and put again it is there', async () => {
    const spoil: ((file: string) => void)[] = [
      (file) => writeFileSync(file, readFileSync(file, 'latin1').replace('some text', 'sume text'), 'latin1'),
      (file) => truncateSync(file, 40),
      (file) => rmSync(file),
      (file) => rmSync(path.dirname(file), { recursive: true }),
    ];
    for (const one of spoil) {
      const store = open();
      await keep(store, bytes);
      one(pack());
      assert.equal(await open().blobs.get(sha256(bytes)), undefined);
      // the store that wrote it does not trust its memory either
      await keep(store, bytes);
      assert.deepEqual(await store.blobs.get(sha256(bytes)), Buffer.from(bytes));
      assert.deepEqual(await open().blobs.get(sha256(bytes)), Buffer.from(bytes));
      await store.blobs.close();
      rmSync(storage(), { recursive: true });
    }
  });

  it('whatever bit of a pack flips, every content but that one is found', async () => {
    const store = open(withoutSync);
    const contents = ['first', 'the second one', 'third'].map(bytesOf);
    for (const one of contents) await keep(store, one);
    const whole = readFileSync(pack());
    for (let bit = 0; bit < whole.length * 8; bit += 5) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      writeFileSync(pack(), flipped);
      const next = open(withoutSync);
      const found = await Promise.all(contents.map((one) => next.blobs.get(sha256(one))));
      const right = found.filter((one, n) => one !== undefined && Buffer.compare(one, contents[n] ?? one) === 0);
      assert.ok(right.length >= 2, `bit ${bit}: ${right.length}`);
      assert.equal(right.length, found.filter((one) => one !== undefined).length, `bit ${bit}: wrong bytes`);
      await next.blobs.close();
    }
  });

  it('a pack cut off at any byte gives the contents before the cut', async () => {
    const store = open(withoutSync);
    const contents = ['first', 'the second one', 'third'].map(bytesOf);
    const ends: number[] = [];
    for (const one of contents) {
      await keep(store, one);
      ends.push(statSync(pack()).size);
    }
    const whole = readFileSync(pack());
    for (let length = whole.length; length >= 0; length -= 1) {
      writeFileSync(pack(), whole.subarray(0, length));
      const next = open(withoutSync);
      const found = await Promise.all(contents.map((one) => next.blobs.get(sha256(one))));
      assert.deepEqual(
        found.map((one) => one !== undefined),
        ends.map((end) => end <= length),
        `cut at ${length}`,
      );
      await next.blobs.close();
    }
  });

  it('contents stored one by one by version 1 are read, not written again, and mended where they are spoilt', async () => {
    const hash = sha256(bytes);
    const file = folder.at('storage/blobs', hash.slice(0, 2), hash);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    const store = open();
    assert.deepEqual(await store.blobs.get(hash), Buffer.from(bytes));
    await keep(store, bytes);
    assert.deepEqual(packs(), []);
    writeFileSync(file, 'spoilt');
    const next = open();
    assert.equal(await next.blobs.get(hash), undefined);
    await keep(next, bytes);
    assert.deepEqual(await next.blobs.get(hash), Buffer.from(bytes));
    assert.deepEqual(await open().blobs.get(hash), Buffer.from(bytes));
  });

  it('is on disk when the next durable record is: one sync for all contents of a step', async () => {
    const calls: string[] = [];
    const fs: FsCalls = {
      ...realFs,
      async open(name, options) {
        const file = await realFs.open(name, options);
        const kind = path.extname(name);
        return {
          ...file,
          write: (...args) => (calls.push(`write ${kind}`), file.write(...args)),
          datasync: () => (calls.push(`sync ${kind}`), file.datasync()),
        };
      },
    };
    const store = open(fs);
    const run = await store.open('r1');
    await store.blobs.put(bytesOf('0'));
    await run.append([record(1)], DURABLE);
    calls.length = 0;
    await Promise.all(['1', '2', '3'].map((text) => store.blobs.put(bytesOf(text))));
    assert.deepEqual(calls, [], 'what waits costs nothing');
    await run.append([record(2)], { sync: false, boundary: true });
    assert.deepEqual(calls, ['write .pack', 'write .jsonl'], 'contents before the record that may name them');
    calls.length = 0;
    await Promise.all(['4', '5', '6'].map((text) => store.blobs.put(bytesOf(text))));
    await run.append([record(3)], DURABLE);
    assert.deepEqual(calls.slice(0, 2), ['write .pack', 'write .jsonl']);
    assert.deepEqual(calls.slice(2).sort(), ['sync .jsonl', 'sync .pack']);
    calls.length = 0;
    await run.append([record(4)], DURABLE);
    assert.deepEqual(calls, ['write .jsonl', 'sync .jsonl']);
    await run.close();
  });

  it('a content that cannot be written fails the record that may name it, and goes with the next', async () => {
    const faults = new Faults();
    const store = open(withFaults(realFs, faults));
    const run = await store.open('r1');
    await store.blobs.put(bytes);
    for (const op of ['open', 'write'] as const) {
      for (const sync of [true, false]) {
        faults.add({ op, path: (one) => one.endsWith('.pack'), error: 'ENOSPC', times: 1 });
        await assert.rejects(run.append([record(1)], { sync, boundary: true }), { code: 'ENOSPC' });
        assert.deepEqual((await open().load('r1'))?.tail, [], 'no record that names what is nowhere');
        assert.equal(await open().blobs.get(sha256(bytes)), undefined);
        assert.deepEqual(await store.blobs.get(sha256(bytes)), Buffer.from(bytes), 'it waits');
      }
    }
    await run.append([record(1)], DURABLE);
    assert.deepEqual(await open().blobs.get(sha256(bytes)), Buffer.from(bytes));
    assert.equal(count(pack(), bytes), 1);
    assert.equal(
      tree(storage()).some(([name]) => name.endsWith('.tmp')),
      false,
    );
    await run.close();
  });

  it('what waits in memory is bounded: beyond it a content is written, or refused with the reason', async () => {
    const faults = new Faults();
    const store = open(withFaults(withoutSync, faults));
    const large = (n: number): Uint8Array => Buffer.alloc(3 * 1024 * 1024, `content ${n} `);
    const hashes = [1, 2].map((n) => sha256(large(n)));
    await Promise.all([store.blobs.put(large(1)), store.blobs.put(large(2))]);
    assert.equal(await open().blobs.get(hashes[0] ?? ''), undefined, 'not written yet');
    faults.add({ op: 'write', path: (one) => one.endsWith('.pack'), error: 'ENOSPC' });
    for (let n = 3; n < 6; n += 1) await assert.rejects(store.blobs.put(large(n)), { code: 'ENOSPC' });
    assert.equal(await store.blobs.get(sha256(large(3))), undefined, 'refused: not taken');
    faults.clear();
    await store.blobs.put(large(3));
    for (const hash of hashes) assert.ok(await open().blobs.get(hash), 'those before it are written');
    await store.blobs.close();
    assert.deepEqual(await open().blobs.get(sha256(large(3))), large(3), 'and the last one at the close');
  });

  it('a pack removed while contents wait for their sync: all of them are in another one', async () => {
    const store = open();
    const run = await store.open('r1');
    const later = bytesOf('later');
    await keep(store, bytes);
    rmSync(pack());
    await keep(store, later);
    await run.append([record(1)], DURABLE);
    for (const one of [bytes, later]) assert.deepEqual(await open().blobs.get(sha256(one)), Buffer.from(one));
    await run.close();
  });

  it('a failed sync fails the record, and what it may have lost is written again, to another pack', async () => {
    const faults = new Faults();
    const store = open(withFaults(realFs, faults));
    const run = await store.open('r1');
    await store.blobs.put(bytes);
    faults.add({ op: 'fsync', path: (one) => one.endsWith('.pack'), error: 'EIO', times: 2 });
    await assert.rejects(run.append([record(1)], DURABLE), { code: 'EIO' });
    assert.deepEqual((await open().load('r1'))?.tail, []);
    await run.append([record(1)], DURABLE);
    assert.ok(packs().length >= 2);
    assert.deepEqual(await store.blobs.get(sha256(bytes)), Buffer.from(bytes));
    for (const name of packs().sort().slice(0, -1)) rmSync(folder.at('storage/blobs', name));
    assert.deepEqual(await open().blobs.get(sha256(bytes)), Buffer.from(bytes));
    await run.close();
  });
});
