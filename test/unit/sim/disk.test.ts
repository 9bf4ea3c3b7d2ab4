/** The store as it is shipped, on a disk that loses what was not synced. */
import assert from 'node:assert/strict';
import { DiskStore } from '../../sim/diskStore';
import { Random } from '../../sim/random';
import { Turns } from '../../sim/turns';
import { quiet } from '../../sim/turns';
import { record } from '../node/runs';

describe('store: on a disk that loses what was not synced', () => {
  it('the first record that was promised is found, its folders too (60 crashes)', async () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = new Random(seed);
      const turns = new Turns(random);
      const store = new DiskStore(turns, random);
      const finish = async <T>(work: Promise<T>): Promise<T> => {
        let over = false;
        void work.finally(() => (over = true)).catch(() => undefined);
        for (; !over; await quiet()) turns.give();
        return work;
      };
      const run = await finish(store.open('r1'));
      await finish(run.append([record(1)], { sync: true, boundary: true }));
      turns.drop();
      store.crash();
      const loaded = await finish(store.load('r1'));
      assert.deepEqual(loaded?.tail, [record(1)], `seed ${seed}`);
    }
  });
});
