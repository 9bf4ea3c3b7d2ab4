import assert from 'node:assert/strict';
import { FileError } from '../../../../src/core/errors';
import { goneFolders } from '../../../../src/core/reconcile/goneFolders';
import type { Verdict } from '../../../../src/core/reconcile/report';

describe('workspace folders that are gone', () => {
  const gone = (open: string[], missing: string[], known: string[], lost: [string, Verdict][]): Promise<string[]> =>
    goneFolders(
      {
        files: {
          roots: () => open.map((name) => ({ name })),
          stat: (path: string) =>
            missing.includes(path)
              ? Promise.reject(new FileError('notFound', path, ''))
              : Promise.resolve({ type: 'directory' }),
        },
      } as never,
      { files: known.map((path) => ({ path })) } as never,
      { files: lost.map(([path, verdict]) => ({ path, verdict })) } as never,
    );

  it('are those that files of the run are missed in, from the disk or out of the workspace', async () => {
    const known = ['fe/a', 'be/b', 'lib/c'];
    assert.deepEqual(await gone(['fe', 'be'], ['fe'], known, [['fe/a', 'humanDeleted']]), ['fe']);
    assert.deepEqual(await gone(['fe', 'be'], ['fe'], known, [['fe/a', 'humanRenamed']]), ['fe']);
    assert.deepEqual(await gone(['fe', 'be'], [], known, [['lib/c', 'unreadable']]), ['lib']);
  });

  it('are none where the folder stands, where it was told already, and where one folder is open', async () => {
    const known = ['fe/a', 'be/b'];
    assert.deepEqual(await gone(['fe', 'be'], [], known, [['fe/a', 'humanDeleted']]), []);
    assert.deepEqual(await gone(['fe', 'be'], ['fe'], known, []), []);
    assert.deepEqual(await gone(['fe', 'be'], ['fe'], known, [['be/b', 'humanEdited']]), []);
    assert.deepEqual(await gone(['fe'], [], ['src/a'], [['src/a', 'humanDeleted']]), []);
    assert.deepEqual(await gone(['fe', 'be'], [], ['src/a'], [['src/a', 'unreadable']]), []);
  });
});
