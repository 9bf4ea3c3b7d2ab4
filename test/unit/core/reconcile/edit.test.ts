import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyEdit, around } from '../../../../src/core/reconcile/edit';
import { toLf } from '../../../../src/core/reconcile/lines';
import { SEED } from '../../chance';

const edited = (theirs: string, old: string, next: string, all = false): string => {
  const edit = applyEdit(theirs, undefined, old, next, all);
  assert.equal(edit.kind, 'edited');
  return edit.text;
};

describe(`edit_file on a text (seed ${SEED})`, function () {
  this.timeout(30_000);
  it('an LF old_text fits a CRLF file, and what is put in gets its line ends', () => {
    assert.equal(edited('a\r\nb\r\nc\r\n', 'a\nb\n', 'x\ny\nz\n'), 'x\r\ny\r\nz\r\nc\r\n');
    assert.equal(edited('a\r\nb\r\n', '\nb', '\nnew\nb'), 'a\r\nnew\r\nb\r\n');
  });

  it('in a mixed file each line keeps its own end', () => {
    assert.equal(edited('a\r\nb\nc\r\nd\n', 'b\nc\n', 'B\nC\n'), 'a\r\nB\nC\r\nd\n');
    assert.equal(edited('a\r\nb\nc\n', 'a', 'a\na2'), 'a\r\na2\r\nb\nc\n');
  });

  it('a stray CR before a line end is told from a line end', () => {
    assert.equal(edited('a\n\nb\n\r\r\n', '\n\r\n', '!'), 'a\n\nb!');
  });

  it('an empty old_text is nowhere: a resume looks at calls before they are checked', () => {
    for (const base of [undefined, '', 'a\n']) {
      assert.deepEqual(applyEdit('a\nb\n', base, '', 'x', false), { kind: 'noMatch' });
      assert.deepEqual(applyEdit('', base, '', 'x', true), { kind: 'noMatch' });
    }
  });

  it('outside of the match not one character changes', () => {
    const part = fc
      .array(fc.constantFrom('q', 'ü', '\r\n', '\n', '\udce9', '\r'), { maxLength: 12 })
      .map((x) => x.join(''));
    fc.assert(
      fc.property(part, part, fc.constantFrom('', 'new', 'n\nm'), (before, after, next) => {
        const text = `${before}<<MARK>>${after}`;
        assert.equal(edited(text, '<<MARK>>', next).startsWith(before), true);
        assert.equal(edited(text, '<<MARK>>', next).endsWith(after), true);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it('gives the same as a replacement in the LF text', () => {
    const words = fc
      .array(fc.constantFrom('a', 'b', '\n', '\r\n'), { minLength: 1, maxLength: 15 })
      .map((x) => x.join(''));
    fc.assert(
      fc.property(words, words, words, fc.boolean(), (theirs, old, next, all) => {
        const edit = applyEdit(theirs, undefined, old, next, all);
        const places = toLf(theirs).split(toLf(old)).length - 1;
        if (edit.kind === 'edited') assert.equal(toLf(edit.text), toLf(theirs).split(toLf(old)).join(toLf(next)));
        else if (edit.kind === 'ambiguous') assert.ok(!all && places > 1);
        else if (edit.kind === 'noMatch') assert.equal(places, 0);
        else assert.equal(toLf(old), toLf(next));
      }),
      { seed: SEED, numRuns: 3000 },
    );
  });

  it('must be unique, unless all is said', () => {
    const edit = applyEdit('x\ny\nx\n', undefined, 'x', 'z', false);
    assert.deepEqual(edit, { kind: 'ambiguous', count: 2, lines: [1, 3] });
    assert.equal(edited('x\ny\nx\n', 'x', 'z', true), 'z\ny\nz\n');
  });

  it('a deletion takes the line with its end; a last line without one stays without', () => {
    assert.equal(edited('a\r\nb\r\nc', 'b\n', ''), 'a\r\nc');
    assert.equal(edited('a\nb', 'b', 'c'), 'a\nc');
  });

  describe('already there', () => {
    it('what the human has done already is nothing to do', () => {
      assert.equal(applyEdit('a\nB\nc\n', 'a\nb\nc\n', 'b', 'B', false).kind, 'already');
      assert.equal(applyEdit('a\nB\nc\nmine\n', 'a\nb\nc\n', 'b', 'B', false).kind, 'already');
      assert.equal(applyEdit('a\nc\n', 'a\nb\nc\n', 'b\n', '', false).kind, 'already');
    });

    it('an edit whose new text holds the old one is not made twice', () => {
      assert.equal(applyEdit('a\nb\nmore\n', 'a\nb\n', 'b\n', 'b\nmore\n', false).kind, 'already');
      assert.equal(applyEdit('foo bar\n', 'foo\n', 'foo', 'foo bar', false).kind, 'already');
      assert.equal(applyEdit('foo bar\r\nmine\r\n', 'foo\r\n', 'foo', 'foo bar', false).kind, 'already');
    });

    it('the same edit is made where it is not there, although the new text holds the old one', () => {
      assert.equal(applyEdit('a\nb\n', 'a\nb\n', 'b\n', 'b\nmore\n', false).kind, 'edited');
      assert.equal(applyEdit('mine\na\nb\n', 'a\nb\n', 'b\n', 'b\nmore\n', false).kind, 'edited');
    });
  });

  it('half a surrogate pair never matches inside a letter', () => {
    const edit = applyEdit('x😀y', undefined, '\ude00', '', false);
    assert.equal(edit.kind, 'noMatch');
  });

  it('a miss shows the lines around the place, numbered, in a bound', () => {
    const text = Array.from({ length: 100 }, (_, i) => `line ${i + 1}`).join('\n');
    assert.match(around(text, undefined, 'line 50\nline fifty-one'), /50: line 50/);
    assert.ok(around('x'.repeat(10_000), undefined, 'y').length <= 3001);
  });

  it('names the line of each of many places', () => {
    const text = 'x\n\ny x\r\nx x\n'.repeat(20_000);
    const edit = applyEdit(text, undefined, 'x', 'z', true);
    assert.equal(edit.kind, 'edited');
    const expected = Array.from({ length: 20_000 }, (_, i) => [4 * i + 1, 4 * i + 3, 4 * i + 4, 4 * i + 4]).flat();
    assert.deepEqual(edit.at, expected);
  });
});
