/** The promises of product.md, held against random sessions: agent, human, stops and crashes in any order. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Session } from '../../sim/play/session';
import { options, sequences } from './session.arbitraries';

/** `HOLDFAST_RUNS`: more or fewer. `HOLDFAST_SEED`: the same again; with `HOLDFAST_SHRINK` a failure is made small. */
const RUNS = Number(process.env['HOLDFAST_RUNS'] ?? 1000);
const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 2 ** 31);

describe('random sessions', () => {
  it(`no human line is lost, nothing happens twice, every state loads (${RUNS} sequences, seed ${SEED})`, async function () {
    this.timeout(0);
    const from = performance.now();
    await fc.assert(
      fc.asyncProperty(options, sequences, async (given, sequence) => {
        const session = new Session(given);
        await session.begin();
        for (const act of sequence) await session.do(act);
        await session.end();
        assert.deepEqual(session.oracle.wrong, []);
      }),
      {
        numRuns: RUNS,
        seed: SEED,
        endOnFailure: process.env['HOLDFAST_SHRINK'] === undefined,
        ...(process.env['HOLDFAST_PATH'] ? { path: process.env['HOLDFAST_PATH'] } : {}),
      },
    );
    const s = (performance.now() - from) / 1000;
    console.log(`      ${RUNS} sequences in ${s.toFixed(1)} s, ${(RUNS / s).toFixed(0)} a second, seed ${SEED}`);
  });
});
