/** A conflict as one text, for editors that know its marks. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hasMarks } from '../../../../src/core/conflictMarks';
import { merge3, withMarks } from '../../../../src/core/reconcile/merge3';
import { SEED } from '../../chance';

const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 8 }), fc.boolean())
  .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));

/** Each marked part replaced by one of its sides. */
const settled = (marked: string, side: 0 | 1): string[] => {
  const out: string[] = [];
  let at: 0 | 1 | undefined;
  for (const line of marked.split('\n')) {
    if (line === '<<<<<<< Yours') at = 0;
    else if (line === '=======' && at === 0) at = 1;
    else if (line === ">>>>>>> The agent's") at = undefined;
    else if (at === undefined || at === side) out.push(line);
  }
  return out;
};

describe(`a conflict with marks (seed ${SEED})`, () => {
  it('has the human’s lines above, the agent’s below, and what both agree on without marks', () => {
    const base = 'one\ntwo\nthree\nfour\nfive\n';
    const marked = withMarks(base, 'one\nTWO\nthree\nfour\nFIVE\n', 'one\nzwei\nthree\nfour\nfive\n');
    assert.equal(marked, "one\n<<<<<<< Yours\nzwei\n=======\nTWO\n>>>>>>> The agent's\nthree\nfour\nFIVE\n");
    assert.equal(hasMarks(marked ?? ''), true);
    assert.equal(hasMarks('one\n=======\n<<<<<<< HEAD\n'), false);
    assert.equal(hasMarks(`x\r\n<<<<<<< Yours\r\n`), true);
  });

  it('has marks exactly where there is no clean merge, and is that merge elsewhere', () => {
    fc.assert(
      fc.property(text, text, text, (base, ours, theirs) => {
        const merged = merge3(base, ours, theirs);
        const marked = withMarks(base, ours, theirs);
        assert.ok(marked !== undefined);
        assert.equal(hasMarks(marked), !merged.clean);
        if (merged.clean && ours !== base && ours !== theirs) assert.equal(marked, merged.text);
      }),
      { numRuns: 1000, seed: SEED },
    );
  });

  it('taking one side everywhere keeps all that this side added', () => {
    const lines = fc.array(fc.nat({ max: 5 }), { maxLength: 6 });
    const side = (name: string, at: number[]): string =>
      Array.from({ length: 6 }, (_, i) => (at.includes(i) ? `${name} ${i}` : `base ${i}`)).join('\n') + '\n';
    fc.assert(
      fc.property(lines, lines, (mine, agents) => {
        const marked = withMarks(side('base', []), side('agent', agents), side('mine', mine)) ?? '';
        const kept = settled(marked, 0);
        for (const i of mine) assert.ok(kept.includes(`mine ${i}`), marked);
        const taken = settled(marked, 1);
        for (const i of agents) assert.ok(taken.includes(`agent ${i}`), marked);
      }),
      { numRuns: 1000, seed: SEED },
    );
  });
});
