import assert from 'node:assert/strict';
import fc from 'fast-check';
import { asBuffer, leastEdit, withEdits } from '../../../src/vscode/edits';
import { atLeast, oneOf, united, valueOf, vectors } from '../../../src/vscode/scopes';
import { asTerminal, runOfStep, TerminalText } from '../../../src/vscode/terminalText';

describe('least edit', () => {
  it('makes one text into the other, cutting no pair', () => {
    const letters = fc
      .array(fc.constantFrom('a', 'b', '\r\n', '\n', '😀', '😁'), { maxLength: 12 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(letters, letters, (from, to) => {
        const edit = leastEdit(from, to);
        if (!edit) return from === to;
        const low = (text: string, at: number): boolean => /[\udc00-\udfff]/.test(text[at] ?? '') && at > 0;
        const splits =
          low(from, edit.start) ||
          low(from, edit.end) ||
          (from[edit.start] === '\n' && from[edit.start - 1] === '\r') ||
          (from[edit.end] === '\n' && from[edit.end - 1] === '\r' && edit.end > edit.start);
        return from.slice(0, edit.start) + edit.text + from.slice(edit.end) === to && edit.start <= edit.end && !splits;
      }),
      { numRuns: 2000 },
    );
  });

  it('touches only what differs', () => {
    assert.deepEqual(leastEdit('one two three', 'one 2 three'), { start: 4, end: 7, text: '2' });
  });

  it('puts edits of a formatter into a text: of several at one place in their order, and none that overlap', () => {
    const at = (start: number, end: number, text: string): { start: number; end: number; text: string } => ({
      ...{ start, end, text },
    });
    assert.equal(withEdits('abcdef', [at(4, 5, 'E'), at(1, 1, 'x'), at(1, 2, 'B'), at(1, 1, 'y')]), 'axyBcdEf');
    assert.equal(withEdits('abc', [at(0, 2, ''), at(1, 3, '')]), undefined);
    assert.equal(withEdits('abc', []), 'abc');
  });

  it('knows the form a buffer holds', () => {
    assert.equal(asBuffer('\uFEFFa\r\nb\rc\n', '\n'), 'a\nb\nc\n');
    assert.equal(asBuffer('a\nb\r\n', '\r\n'), 'a\r\nb\r\n');
  });
});

describe('scopes of settings', () => {
  const scoped = { default: 'd', user: undefined, workspace: 'w', folder: undefined };

  it('hear a workspace only where it may speak', () => {
    assert.equal(valueOf(scoped, 'machine'), 'd');
    assert.equal(valueOf({ ...scoped, user: 'u' }, 'machine'), 'u');
    assert.equal(valueOf(scoped, 'window'), 'w');
    assert.equal(valueOf({ ...scoped, folder: 'f' }, 'resource'), 'f');
  });

  it('unite paths, so that nobody takes one away', () => {
    const lists = [
      { default: ['a'], user: ['b'], workspace: [], folder: undefined },
      { default: ['a'], user: ['b'], workspace: ['c'], folder: ['d', 7] },
    ];
    assert.deepEqual(united(lists), ['a', 'b', 'c', 'd']);
  });

  it('fall back on nonsense', () => {
    assert.equal(oneOf('AUTO', ['ask', 'auto'], 'ask'), 'ask');
    assert.equal(atLeast(-1, 0, 5), 5);
    assert.deepEqual(vectors([['npm', 'test'], 'rm', [], [1]]), [['npm', 'test']]);
  });
});

describe('terminal text', () => {
  it('keeps colours and nothing that acts', () => {
    assert.equal(asTerminal('\x1b[31mred\x1b[0m\nnext'), '\x1b[31mred\x1b[0m\r\nnext');
    assert.equal(asTerminal('a\x1b]52;c;ZXZpbA==\x07b\x1b[2Jc\x1b]0;title\x1b\\d\x9bHe'), 'abcdHe');
    assert.equal(asTerminal('\x1bPq\x1b\\x\x07\x08y\r\n'), 'x\x08y\r\n');
  });

  it('joins a sequence that was cut between two chunks', () => {
    const text = new TerminalText();
    assert.equal(
      text.next('a\x1b]52;c;ev') + text.next('il\x07b') + text.next('\x1b[3') + text.next('1mc'),
      'ab\x1b[31mc',
    );
  });

  it('finds the run of a step', () => {
    assert.equal(runOfStep('0190-abc/s12'), '0190-abc');
  });
});
