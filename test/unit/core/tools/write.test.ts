import assert from 'node:assert/strict';
import type { BufferState, FileStat } from '../../../../src/core/ports';
import { decode } from '../../../../src/core/reconcile/text';
import type { FileRecord } from '../../../../src/core/run/state';
import { planWrite, type Proposal, type WriteInput, type WritePlan } from '../../../../src/core/tools/write';
import type { Look } from '../../../../src/core/world';
import { sha256 } from '../../../../src/node/hash';

const PATH = 'src/a.txt';
const BASE = 'one\ntwo\nthree\nfour\nfive\n';
const stat: FileStat = {
  type: 'file',
  isLink: false,
  leadsOutside: false,
  size: 0,
  mode: 0o644,
  readOnly: false,
  hardLinks: 1,
  mtimeMs: 0,
  ctimeMs: 0,
};
const nothing: Look = { path: PATH, type: 'missing', hash: null, size: 0, diskHash: null };

function there(content: string | Uint8Array, more: Partial<Look> = {}): Look {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const view = decode(bytes);
  const hash = sha256(bytes);
  return {
    path: PATH,
    type: 'file',
    hash,
    size: bytes.length,
    bytes,
    diskHash: hash,
    stat,
    ...(view ? { view } : {}),
    ...more,
  };
}
const read = (content: string | Uint8Array, more: Partial<FileRecord> = {}): FileRecord => {
  const { hash, size } = there(content);
  return { path: PATH, base: hash, known: hash, knownSize: size, knownType: 'file', by: 'read', ...more };
};
const whole = (content: string): Proposal => ({ tool: 'write_file', content });
const patch = (old: string, next: string, all = false): Proposal => ({ tool: 'edit_file', old, next, all });
const plan = (now: Look, record: FileRecord | undefined, base: string | undefined, proposal: Proposal): WritePlan => {
  const input: WriteInput = { now, record, base, proposal };
  return planWrite(input);
};
const dirty: BufferState = { path: PATH, text: '', dirty: true, version: 1, eol: '\n' };

interface Row {
  rule: string;
  now: Look;
  record?: FileRecord;
  base?: string;
  proposal: Proposal;
  /** Kind, or kind and reason. */
  is: string;
  text?: string;
  says?: RegExp;
}

const HUMAN_TOP = `mine\n${BASE}`;
const ROWS: Row[] = [
  {
    rule: 'write_file, theirs is the base: written',
    now: there(BASE),
    record: read(BASE),
    base: BASE,
    proposal: whole('new\n'),
    is: 'write',
    text: 'new\n',
  },
  {
    rule: 'write_file, theirs is what is proposed: nothing to do',
    now: there('new\n'),
    record: read(BASE),
    base: BASE,
    proposal: whole('new\n'),
    is: 'already',
  },
  {
    rule: 'write_file, an existing file the run never read: read it first',
    now: there(BASE),
    proposal: whole('new\n'),
    is: 'refused notRead',
  },
  {
    rule: 'write_file, known but never read: read it first',
    now: there(BASE),
    record: { path: PATH, known: null, knownSize: 0, knownType: 'file', by: 'human' },
    proposal: whole('x'),
    is: 'refused notRead',
  },
  {
    rule: 'write_file over what a human made where the run had deleted: read it first',
    now: there('mine\n'),
    record: read(BASE, { base: null }),
    proposal: whole('x\n'),
    is: 'refused notRead',
  },
  {
    rule: 'write_file, both changed, apart: merged',
    now: there(HUMAN_TOP),
    record: read(BASE),
    base: BASE,
    proposal: whole(`${BASE}ours\n`),
    is: 'write',
    text: `mine\n${BASE}ours\n`,
    says: /\+mine/,
  },
  {
    rule: 'write_file, both changed the same place: a conflict, with the text there now',
    now: there(BASE.replace('two', 'mine')),
    record: read(BASE),
    base: BASE,
    proposal: whole(BASE.replace('two', 'ours')),
    is: 'conflict',
    says: /mine/,
  },
  {
    rule: 'write_file, changed since and the base not kept: refused',
    now: there(HUMAN_TOP),
    record: read(BASE),
    proposal: whole('new\n'),
    is: 'refused changed',
  },
  {
    rule: 'write_file, all of it there beside other changes: nothing to do',
    now: there(HUMAN_TOP),
    record: read('one\n'),
    base: 'one\n',
    proposal: whole('one\ntwo\nthree\nfour\nfive\n'),
    is: 'already',
  },
  {
    rule: 'write_file of a file read in part: refused',
    now: there(BASE),
    record: read(BASE, { seen: [{ from: 1, to: 2 }] }),
    base: BASE,
    proposal: whole('x\n'),
    is: 'refused notSeen',
  },
  { rule: 'write_file of a new file: made', now: nothing, proposal: whole('new\n'), is: 'write', text: 'new\n' },
  {
    rule: 'write_file of what the human deleted: made again only when they say so',
    now: nothing,
    record: read(BASE, { deletedByHuman: true }),
    base: BASE,
    proposal: whole('x\n'),
    is: 'write recreate',
  },
  {
    rule: 'write_file of what is gone and not yet reported: likewise',
    now: nothing,
    record: read(BASE),
    base: BASE,
    proposal: whole('x\n'),
    is: 'write recreate',
  },
  {
    rule: 'write_file of what the run itself deleted: made',
    now: nothing,
    record: read(BASE, { base: null, known: null }),
    proposal: whole('x\n'),
    is: 'write',
    text: 'x\n',
  },
  {
    rule: 'write_file keeps CRLF',
    now: there('a\r\nb\r\n'),
    record: read('a\r\nb\r\n'),
    base: 'a\r\nb\r\n',
    proposal: whole('a\nb\nc\n'),
    is: 'write',
    text: 'a\r\nb\r\nc\r\n',
  },
  {
    rule: 'write_file of the same text with other line ends: nothing to do',
    now: there('a\r\nb\r\n'),
    record: read('a\r\nb\r\n'),
    base: 'a\r\nb\r\n',
    proposal: whole('a\nb\n'),
    is: 'already',
  },
  {
    rule: 'edit_file on what is there now: human lines stay',
    now: there(HUMAN_TOP),
    record: read(BASE),
    base: BASE,
    proposal: patch('four', '4'),
    is: 'write',
    text: HUMAN_TOP.replace('four', '4'),
    says: /\+mine/,
  },
  {
    rule: 'edit_file without ever having read: the text decides',
    now: there(BASE),
    proposal: patch('four', '4'),
    is: 'write',
    text: BASE.replace('four', '4'),
  },
  {
    rule: 'edit_file, no match: the text there now',
    now: there(BASE),
    record: read(BASE),
    base: BASE,
    proposal: patch('six', '6'),
    is: 'refused noMatch',
    says: /1: one/,
  },
  {
    rule: 'edit_file, twice there: refused',
    now: there('a\na\n'),
    record: read('a\na\n'),
    base: 'a\na\n',
    proposal: patch('a', 'b'),
    is: 'refused notUnique',
  },
  {
    rule: 'edit_file, done by the human already: nothing to do',
    now: there(BASE.replace('two', '2')),
    record: read(BASE),
    base: BASE,
    proposal: patch('two', '2'),
    is: 'already',
  },
  {
    rule: 'edit_file, done already and the new text holds the old: nothing to do',
    now: there(BASE.replace('two', 'two b')),
    record: read(BASE),
    base: BASE,
    proposal: patch('two', 'two b'),
    is: 'already',
  },
  {
    rule: 'edit_file of what the human deleted: refused',
    now: nothing,
    record: read(BASE),
    base: BASE,
    proposal: patch('two', '2'),
    is: 'refused humanDeleted',
  },
  { rule: 'edit_file of what never was: refused', now: nothing, proposal: patch('two', '2'), is: 'refused notFound' },
  {
    rule: 'edit_file of what the human renamed: names the new path',
    now: nothing,
    record: read(BASE, { renamedTo: 'src/b.txt' }),
    base: BASE,
    proposal: patch('two', '2'),
    is: 'refused humanRenamed',
    says: /src\/b\.txt/,
  },
  {
    rule: 'edit_file inside the part that was read: written',
    now: there(BASE),
    record: read(BASE, { seen: [{ from: 1, to: 2 }] }),
    base: BASE,
    proposal: patch('two', '2'),
    is: 'write',
    text: BASE.replace('two', '2'),
  },
  {
    rule: 'edit_file outside of the part that was read: refused',
    now: there(BASE),
    record: read(BASE, { seen: [{ from: 1, to: 2 }] }),
    base: BASE,
    proposal: patch('five', '5'),
    is: 'refused notSeen',
  },
  {
    rule: 'edit_file of all places, one outside of the part that was read: refused',
    now: there('x\ny\nx\n'),
    record: read('x\ny\nx\n', { seen: [{ from: 1, to: 2 }] }),
    base: 'x\ny\nx\n',
    proposal: patch('x', 'z', true),
    is: 'refused notSeen',
  },
  {
    rule: 'a read-only file: refused',
    now: there(BASE, { stat: { ...stat, readOnly: true, mode: 0o444 } }),
    record: read(BASE),
    base: BASE,
    proposal: whole('x'),
    is: 'refused readOnly',
  },
  {
    rule: 'a folder in its place: refused',
    now: { ...nothing, type: 'directory' },
    record: read(BASE),
    base: BASE,
    proposal: whole('x'),
    is: 'refused typeChanged',
  },
  {
    rule: 'a link out of the workspace: refused',
    now: { ...nothing, type: 'link' },
    proposal: whole('x'),
    is: 'refused outside',
  },
  {
    rule: 'binary content: refused',
    now: there(Uint8Array.of(1, 0, 2)),
    record: read(Uint8Array.of(1, 0, 2)),
    proposal: whole('x'),
    is: 'refused binary',
  },
  {
    rule: 'a name of a binary format: refused',
    now: { ...nothing, path: 'logo.png' },
    proposal: whole('x'),
    is: 'refused binary',
  },
  {
    rule: 'an unsaved file that the human wants kept: refused',
    now: there(BASE, { dirty }),
    record: read(BASE, { keptUnsaved: true }),
    base: BASE,
    proposal: patch('two', '2'),
    is: 'refused unsaved',
  },
  {
    rule: 'unsaved text is what is there: edited',
    now: there(HUMAN_TOP, { dirty }),
    record: read(BASE),
    base: BASE,
    proposal: patch('two', '2'),
    is: 'write',
    text: HUMAN_TOP.replace('two', '2'),
  },
  {
    rule: 'half a letter in the new text: refused',
    now: there(BASE),
    record: read(BASE),
    base: BASE,
    proposal: patch('two', '\ud83d'),
    is: 'refused encoding',
  },
];

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
