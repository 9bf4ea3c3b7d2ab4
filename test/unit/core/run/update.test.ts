import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { RunState } from '../../../../src/core/run/state';
import { changeFiles, fileOf, mergeRanges, seeFile } from '../../../../src/core/run/update';
import { SEED } from '../../chance';

const empty = (): RunState => ({ files: [] }) as unknown as RunState;

describe(`ranges and file records (seed ${SEED})`, function () {
  this.timeout(30_000);
  const range = fc
    .tuple(fc.integer({ min: 1, max: 30 }), fc.nat({ max: 8 }))
    .map(([from, n]) => ({ from, to: from + n }));

  it('merged ranges hold the same lines, sorted, with gaps between them', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 8 }), (ranges) => {
        const lines = (of: { from: number; to: number }[]): number[] =>
          of.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
        let merged: { from: number; to: number }[] = [];
        for (const one of ranges) merged = mergeRanges(merged, one);
        assert.deepEqual(
          lines(merged),
          [...new Set(lines(ranges))].sort((a, b) => a - b),
        );
        merged.slice(1).forEach((r, i) => assert.ok(r.from > (merged[i]?.to ?? 0) + 1));
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it('a file read in parts is known whole when the last part is read, and not known when it changed', () => {
    const s = empty();
    seeFile(s, { path: 'a', hash: 'h1', size: 9, lines: { from: 1, to: 5, of: 9 } });
    assert.deepEqual(fileOf(s, 'a')?.seen, [{ from: 1, to: 5 }]);
    seeFile(s, { path: 'a', hash: 'h1', size: 9, lines: { from: 6, to: 9, of: 9 } });
    assert.equal(fileOf(s, 'a')?.seen, undefined);
    seeFile(s, { path: 'a', hash: 'h1', size: 9, lines: { from: 2, to: 3, of: 9 } });
    assert.equal(fileOf(s, 'a')?.seen, undefined);
    seeFile(s, { path: 'a', hash: 'h2', size: 9, lines: { from: 2, to: 3, of: 9 } });
    assert.deepEqual(fileOf(s, 'a')?.seen, [{ from: 2, to: 3 }]);
  });

  it('a write keeps the first content as the original and forgets what the human had done to the path', () => {
    const s = empty();
    seeFile(s, { path: 'a', hash: 'h1', size: 9 });
    s.files = s.files.map((f) => ({ ...f, deletedByHuman: true, overlaps: 1 }));
    changeFiles(s, [{ path: 'a', before: 'h1', after: 'h2', size: 3 }]);
    changeFiles(s, [{ path: 'a', before: 'h2', after: 'h3', size: 4 }]);
    const { original, written, base, known, deletedByHuman, overlaps } = fileOf(s, 'a') ?? {};
    assert.deepEqual(
      [original, written, base, known, deletedByHuman, overlaps],
      ['h1', 'h3', 'h3', 'h3', undefined, undefined],
    );
  });
});
