import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { NodeStore } from '../../../src/node/store';
import { useFolder } from './helpers';
import { DURABLE, record, seqs, state } from './runs';

const CHILD = 'HOLDFAST_TEST_STORE_CHILD';
const childDir = process.env[CHILD];

if (childDir !== undefined) void writeForEver(childDir);
else {
  describe('store: killed while it writes', () => {
    const folder = useFolder();

    it('SIGKILL at 30 moments: no acknowledged record is lost, and each start goes on', async function () {
      this.timeout(600_000); // about 3 s on an idle machine
      let last = 0;
      for (let round = 1; round <= 30; round += 1) {
        const acknowledged = await killedWriter(folder.dir, 3 + ((round * 7) % 23));
        const run = await new NodeStore({ dir: folder.dir }).load('r1');
        assert.ok(run);
        assert.deepEqual(run.damage, [], `round ${round}`);
        const found = run.tail.at(-1)?.seq ?? run.snapshot?.seq ?? 0;
        assert.ok(found >= acknowledged, `round ${round}: ${acknowledged} were acknowledged, ${found} found`);
        assert.deepEqual(
          seqs(run.tail),
          Array.from({ length: run.tail.length }, (_, n) => (run.snapshot?.seq ?? 0) + n + 1),
        );
        for (const one of run.tail) assert.deepEqual(one, record(one.seq));
        assert.ok(found >= last);
        last = found;
      }
      assert.ok(last > 100, `${last} records`);
    });
  });
}

/** Starts a writer, kills it some records after its first and answers with the last number it called written. */
async function killedWriter(dir: string, records: number): Promise<number> {
  const env = { ...process.env, [CHILD]: dir };
  const child: ChildProcess = spawn(process.execPath, [__filename], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  let count = 0;
  child.stdout?.on('data', (bytes: Buffer) => {
    text += bytes.toString();
    count = text.split('\n').length - 1;
    if (count >= records) child.kill('SIGKILL');
  });
  await once(child, 'close');
  assert.ok(count >= records, `the writer ended by itself: ${text}`);
  return Number(text.slice(0, text.lastIndexOf('\n')).split('\n').at(-1));
}

/** One record after another, some at once, a snapshot now and then; each number is printed when it is durable. */
async function writeForEver(dir: string): Promise<void> {
  const store = new NodeStore({ dir });
  const run = await store.open('r1');
  const loaded = await store.load('r1');
  let seq = loaded?.tail.at(-1)?.seq ?? loaded?.snapshot?.seq ?? 0;
  for (;;) {
    const batch = [1, 2, 3].map((n) => record(seq + n));
    seq += batch.length;
    await Promise.all(batch.map((one) => run.append([one], DURABLE).then(() => process.stdout.write(`${one.seq}\n`))));
    if (seq % 5 === 0) await run.snapshot(state(seq));
  }
}
