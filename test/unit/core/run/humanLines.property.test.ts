/**
 * A line of the human goes only after an approval that showed it, held against random agents beside random humans: on the disk, in
 * unsaved text, before a step and while a question is open. `HOLDFAST_RUNS`, `HOLDFAST_SEED` as elsewhere.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type Ask, PATHS, type Proposal, type Typing, Workshop } from './workshop';
import { SEED, runs } from '../../chance';

const RUNS = runs();

const at = fc.nat({ max: 12 });
const some = fc.nat({ max: 3 });
const proposal: fc.Arbitrary<Proposal> = fc.record({
  kind: fc.constantFrom('edit', 'edit', 'edit', 'write', 'write', 'read', 'delete', 'move'),
  ...{ at, take: some, put: some },
  /** A whole text made of what stands there, or of what was read last. */
  fresh: fc.boolean(),
  pauseBefore: fc.boolean(),
});
const typing: fc.Arbitrary<Typing> = fc.record({
  ...{ at, take: some, put: some },
  where: fc.constantFrom('disk', 'buffer', 'saved'),
});
const ask: fc.Arbitrary<Ask> = fc.record({
  grant: fc.boolean(),
  /** Changed while the question is open: the answer counts for what was shown. */
  meanwhile: fc.option(typing, { freq: 4 }),
  unsaved: fc.constantFrom('save', 'keep'),
});
/** Lines that look alike are the hard ones to keep apart. */
const base = fc.array(fc.constantFrom('a', 'b', '}', '', 'c', 'd'), { maxLength: 10 });

describe('lines of the human', () => {
  it(`go only after an approval that showed them (${RUNS} runs, seed ${SEED})`, async function () {
    this.timeout(0);
    const sum = { written: 0, approved: 0, asked: 0 };
    await fc.assert(
      fc.asyncProperty(
        base,
        fc.constantFrom('\n', '\r\n'),
        fc.array(proposal, { minLength: 1, maxLength: 6 }),
        fc.array(typing, { minLength: 1, maxLength: 6 }),
        fc.array(ask, { minLength: 1, maxLength: 4 }),
        async (lines, eol, proposals, typed, asks) => {
          const shop = new Workshop(lines.map((line) => line + eol).join(''), eol, proposals);
          await shop.play(typed, asks);
          assert.deepEqual(shop.wrong, []);
          const there = PATHS.map((path) => shop.text(path)).join('\n');
          for (const line of shop.alive) assert.ok(there.split(/\r?\n/).includes(line), `${line} is gone`);
          assert.deepEqual(shop.world.errors, []);
          sum.written += shop.written;
          sum.approved += shop.approved;
          sum.asked += shop.state.decisions.length;
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: process.env['HOLDFAST_SHRINK'] === undefined },
    );
    console.log(`      ${sum.written} lines typed, ${sum.approved} of them given up in ${sum.asked} questions`);
    assert.ok(RUNS < 1000 || sum.approved > RUNS / 50, `only ${sum.approved} were given up`);
  });
});
