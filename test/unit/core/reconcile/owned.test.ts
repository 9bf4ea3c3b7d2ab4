import assert from 'node:assert/strict';
import {
  allLines,
  carry,
  countOwned,
  inWords,
  markHuman,
  numbered,
  type LineRange,
} from '../../../../src/core/reconcile/owned';
import { processorMs } from '../../pace';

const text = (...lines: string[]): string => lines.map((line) => `${line}\n`).join('');
const r = (from: number, to = from): LineRange => ({ from, to });

describe('human-owned lines', () => {
  it('marks what the human puts in or changes, and nothing else', () => {
    assert.deepEqual(markHuman(text('a', 'b', 'c'), [], text('a', 'B', 'c')), [r(2)]);
    assert.deepEqual(markHuman(text('a', 'b', 'c'), [], text('a', 'x', 'y', 'b', 'c', 'z')), [r(2, 3), r(6)]);
    assert.deepEqual(markHuman(text('a', 'b', 'c'), [], text('a', 'c')), []);
    assert.deepEqual(markHuman('', [], text('a', 'b')), [r(1, 2)]);
  });

  it('keeps older marks through later changes of the human', () => {
    assert.deepEqual(markHuman(text('a', 'b', 'c'), [r(2)], text('new', 'a', 'b', 'c')), [r(1), r(3)]);
    assert.deepEqual(markHuman(text('a', 'b', 'c'), [r(2)], text('a', 'c')), []);
  });

  it('new line ends, or a last one, change no line', () => {
    assert.deepEqual(markHuman(text('a', 'b'), [], 'a\r\nb\r\n'), []);
    assert.deepEqual(markHuman(text('a', 'b'), [], 'a\nb'), []);
    assert.deepEqual(carry('a\nb', [r(2)], 'a\r\nb\r\n'), { ranges: [r(2)], lost: [] });
  });

  it('carries marks through the writes of the agent, and names those it would lose', () => {
    const before = text('a', 'mine', 'c');
    assert.deepEqual(carry(before, [r(2)], text('x', 'y', 'a', 'mine', 'c')), { ranges: [r(4)], lost: [] });
    assert.deepEqual(carry(before, [r(2)], text('a', 'MINE', 'c')), { ranges: [], lost: [r(2)] });
    assert.deepEqual(carry(before, [r(2)], text('a', 'c')), { ranges: [], lost: [r(2)] });
    assert.deepEqual(carry(before, [r(2)], ''), { ranges: [], lost: [r(2)] });
    assert.deepEqual(carry(before, [r(2)], text('a', 'mine', 'C')), { ranges: [r(2)], lost: [] });
  });

  it('a line that only moves is not lost, with what stands beside it; one like others is', () => {
    const before = text('a', 'b', 'mine {', '}', 'c', 'd', 'e', '}');
    assert.deepEqual(carry(before, [r(3, 4)], text('mine {', '}', 'a', 'b', 'c', 'd', 'e', '}')), {
      ranges: [r(1, 2)],
      lost: [],
    });
    const lone = text('f', 'return', 'g', 'h', 'i', 'return', 'k');
    assert.deepEqual(carry(lone, [r(2)], text('f', 'g', 'h', 'return', 'i', 'return', 'k')).lost, [r(2)]);
    assert.deepEqual(carry(text('x', 'x', 'a', 'b', 'c'), [r(1, 2)], text('a', 'b', 'c', 'x')).lost, [r(1, 2)]);
  });

  it('of equal lines the one that is not theirs is taken to be gone', () => {
    const before = text('a', '', 'f', '', 'g');
    assert.deepEqual(carry(before, [r(4, 5)], text('a', '', 'g')), { ranges: [r(2, 3)], lost: [] });
    assert.deepEqual(carry(before, [r(2)], text('a', '', 'g')), { ranges: [r(2)], lost: [] });
  });

  it('gives up comparing in time: then a line is lost only where its text is nowhere', function () {
    this.timeout(60_000);
    const noise = (salt: number): string[] => Array.from({ length: 60_000 }, (_, i) => `${(i * 7919 + salt) % 60_013}`);
    const before = text('mine', 'gone', ...noise(1));
    const after = text(...noise(30_000), 'mine');
    const { result, ms } = processorMs(() => carry(before, [r(1, 2)], after));
    const { ranges, lost } = result;
    assert.deepEqual([countOwned(ranges), lost], [1, [r(2)]]);
    assert.ok(ms < 1500, `${ms.toFixed(0)} ms`);
  });

  it('is told with numbers, the rest as a count', () => {
    assert.equal(numbered(text('a', 'b', 'c'), [r(1), r(3)], 100), '1: a\n3: c');
    assert.equal(numbered(text('aaaa', 'b', 'c'), [r(1, 3)], 13), '1: aaaa\n2: b\n… and 1 more of your lines');
    assert.equal(inWords([r(2, 3), r(7)]), 'lines 2-3, 7');
    assert.equal(inWords([r(4)]), 'line 4');
    assert.deepEqual(allLines(text('a', 'b')), [r(1, 2)]);
  });
});
