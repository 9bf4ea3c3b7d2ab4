/**
 * The promises of product.md, held against random histories: agent, human, stops, full disks and crashes in any order. Each run
 * takes other seeds; a failure names its own.
 */
import assert from 'node:assert/strict';
import { historyOf } from '../../sim/play/history';
import { play } from '../../sim/play/session';
import { shrink } from '../../sim/play/shrink';
import { SEED, runs } from '../chance';

/** `HOLDFAST_RUNS`: more or fewer. `HOLDFAST_SEED`: the same again. */
const RUNS = runs(2000);

describe('random histories', () => {
  it(`no line of the human is lost, no step runs twice, every state loads (${RUNS}, seed ${SEED})`, async function () {
    this.timeout(0);
    const cpu = process.cpuUsage();
    const limit = Error.stackTraceLimit;
    // Each abort makes an error that nobody reads: their traces would cost a tenth of the time.
    Error.stackTraceLimit = 0;
    try {
      for (let n = 0; n < RUNS; n += 1) {
        const history = historyOf(SEED + n);
        const wrong = await play(history);
        if (wrong.length === 0) continue;
        const small = await shrink(history);
        Error.stackTraceLimit = limit;
        assert.fail(
          [
            `npm run simulate -- --seed ${history.seed} --runs 1`,
            ...wrong,
            `made small: ${JSON.stringify(small.history)}`,
          ].join('\n'),
        );
      }
    } finally {
      Error.stackTraceLimit = limit;
    }
    const { user, system } = process.cpuUsage(cpu);
    console.log(`      ${RUNS} histories in ${((user + system) / 1e6).toFixed(1)} s of CPU, seed ${SEED}`);
  });

  it('one seed is one history: played again it is the same to the last record', async () => {
    for (const seed of [11, 12, 13, 14, 15, 16]) {
      const [one, two] = [await trace(seed), await trace(seed)];
      assert.ok(one.length > 0);
      assert.deepEqual(one, two);
    }
  });
});

async function trace(seed: number): Promise<string[]> {
  const seen: string[] = [];
  const wrong = await play(historyOf(seed), (state) => void seen.push(JSON.stringify(state)));
  assert.deepEqual(wrong, []);
  return seen;
}
