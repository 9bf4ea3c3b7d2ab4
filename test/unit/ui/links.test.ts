import assert from 'node:assert/strict';
import { linksIn } from '../../../src/ui/render/links';

describe('links to files in documents of a run', () => {
  const found = (text: string, ...paths: string[]): string[] =>
    linksIn(text, paths).map(({ path, start, end }) => `${path}@${start}-${end}`);

  it('are whole names, the longest first, at the end of a sentence too', () => {
    assert.deepEqual(found('- src/a.ts: x\n(src/a.tsx), src/a.ts.', 'src/a.ts', 'src/a.tsx'), [
      'src/a.ts@2-10',
      'src/a.tsx@15-24',
      'src/a.ts@27-35',
    ]);
    assert.deepEqual(found('lib/src/a.ts src/a.ts/b src/a.ts.bak', 'src/a.ts'), []);
  });

  it('take names as they are', () => {
    assert.deepEqual(found('a+b (1).md aab (1).md', 'a+b (1).md'), ['a+b (1).md@0-10']);
    assert.deepEqual(found('anything'), []);
  });
});
