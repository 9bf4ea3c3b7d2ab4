/** Bytes outside of what was edited stay as they are, whatever they are; and whose lines are whose. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { align, spare } from '../../../../src/core/reconcile/align';
import { applyEdit } from '../../../../src/core/reconcile/edit';
import { linesOf, splitLines } from '../../../../src/core/reconcile/lines';
import { atOnce } from '../../../../src/core/reconcile/parts';
import { carry, countOwned, markHuman, type LineRange } from '../../../../src/core/reconcile/owned';
import { concat, decode, encode, type Encoding } from '../../../../src/core/reconcile/text';
import { SEED, runs } from '../../chance';

const RUNS = runs();
const settings = { numRuns: RUNS, seed: SEED };

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }).map((s) => s.replaceAll('\0', '')) },
  { weight: 3, arbitrary: fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\t', '\ufeff') },
  { weight: 2, arbitrary: fc.constantFrom('a', 'b', 'x = 1', '}') },
);
const text = fc.array(piece, { minLength: 1, maxLength: 20 }).map((parts) => parts.join(''));
const file = fc.oneof(
  fc
    .tuple(text, fc.constantFrom<Encoding>('utf8', 'utf8bom', 'utf16le', 'utf16be'))
    .map(([t, encoding]) => encode(t.replace(/^\ufeff+/, ''), encoding)),
  // Windows-1252 and other 8-bit text, and plain noise.
  fc.tuple(text, fc.uint8Array({ min: 1, max: 255, maxLength: 8 }), text).map(([a, noise, b]) => {
    const latin = (s: string): Uint8Array => Uint8Array.from(s, (c) => Math.max(1, c.charCodeAt(0) & 0xff));
    return concat([latin(a), noise, latin(b)]);
  }),
  fc.uint8Array({ min: 1, max: 255, minLength: 1, maxLength: 60 }),
);

/** Where each character of the LF form stands in the text itself. */
function placesOf(raw: string): number[] {
  const places: number[] = [];
  for (let i = 0; i < raw.length; i += 1) if (raw[i] !== '\r' || raw[i + 1] !== '\n') places.push(i);
  return [...places, raw.length];
}

describe(`bytes and lines (${RUNS} runs, seed ${SEED})`, function () {
  this.timeout(0);
  it('decode and encode are inverse for every sequence of bytes', () => {
    fc.assert(
      fc.property(fc.oneof(file, fc.uint8Array({ maxLength: 60 })), (bytes) => {
        const view = decode(bytes);
        if (view) assert.deepEqual(encode(view.text, view.encoding), Uint8Array.from(bytes));
      }),
      settings,
    );
  });

  it('lines alone are the lines with their ends left out', () => {
    fc.assert(
      fc.property(text, (t) => assert.deepEqual(linesOf(t), splitLines(t).lines)),
      settings,
    );
  });

  it('an edit changes the bytes of its span only', () => {
    let edited = 0;
    fc.assert(
      fc.property(
        file,
        fc.nat(),
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.constantFrom('new', '\n', 'q'), { maxLength: 5 }),
        (bytes, at, length, added) => {
          const view = decode(bytes);
          if (!view || view.text === '') return;
          const lf = view.text.replaceAll('\r\n', '\n');
          const from = at % lf.length;
          const old = lf.slice(from, from + length);
          const edit = applyEdit(view.text, undefined, old, added.join(''), false);
          if (edit.kind !== 'edited') return;
          edited += 1;
          const places = placesOf(view.text);
          const begin = lf.indexOf(old);
          let [first, last] = [places[begin] ?? 0, places[begin + old.length] ?? view.text.length];
          // A line end belongs to the span with both of its characters.
          if (old.startsWith('\n') && view.text[first - 1] === '\r') first -= 1;
          if (view.text[last - 1] === '\r' && view.text[last] === '\n') last -= 1;
          const after = encode(edit.text, view.encoding);
          const head = encode(view.text.slice(0, first), view.encoding).length;
          const tail = bytes.length - encode(view.text.slice(0, last), view.encoding).length;
          assert.deepEqual(after.slice(0, head), bytes.slice(0, head));
          assert.deepEqual(after.slice(after.length - tail), bytes.slice(bytes.length - tail));
          assert.ok(after.length >= head + tail);
        },
      ),
      settings,
    );
    assert.ok(edited > RUNS / 10, `only ${edited} edits`);
  });

  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '}', ''), { maxLength: 14 });
  const ranges = (flags: readonly boolean[], count: number): LineRange[] =>
    flags.slice(0, count).flatMap((flag, i) => (flag ? [{ from: i + 1, to: i + 1 }] : []));
  const join = (of: readonly string[]): string => of.map((line) => `${line}\n`).join('');
  const count = (of: readonly string[], line: string): number => of.filter((l) => l === line).length;

  it('an alignment names equal lines, each once, in order, and sparing the owned keeps it one', () => {
    fc.assert(
      fc.property(lines, lines, fc.uint8Array({ min: 0, max: 1, minLength: 14, maxLength: 14 }), (old, next, owned) => {
        const found = atOnce(align(old, next));
        assert.ok(found.exact);
        const before = found.oldOf.filter((i) => i >= 0).length;
        spare(found, old, owned);
        const used = [...found.oldOf].filter((i) => i >= 0);
        assert.equal(used.length, before);
        assert.deepEqual(
          used,
          [...new Set(used)].sort((a, b) => a - b),
        );
        found.oldOf.forEach((i, j) => i >= 0 && assert.equal(old[i], next[j]));
      }),
      settings,
    );
  });

  it("what the agent's write does not lose of the human's lines is there afterwards and still theirs", () => {
    fc.assert(
      fc.property(lines, lines, fc.array(fc.boolean(), { maxLength: 14 }), (old, next, flags) => {
        const owned = ranges(flags, old.length);
        const made = carry(join(old), owned, join(next));
        assert.equal(countOwned(made.ranges) + countOwned(made.lost), countOwned(owned));
        const textsOf = (of: readonly LineRange[], all: readonly string[]): string[] =>
          of.flatMap(({ from, to }) => all.slice(from - 1, to)).sort();
        assert.deepEqual([...textsOf(made.ranges, next), ...textsOf(made.lost, old)].sort(), textsOf(owned, old));
      }),
      settings,
    );
  });

  it('a line that was not there before is the human’s after their edit, and older marks stay', () => {
    fc.assert(
      fc.property(lines, lines, fc.array(fc.boolean(), { maxLength: 14 }), (old, next, flags) => {
        const owned = ranges(flags, old.length);
        const marked = markHuman(join(old), owned, join(next));
        const mine = marked.flatMap(({ from, to }) => next.slice(from - 1, to));
        for (const line of new Set(next)) {
          const more = count(next, line) - count(old, line);
          if (more > 0) assert.ok(count(mine, line) >= more);
        }
      }),
      settings,
    );
  });
});
