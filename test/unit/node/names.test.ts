import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FileError } from '../../../src/core/errors';
import { lookAlikeKey } from '../../../src/core/paths';
import { isGit, segmentsOf } from '../../../src/node/files/names';

function verdict(given: string, platform: NodeJS.Platform = 'linux'): string {
  try {
    return segmentsOf(given, platform).join('|');
  } catch (error) {
    return error instanceof FileError ? `!${error.code}` : '?';
  }
}

describe('names of paths', () => {
  const table: [given: string, posix: string, windows?: string][] = [
    ['a.txt', 'a.txt'],
    ['./src//a.txt', 'src|a.txt'],
    ['src/../a.txt', 'a.txt'],
    ['src/', 'src'],
    ['', '!badName'],
    ['.', '!badName'],
    ['./', '!badName'],
    ['src/..', '!badName'],
    ['a/\0b', '!badName'],
    ['a\ud800b', '!badName'],
    ['..', '!outside'],
    ['../x', '!outside'],
    ['../../.ssh/authorized_keys', '!outside'],
    ['src/../../x', '!outside'],
    ['/etc/x', '!outside'],
    ['//server/share', '!outside'],
    ['~', '!outside'],
    ['~/x', '!outside'],
    ['~root/x', '!outside'],
    ['~$report.docx', '~$report.docx'],
    ['file:///etc/x', '!outside'],
    ['file:x', '!outside'],
    ['vscode-userdata:/x', '!outside'],
    ['https://example.invalid/x', '!outside'],
    ['C:\\x', '!outside'],
    ['c:/x', '!outside'],
    ['C:', '!outside'],
    ['..\\x', '!outside'],
    ['src\\..\\..\\x', '!outside'],
    ['a/..\\..\\x', '!outside'],
    ['\\\\server\\share', '!outside'],
    ['\\x', '!outside'],
    ['a\\b', 'a\\b', 'a|b'],
    ['%2e%2e/x', '%2e%2e|x'],
    ['__proto__', '__proto__'],
    ['-rf', '-rf'],
    ['new\nline.txt', 'new\nline.txt'],
    ['\u{1f600}.md', '\u{1f600}.md'],
    ['a b#c%20?.txt', 'a b#c%20?.txt', '!badName'],
    ['con.txt', 'con.txt', '!badName'],
    ['...', '...', '!badName'],
    ['.git', '!reserved'],
    ['.git/config', '!reserved'],
    ['vendor/lib/.git/HEAD', '!reserved'],
    ['.GIT/config', '!reserved'],
    ['.git. /x', '!reserved'],
    ['git~1/config', '!reserved'],
    ['.g\u200cit/config', '!reserved'],
    ['.git::$INDEX_ALLOCATION/x', '!reserved'],
    ['.gitignore', '.gitignore'],
    ['.github/x.yml', '.github|x.yml'],
    ['x.git/y', 'x.git|y'],
  ];
  for (const [given, posix, windows = posix] of table) {
    it(`${JSON.stringify(given)} is ${JSON.stringify(posix)}`, () => {
      assert.equal(verdict(given), posix);
      assert.equal(verdict(given, 'win32'), windows);
    });
  }

  it('never leaves and never keeps a dot, whatever the parts', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', '', '.git', '~', 'a', '..\\', 'C:'), fc.string({ maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        let segments: string[];
        try {
          segments = segmentsOf(parts.join('/'));
        } catch (error) {
          return error instanceof FileError;
        }
        return segments.length > 0 && segments.every((one) => !['', '.', '..'].includes(one) && !isGit(one));
      }),
      { numRuns: 500 },
    );
  });

  it('knows what look-alikes have in common', () => {
    assert.equal(lookAlikeKey('re\u0301.md', false), lookAlikeKey('r\u00e9.md', false));
    assert.equal(lookAlikeKey('a\u00a0b', false), lookAlikeKey('a b', false));
    assert.notEqual(lookAlikeKey('A', false), lookAlikeKey('a', false));
    assert.equal(lookAlikeKey('A', true), lookAlikeKey('a', true));
  });
});
