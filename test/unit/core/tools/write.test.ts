import assert from 'node:assert/strict';
import type { FileRecord } from '../../../../src/core/run/state';
import type { Proposal } from '../../../../src/core/tools/write';
import { patch, plan, read, there, whole } from './guard';
import { ROWS } from './write.rows';
import { processorMs } from '../../pace';

describe('the write guard', () => {
  for (const { rule, now, record, base, proposal, is, text, says } of ROWS) {
    it(rule, () => {
      const got = plan(now, record, base, proposal);
      const [kind, detail] = is.split(' ');
      assert.equal(got.kind, kind, 'note' in got ? got.note : '');
      if (got.kind === 'refused') assert.equal(got.reason, detail);
      if (got.kind === 'write') assert.equal(got.recreate, detail === 'recreate');
      if (text !== undefined) assert.equal(got.kind === 'write' && got.text, text);
      if (says) assert.match('note' in got ? got.note : '', says);
    });
  }
});

describe('the write guard on files read in part', () => {
  const lines = Array.from({ length: 20 }, (_, i) => `line ${i + 1}\n`).join('');
  const seenAfter = (seen: FileRecord['seen'], proposal: Proposal): unknown => {
    const got = plan(there(lines), read(lines, seen ? { seen } : {}), lines, proposal);
    assert.equal(got.kind, 'write', 'note' in got ? got.note : '');
    return got.kind === 'write' ? got.seen : undefined;
  };

  it('what was seen moves along with an edit', () => {
    const seen = [
      { from: 3, to: 6 },
      { from: 10, to: 12 },
    ];
    assert.deepEqual(seenAfter(seen, patch('line 4\n', 'a\nb\nc\n')), [
      { from: 3, to: 8 },
      { from: 12, to: 14 },
    ]);
    assert.deepEqual(seenAfter(seen, patch('line 4\nline 5\n', '')), [
      { from: 3, to: 4 },
      { from: 8, to: 10 },
    ]);
    assert.deepEqual(seenAfter(seen, patch('line 11', 'eleven')), seen);
  });

  it('an edit of all places keeps what was seen, and does not make the file seen whole', () => {
    assert.deepEqual(seenAfter([{ from: 1, to: 6 }], patch('line 5', 'a\nb', true)), [{ from: 1, to: 7 }]);
  });
});

describe('the write guard on 8-bit text', () => {
  const latin = Uint8Array.from(
    [...'caf']
      .map((c) => c.charCodeAt(0))
      .concat(0xe9, 0x0a, ...[...'caf'].map((c) => c.charCodeAt(0)), 0xe8, 0x0a, 0x61, 0x0a),
  );
  const now = there(latin);

  it('lines given back as they were shown keep their bytes, each its own', () => {
    const got = plan(now, read(latin), now.view?.text, whole('caf\ufffd\ncaf\ufffd\nnew\na\n'));
    assert.equal(got.kind === 'write' && got.text, 'caf\udce9\ncaf\udce8\nnew\na\n');
  });

  it('a line that could be either of two is refused, not guessed', () => {
    const got = plan(now, read(latin), now.view?.text, whole('a\ncaf\ufffd\n'));
    assert.ok(got.kind === 'refused' || (got.kind === 'write' && !got.text.includes('\udce8\n\udce9')));
    if (got.kind === 'write') assert.fail(`guessed: ${JSON.stringify(got.text)}`);
  });

  it('a line with other letters is refused', () => {
    assert.equal(plan(now, read(latin), now.view?.text, whole('café\n')).kind, 'refused');
  });
});

describe('the write guard on long files', function () {
  this.timeout(60_000);
  it('gives many lines that look the same their bytes again in a moment', () => {
    // Letters of one byte, which are no UTF-8: some of the lines that look the same differ.
    const bytes = Buffer.from('caf\xe9\ncaf\xe8\n'.repeat(25_000), 'latin1');
    const now = there(bytes);
    const text = now.view?.text ?? '';
    const { result: got, ms } = processorMs(() =>
      plan(now, read(bytes), text, whole(`first\n${'caf\ufffd\n'.repeat(50_000)}`)),
    );
    assert.equal(got.kind === 'write' && got.text, `first\n${text}`);
    assert.ok(ms < 3000, `${Math.round(ms)} ms`);
  });
});
