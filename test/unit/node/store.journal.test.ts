import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { Faults, withFaults } from '../../../src/node/faults';
import { type FsCalls, realFs } from '../../../src/node/fs';
import { NodeStore } from '../../../src/node/store';
import { JournalFile } from '../../../src/node/store/journalFile';
import { RunFiles } from '../../../src/node/store/layout';
import { encodeRecord, parseJournal } from '../../../src/node/store/journalText';
import { until, useFolder, withoutSync } from './helpers';
import { DURABLE, record, seqs } from './runs';

const FAST = { sync: false, boundary: false };

describe('store: the journal', () => {
  const folder = useFolder();
  const journal = (): string => folder.at('runs/r1/journal.jsonl');
  const bytes = (): Buffer => readFileSync(journal());
  async function tail(store = new NodeStore({ dir: folder.dir })): Promise<{ seqs: number[]; damage: string[] }> {
    const loaded = await store.load('r1');
    return { seqs: seqs(loaded?.tail ?? []), damage: loaded?.damage ?? [] };
  }

  it('a line is checked by its sum, member by member', () => {
    const line = encodeRecord(record(7));
    assert.match(line, /^\{"seq":7,"at":1007,"event":\{.*\},"sum":"[0-9a-f]{16}"\}\n$/);
    assert.deepEqual(parseJournal(Buffer.from(line), 'j').records, [record(7)]);
    for (let at = 0; at < line.length - 1; at += 1) {
      const changed = Buffer.from(line);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const { records, torn, damage } = parseJournal(changed, 'j');
      assert.ok(records.length === 0 && (torn || damage !== undefined), `byte ${at}`);
    }
  });

  it('any text comes back as it was', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('__proto__', '\u2028', '\ud800', ',"sum":"0123456789abcdef"}'),
    );
    fc.assert(
      fc.property(text, fc.nat(), (words, seq) => {
        const one = record(seq, words);
        assert.deepEqual(parseJournal(Buffer.from(encodeRecord(one)), 'j').records, [one]);
      }),
      { numRuns: 300 },
    );
  });

  it('torn at every byte of the last line: the others load, and the next append is not glued to the rest', async function () {
    this.timeout(60_000);
    mkdirSync(folder.at('runs/r1'), { recursive: true });
    const kept = encodeRecord(record(1)) + encodeRecord(record(2));
    const last = Buffer.from(encodeRecord(record(3, '\u00e9')));
    const store = new NodeStore({ dir: folder.dir, fs: withoutSync });
    for (let length = 0; length < last.length; length += 1) {
      writeFileSync(journal(), Buffer.concat([Buffer.from(kept), last.subarray(0, length)]));
      assert.deepEqual(await tail(store), { seqs: [1, 2], damage: [] });
      const run = await store.open('r1');
      assert.equal(bytes().toString(), kept);
      await run.append([record(3, '\u00e9')], FAST);
      await run.close();
      assert.equal(bytes().toString(), kept + last.toString());
    }
  });

  it('zeros after a power cut are a torn end', async () => {
    mkdirSync(folder.at('runs/r1'), { recursive: true });
    writeFileSync(journal(), Buffer.concat([Buffer.from(encodeRecord(record(1))), Buffer.alloc(100)]));
    assert.deepEqual(await tail(), { seqs: [1], damage: [] });
  });

  it('a damaged middle: what lies before it loads, and it is said', async () => {
    mkdirSync(folder.at('runs/r1'), { recursive: true });
    const lines = Array.from({ length: 100 }, (_, n) => encodeRecord(record(n + 1)));
    lines[49] = 'garbage\n';
    writeFileSync(journal(), lines.join(''));
    const loaded = await tail();
    assert.equal(loaded.seqs.length, 49);
    assert.match(loaded.damage.join(), /journal\.jsonl: line 50 is damaged; it and 50 lines/);
    // going on keeps the damaged file under another name and can be loaded
    const run = await new NodeStore({ dir: folder.dir }).open('r1');
    await run.append([record(50)], DURABLE);
    await run.close();
    assert.deepEqual(await tail(), { seqs: Array.from({ length: 50 }, (_, n) => n + 1), damage: [] });
    assert.equal(readFileSync(`${journal()}.damaged-1`, 'utf8'), lines.join(''));
  });

  it('a gap in the numbers is damage', async () => {
    mkdirSync(folder.at('runs/r1'), { recursive: true });
    writeFileSync(journal(), encodeRecord(record(1)) + encodeRecord(record(3)));
    const loaded = await tail();
    assert.deepEqual(loaded.seqs, [1]);
    assert.match(loaded.damage.join(), /out of order \(3 after 1\)/);
  });

  it('appends at once are answered in order and share a sync', async () => {
    let syncs = 0;
    const counting = new NodeStore({
      dir: folder.dir,
      fs: {
        ...realFs,
        async open(path, options) {
          const file = await realFs.open(path, options);
          return { ...file, datasync: () => ((syncs += 1), file.datasync()) };
        },
      },
    });
    const run = await counting.open('r1');
    const order: number[] = [];
    syncs = 0;
    await Promise.all(
      Array.from({ length: 50 }, (_, n) => run.append([record(n + 1)], DURABLE).then(() => order.push(n + 1))),
    );
    assert.deepEqual(
      order,
      Array.from({ length: 50 }, (_, n) => n + 1),
    );
    assert.ok(syncs <= 3, `${syncs} syncs`);
    assert.equal(run.journalBytes, bytes().length);
    await run.close();
    assert.deepEqual((await tail()).seqs, order);
  });

  it('after a failed write or sync nothing of it is found, and the next one works', async () => {
    const faults = new Faults();
    const store = new NodeStore({ dir: folder.dir, fs: withFaults(realFs, faults) });
    const run = await store.open('r1');
    await run.append([record(1)], DURABLE);
    for (const op of ['write', 'fsync'] as const) {
      faults.add({ op, path: (one) => one.endsWith('journal.jsonl'), error: 'ENOSPC', times: 1 });
      await assert.rejects(run.append([record(2)], DURABLE), { code: 'ENOSPC' });
      assert.deepEqual((await tail()).seqs, [1]);
    }
    await run.append([record(2)], DURABLE);
    await run.close();
    assert.deepEqual(await tail(), { seqs: [1, 2], damage: [] });
    await assert.rejects(run.append([record(3)], DURABLE), /closed/);
  });

  it('a failure that cannot be cut off at once is cut off before the next write', async () => {
    const faults = new Faults();
    const path = (one: string): boolean => one.endsWith('journal.jsonl');
    const store = new NodeStore({ dir: folder.dir, fs: withFaults(realFs, faults) });
    const run = await store.open('r1');
    await run.append([record(1)], DURABLE);
    faults.add({ op: 'fsync', path, error: 'EIO', times: 3 }); // the append's, the cut's, and the next cut's
    await assert.rejects(run.append([record(2, 'long '.repeat(100))], DURABLE));
    await assert.rejects(run.append([record(2)], DURABLE));
    await run.append([record(2)], DURABLE);
    await run.close();
    assert.deepEqual(await tail(), { seqs: [1, 2], damage: [] });
  });

  it('at a boundary it asks the probe, and writes in halves where a test wants that', async () => {
    const seen: string[] = [];
    let release = (): void => undefined;
    const store = new NodeStore({
      dir: folder.dir,
      probe: { at: (point, step) => (seen.push(`${point} ${step}`), Promise.resolve()) },
      midWrite: (step) => {
        seen.push(`mid ${step}`);
        return new Promise((resolve) => (release = resolve));
      },
    });
    const run = await store.open('r1');
    await run.append([record(1)], FAST);
    assert.deepEqual(seen, []);
    const before = bytes().length;
    const written = run.append([record(2), record(3)], DURABLE);
    await until('the middle', () => seen.length === 2);
    assert.deepEqual(seen, ['checkpoint:beforeWrite 3', 'mid 3']);
    assert.ok(bytes().length > before && bytes().length < before + encodeRecord(record(2)).length * 2);
    release();
    await written;
    await run.close();
    assert.deepEqual((await tail()).seqs, [1, 2, 3]);
  });

  it('a new file in which another window writes by now is left alone', async () => {
    mkdirSync(folder.at('runs/r1'), { recursive: true });
    let taken = false;
    const theirs = encodeRecord(record(2));
    const fs: FsCalls = {
      ...withoutSync,
      async rename(from, to) {
        await realFs.rename(from, to);
        taken = true;
        writeFileSync(from, theirs);
      },
    };
    const mayWrite = (): Promise<void> =>
      taken ? Promise.reject(Object.assign(new Error('taken'), { code: 'LEASED' })) : Promise.resolve();
    const file = new JournalFile(fs, new RunFiles(folder.at('runs/r1')), 'r1', { mayWrite });
    await file.open(undefined);
    await file.append([record(1)], FAST);
    await file.rotate();
    await assert.rejects(file.append([record(2, 'ours')], FAST), { code: 'LEASED' });
    assert.equal(bytes().toString(), theirs);
    await assert.rejects(
      file.rotate().then(() => file.append([record(2)], FAST)),
      { code: 'LEASED' },
    );
    await file.close();
    assert.equal(bytes().toString(), theirs);
  });

  it('removes what a killed writer left', async () => {
    const scrap = `.holdfast-${'00'.repeat(12)}.tmp`;
    mkdirSync(folder.at('runs/r1'), { recursive: true });
    mkdirSync(folder.at('runs', scrap));
    mkdirSync(folder.at('blobs'));
    for (const name of ['', 'blobs/', 'runs/r1/', `runs/${scrap}/`])
      appendFileSync(folder.at(`${name}${scrap}x`.slice(0, -1)), '');
    await (await new NodeStore({ dir: folder.dir }).open('r1')).close();
    assert.deepEqual(
      [readdirSync(folder.dir), readdirSync(folder.at('runs')), readdirSync(folder.at('blobs'))],
      [['blobs', 'runs'], ['r1'], []],
    );
    assert.equal(existsSync(folder.at('runs/r1', scrap)), false);
  });
});
