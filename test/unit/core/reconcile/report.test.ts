import assert from 'node:assert/strict';
import fc from 'fast-check';
import { likeness, unified } from '../../../../src/core/reconcile/diff';
import type { FileVerdict, Report } from '../../../../src/core/reconcile/report';
import { fenced, fileVerdict, REPORT_BUDGET, reportText, verdictOf } from '../../../../src/core/reconcile/verdict';
import type { FileRecord } from '../../../../src/core/run/state';
import type { Look } from '../../../../src/core/world';
import { SEED } from '../../chance';

const record: FileRecord = { path: 'a.txt', base: 'h1', known: 'h1', knownSize: 4, knownType: 'file', by: 'read' };
const found = (more: Partial<Look>): Look => ({
  path: 'a.txt',
  type: 'file',
  hash: 'h2',
  size: 5,
  diskHash: 'h2',
  ...more,
});
const utf8 = (text: string) => ({ text, encoding: 'utf8' as const, foreign: false });
const edited = (path: string, diff?: string): FileVerdict => ({
  path,
  verdict: 'humanEdited',
  before: { hash: 'h1', size: 1, type: 'file' },
  after: { hash: 'h2', size: 2, type: 'file' },
  ...(diff === undefined ? {} : { diff }),
});
const report = (files: FileVerdict[], more: Partial<Report> = {}): Omit<Report, 'text'> => ({
  files,
  checked: files.length,
  plan: [],
  ...more,
});

describe(`the report of a reconcile (seed ${SEED})`, function () {
  this.timeout(30_000);
  it('stays within its budget, whatever has changed', () => {
    const name = fc.stringMatching(/^[a-z/]{1,120}$/);
    const diff = fc.option(
      fc.integer({ min: 1, max: 300 }).map((n) => '+new line of text\n'.repeat(n).trimEnd()),
      { nil: undefined },
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, diff), { maxLength: 120 }), (files) => {
        const text = reportText(report(files.map(([path, d]) => edited(path, d))));
        assert.ok(text.length <= REPORT_BUDGET, `${text.length}`);
      }),
      { seed: SEED, numRuns: 300 },
    );
  });

  it('names each verdict once per file', () => {
    const text = reportText(report([edited('a.txt', '+x'), edited('b.txt', '+y')]));
    assert.equal(text.split('humanEdited').length - 1, 2);
  });

  it('a fence cannot be closed from inside', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('`', '``', '```', '````', 'x', '\n'), { maxLength: 40 }), (parts) => {
        const lines = fenced(parts.join(''), 'diff').split('\n');
        const fence = lines.at(-1) ?? '';
        assert.match(fence, /^`{3,}$/);
        assert.equal(lines.filter((l) => l.startsWith(fence)).length, 2);
      }),
      { seed: SEED, numRuns: 1000 },
    );
  });

  it('says nothing of what looks like a secret but its name', () => {
    const sides = { before: utf8('KEY=old\n'), after: utf8('KEY=new\n') };
    const verdict = fileVerdict({ ...record, path: '.env' }, found({ path: '.env' }), 'humanEdited', sides, {
      quiet: true,
    });
    assert.equal(verdict.diff, undefined);
    assert.doesNotMatch(reportText(report([verdict])), /KEY/);
  });

  it('is empty when there is nothing to tell; a new HEAD alone is nothing', () => {
    assert.equal(reportText(report([])), '');
    assert.equal(
      reportText(report([], { git: { from: 'main@1', to: 'main@2', operation: null, branchChanged: false } })),
      '',
    );
    assert.match(
      reportText(report([], { git: { from: 'main@1', to: 'dev@2', operation: null, branchChanged: true } })),
      /another branch/,
    );
  });

  it('tells line ends and encodings beside the diff', () => {
    const sides = { before: utf8('a\nb\n'), after: { ...utf8('a\r\nb\r\n'), encoding: 'utf8bom' as const } };
    const { remark, diff } = fileVerdict(record, found({ view: sides.after }), 'humanEdited', sides, { quiet: false });
    assert.equal(diff, undefined);
    assert.match(remark ?? '', /LF → CRLF.*utf8 → utf8bom.*no change of text/);
  });

  it('binary content is size and hash', () => {
    const verdict = fileVerdict(
      record,
      found({}),
      'humanEdited',
      { before: undefined, after: undefined },
      { quiet: false },
    );
    assert.match(reportText(report([verdict])), /binary, 4 → 5 bytes, sha256 h1 → h2/);
  });

  it('verdicts follow the bytes, not the times', () => {
    const is = (change: Partial<FileRecord>, now: Partial<Look>): unknown =>
      verdictOf({ ...record, ...change }, found(now));
    assert.equal(is({}, { hash: 'h1' }), undefined);
    assert.equal(is({}, {}), 'humanEdited');
    assert.equal(is({}, { type: 'missing', hash: null }), 'humanDeleted');
    assert.equal(is({ known: null, knownType: 'missing' }, { type: 'missing', hash: null }), undefined);
    assert.equal(is({ known: null, knownType: 'missing' }, {}), 'humanCreated');
    assert.equal(is({}, { type: 'directory', hash: null }), 'typeChanged');
    assert.equal(is({ knownType: 'directory', known: null }, { type: 'directory', hash: null }), undefined);
    assert.equal(is({}, { type: 'unreadable', hash: null }), 'unreadable');
  });

  it('a diff is cut at a line, with a count of what is left out', () => {
    const diff = unified('a', '', 'line\n'.repeat(500), 200) ?? '';
    assert.ok(diff.length < 260);
    assert.match(diff, /… \(\d+ more lines of this diff\)$/);
    assert.equal(unified('a', 'x\r\n', 'x\n', 200), '');
  });

  it('likeness counts common lines', () => {
    assert.equal(likeness('a\nb\n', 'a\nb\n'), 1);
    assert.equal(likeness('a\nb\nc\nd\n', 'a\r\nb\r\n'), 0.5);
    assert.equal(likeness('', ''), 1);
    assert.equal(likeness('a\n', ''), 0);
  });
});
