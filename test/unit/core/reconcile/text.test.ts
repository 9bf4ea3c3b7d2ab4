import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cannotHold, decode, display, encode, type Encoding } from '../../../../src/core/reconcile/text';
import { SEED } from '../../chance';

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe(`text as a view on bytes (seed ${SEED})`, function () {
  this.timeout(30_000);
  /** Bytes that are nearly text: words, CR LF, BOMs, halves of sequences, 8-bit letters. */
  const pieces = fc.constantFrom(
    ...['word', '\r\n', '\n', 'ü', '😀', '\ufeff'].map(utf8),
    ...[
      [0xe9],
      [0xfc, 0x80],
      [0xed, 0xa0, 0x80],
      [0xf0, 0x9f],
      [0xc0, 0xaf],
      [0xff, 0xfe],
      [0xfe, 0xff],
      [0xef, 0xbb, 0xbf],
      [0x80],
    ].map((b) => bytes(...b)),
  );
  const nearlyText = fc
    .array(pieces, { maxLength: 30 })
    .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])));

  it('encode is the inverse of decode for every sequence of bytes that is text', () => {
    const whole = (given: Uint8Array): void => {
      const view = decode(given);
      if (view) assert.deepEqual([...encode(view.text, view.encoding)], [...given]);
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), whole), { seed: SEED, numRuns: 3000 });
    fc.assert(fc.property(nearlyText, whole), { seed: SEED, numRuns: 5000 });
  });

  it('decode is the inverse of encode for every text and encoding', () => {
    const encodings = fc.constantFrom<Encoding[]>('utf8', 'utf8bom', 'utf16le', 'utf16be');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), encodings, (text, encoding) => {
        fc.pre(!text.includes('\0') && (encoding !== 'utf8' || !text.startsWith('\ufeff')));
        const view = decode(encode(text, encoding));
        assert.deepEqual([view?.text, view?.encoding], [text, encoding]);
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });

  it('knows the encodings by their marks', () => {
    assert.equal(decode(bytes(0xef, 0xbb, 0xbf, 0x61))?.encoding, 'utf8bom');
    assert.equal(decode(bytes(0xff, 0xfe, 0x61, 0))?.encoding, 'utf16le');
    assert.equal(decode(bytes(0xfe, 0xff, 0, 0x61))?.encoding, 'utf16be');
    assert.deepEqual(decode(bytes(0x61)), { text: 'a', encoding: 'utf8', foreign: false });
  });

  it('takes NUL for binary, in UTF-16 too, and UTF-32 with it', () => {
    assert.equal(decode(bytes(0x61, 0)), undefined);
    assert.equal(decode(bytes(0xff, 0xfe, 0, 0)), undefined);
    assert.equal(decode(bytes(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0)), undefined);
  });

  it('keeps 8-bit letters as lone surrogates, shows them as U+FFFD, and lets only ASCII in beside them', () => {
    const view = decode(bytes(0x63, 0x61, 0x66, 0xe9));
    assert.equal(view?.text, 'caf\udce9');
    assert.equal(view.foreign, true);
    assert.equal(display(view.text), 'caf\ufffd');
    assert.equal(cannotHold(view, 'plain'), undefined);
    assert.match(cannotHold(view, 'é') ?? '', /not UTF-8/);
  });

  it('holds lone surrogates of UTF-16, and refuses to add half a pair', () => {
    const given = bytes(0xff, 0xfe, 0x3d, 0xd8, 0x61, 0);
    const view = decode(given);
    assert.equal(view?.foreign, true);
    assert.deepEqual(encode(view.text, view.encoding), given);
    assert.match(cannotHold(undefined, '\ud83d') ?? '', /half a surrogate/);
    assert.match(cannotHold(undefined, 'a\0') ?? '', /NUL/);
  });
});
