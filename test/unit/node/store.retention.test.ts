import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { JournalRecord } from '../../../src/core/ports';
import { type FsCalls, realFs } from '../../../src/node/fs';
import { sha256 } from '../../../src/node/hash';
import { NodeStore } from '../../../src/node/store';
import { isRewritten } from '../../../src/node/store/packWriter';
import { bytesOf, dyingAfter, useFolder, withoutSync } from './helpers';
import { DURABLE, record } from './runs';

describe('store: retention', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const storage = (): string => folder.at('storage');
  const open = (fs: FsCalls = withoutSync): NodeStore => new NodeStore({ dir: storage(), fs });
  const packs = (): string[] => readdirSync(folder.at('storage/blobs')).filter((name) => name.endsWith('.pack'));
  const naming = (seq: number, ...contents: Uint8Array[]): JournalRecord => record(seq, contents.map(sha256).join(' '));
  const text = (name: string): Uint8Array => bytesOf(`${name}: ${'some words that compress well '.repeat(40)}`);

  /** A run that names contents, closed. */
  async function run(store: NodeStore, runId: string, ...contents: Uint8Array[]): Promise<void> {
    const opened = await store.open(runId);
    for (const one of contents) await store.blobs.put(one);
    await opened.append([naming(1, ...contents)], DURABLE);
    await opened.close();
  }
  const has = async (store: NodeStore, content: Uint8Array): Promise<boolean> => {
    const found = await store.blobs.get(sha256(content));
    assert.ok(found === undefined || Buffer.compare(found, content) === 0, 'wrong bytes');
    return found !== undefined;
  };

  it('a removed run frees what nobody else names, in the session that wrote it too', async () => {
    const store = open();
    const [own, shared] = [text('own'), text('shared')];
    await run(store, 'a', own, shared);
    await run(store, 'b', shared);
    await store.remove('a');
    await store.retention.collect(true);
    for (const one of [store, open()]) assert.deepEqual([await has(one, own), await has(one, shared)], [false, true]);
    await store.remove('b');
    await store.retention.collect(true);
    assert.deepEqual(packs(), []);
    await run(store, 'c', own);
    assert.ok(await has(open(), own));
  });

  it('keeps a content that was put and is named by no record yet', async () => {
    const store = open();
    const content = text('on its way');
    await run(store, 'old', content);
    await store.remove('old');
    const later = await store.open('new');
    await store.blobs.put(content); // stands already, in the pack that is about to be cleaned
    await store.blobs.flush();
    await store.retention.collect(true);
    await later.append([naming(1, content)], DURABLE);
    await later.close();
    assert.ok(await has(open(), content));
  });

  it('keeps what is named while it cleans, by whom it may be: a fork names what its run named', async () => {
    const content = text('of the other run');
    for (let turns = 0; turns < 40; turns += 4) {
      const store = open();
      await run(store, 'a', content);
      const fork = await store.open('fork');
      await store.remove('a');
      const cleaning = store.retention.collect(true);
      for (let n = 0; n < turns; n += 1) await new Promise(setImmediate);
      const stood = (await store.blobs.get(sha256(content))) !== undefined;
      await fork.append([naming(1, content)], DURABLE);
      await cleaning;
      await store.retention.collect(true);
      await fork.close();
      if (stood && turns < 8) assert.ok(await has(open(), content), `after ${turns} turns`);
      rmSync(storage(), { recursive: true });
    }
  });

  it('compresses, and what it compressed is read, checked and not written again', async () => {
    const store = open();
    const contents = Array.from({ length: 30 }, (_, n) => text(`content ${n}`));
    await run(store, 'a', ...contents);
    const before = packs().reduce((sum, name) => sum + statSync(folder.at('storage/blobs', name)).size, 0);
    await store.retention.collect(true);
    assert.deepEqual(packs().map(isRewritten), [true]);
    const after = statSync(folder.at('storage/blobs', packs()[0] ?? '')).size;
    assert.ok(after < before / 2, `${before} to ${after}`);
    for (const one of contents) assert.ok((await has(store, one)) && (await has(open(), one)));
    const [name] = packs();
    await store.retention.collect(true);
    assert.deepEqual(packs(), [name]);
    await run(open(), 'b', ...contents);
    assert.deepEqual(packs(), [name], 'what stands compressed is not written again');
  });

  it('whatever is named, in whatever file and wherever in it, stays', async () => {
    const store = open();
    const contents = Array.from({ length: 4 }, (_, n) => text(`content ${n}`));
    await run(store, 'a', ...contents, text('nobody'));
    await run(store, 'b');
    const [one, two, three, four] = contents.map(sha256);
    await store.remove('a');
    writeFileSync(
      folder.at('storage/runs/b/journal.jsonl.damaged-1'),
      `${'x'.repeat(256 * 1024 - 30)}${one}\0${'a'.repeat(99)}${two}${three}bc`,
    );
    writeFileSync(folder.at('storage/runs/b/state.json.prev'), `{"x":"\\"${four}\\"`);
    await store.retention.collect(true);
    for (const content of contents) assert.ok(await has(open(), content));
    assert.equal(await has(open(), text('nobody')), false);
  });

  it('stopped after any call of the file system, nothing that is named is lost, and the next cleaning ends it', async () => {
    for (let allowed = 0; ; allowed += 1) {
      const store = open();
      const kept = Array.from({ length: 3 }, (_, n) => text(`kept ${n}`));
      await run(store, 'gone', ...kept, text('freed'));
      await run(store, 'b', ...kept);
      await store.remove('gone');
      let left = allowed;
      const cleaning = open(dyingAfter(() => left-- > 0));
      const whole = await cleaning.retention.collect(true).then(
        () => true,
        () => false,
      );
      for (const one of kept) assert.ok(await has(open(), one), `after ${allowed} calls`);
      const next = open();
      await next.retention.collect(true);
      for (const one of kept) assert.ok(await has(open(), one), `after ${allowed} calls and another cleaning`);
      assert.equal(await has(open(), text('freed')), false, `after ${allowed} calls`);
      assert.ok(readdirSync(folder.at('storage/blobs')).every((name) => !name.endsWith('.tmp')));
      await next.remove('b');
      if (whole) {
        assert.ok(allowed > 10, `${allowed} calls`);
        break;
      }
    }
  });

  it('runs put and end while it cleans: every content that a record names is there (property)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.array(fc.nat(6), { maxLength: 4 })), {
          minLength: 1,
          maxLength: 14,
        }),
        async (acts) => {
          rmSync(storage(), { recursive: true, force: true });
          const store = open();
          const named = new Map<string, number[]>();
          let count = 0;
          const cleanings: Promise<void>[] = [];
          for (const [act, contents] of acts) {
            const runId = `run${(count += 1)}`;
            if (act === 0) cleanings.push(store.retention.collect(true));
            else if (act === 1) {
              const oldest = [...named.keys()][0];
              if (oldest !== undefined) {
                named.delete(oldest);
                await store.remove(oldest);
              }
            } else {
              await run(store, runId, ...contents.map((n) => text(`content ${n}`)));
              named.set(runId, contents);
            }
          }
          for (const done of await Promise.allSettled(cleanings)) assert.equal(done.status, 'fulfilled');
          for (const n of [...named.values()].flat()) assert.ok(await has(store, text(`content ${n}`)), `${n}`);
          for (const n of [...named.values()].flat()) assert.ok(await has(open(), text(`content ${n}`)), `${n} anew`);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a pack of another process that lives, and one of a newer version, are left alone', async () => {
    const store = open();
    await run(store, 'a', text('x'));
    const [name] = packs();
    const foreign = path.join(storage(), 'blobs', '0mabcdefg-1-00000000.pack');
    writeFileSync(foreign, readFileSync(folder.at('storage/blobs', name ?? '')));
    const newer = Buffer.from(readFileSync(foreign));
    newer.writeUInt16LE(99, 6);
    const other = path.join(storage(), 'blobs', '0mabcdefg-0-00000001.pack');
    writeFileSync(other, newer);
    await store.remove('a');
    await open().retention.collect(true);
    await store.retention.collect(true);
    assert.ok(existsSync(foreign) && existsSync(other));
  });

  it('says what runs take without reading what has not changed, and which are pinned', async () => {
    const store = open();
    await run(store, 'a', text('x'), text('y'));
    await run(store, 'b', text('y'));
    await store.retention.pin('b', true);
    const first = await open().retention.survey(new Map());
    const a = first.runs.get('a');
    const files = readdirSync(folder.at('storage/runs/a')).map(
      (name) => statSync(folder.at('storage/runs/a', name)).size,
    );
    assert.equal(
      a?.own,
      files.reduce((total, one) => total + one, 0),
    );
    assert.equal(a.contents, text('x').length + text('y').length);
    assert.ok(first.total > a.own + (first.runs.get('b')?.own ?? 0) + a.contents);
    assert.deepEqual([...first.pinned], ['b']);
    const opened: string[] = [];
    const watching: FsCalls = { ...realFs, open: (file, options) => (opened.push(file), realFs.open(file, options)) };
    const again = await open(watching).retention.survey(first.runs);
    assert.deepEqual(again.runs, first.runs);
    assert.deepEqual(
      opened.filter((file) => file.includes('runs')),
      [],
    );
    await store.retention.pin('b', false);
    assert.deepEqual([...(await open().retention.survey(first.runs)).pinned], []);
  });

  it('what others share counts for the last of them: as many go as it takes', async () => {
    const store = open();
    const large = Buffer.alloc(100_000, 'large');
    for (const runId of ['a', 'b', 'c']) await run(store, runId, large);
    await run(store, 'd', text('d'));
    await store.blobs.index.refresh();
    assert.deepEqual(await store.retention.surplus(['a', 'b', 'c', 'd'], 50_000), ['a', 'b', 'c']);
    assert.deepEqual(await store.retention.surplus(['a', 'b', 'c', 'd'], 1), ['a']);
    assert.deepEqual(await store.retention.surplus(['a', 'b', 'c', 'd'], 0), []);
  });
});
