import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  countLines,
  crOffsets,
  dominantEol,
  eolStyle,
  fromLfOffset,
  joinLines,
  splitLines,
  toLf,
} from '../../../../src/core/reconcile/lines';
import { SEED } from '../../chance';

const texts = fc
  .array(fc.constantFrom('a', 'b ', '\r', '\n', '\r\n', '\r\r\n', 'ü'), { maxLength: 25 })
  .map((parts) => parts.join(''));

describe(`lines (seed ${SEED})`, function () {
  this.timeout(30_000);
  it('joining what was split gives the text again', () => {
    fc.assert(
      fc.property(texts, (text) => assert.equal(joinLines(splitLines(text)), text)),
      { seed: SEED, numRuns: 3000 },
    );
  });

  it('an offset of the LF text leads to the same character of the text with CRs', () => {
    const holds = (text: string): void => {
      const lf = toLf(text);
      const crs = crOffsets(text);
      for (let i = 0; i < lf.length; i += 1) {
        const there = fromLfOffset(crs, i);
        const found = text.slice(there, there + 2) === '\r\n' ? '\n' : text[there];
        assert.equal(found, lf[i], JSON.stringify({ text, i }));
        assert.equal(toLf(text.slice(0, there)), lf.slice(0, i));
      }
      assert.equal(fromLfOffset(crs, lf.length), text.length);
    };
    fc.assert(fc.property(texts, holds), { seed: SEED, numRuns: 3000 });
  });

  it('counts lines: nothing is none, a text without an end is one', () => {
    assert.deepEqual(['', 'a', 'a\n', 'a\nb', '\n', '\r\n\r\n'].map(countLines), [0, 1, 1, 2, 1, 2]);
  });

  it('tells the style and the usual end', () => {
    assert.deepEqual(['', 'a', 'a\n', 'a\r\n', 'a\r\nb\n'].map(eolStyle), ['none', 'none', 'LF', 'CRLF', 'mixed']);
    assert.deepEqual(['', 'a\r\nb\n', 'a\r\nb\r\nc\n', 'a\r\nb'].map(dominantEol), ['\n', '\n', '\r\n', '\r\n']);
  });
});
