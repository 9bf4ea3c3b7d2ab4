import assert from 'node:assert/strict';
import type { RunState } from '../../../../src/core/run/state';
import { guardOfPath, guardProblem } from '../../../../src/core/run/guards';
import { isProtected, isSecret, isSensitive } from '../../../../src/core/tools/policy';
import { SimWorld } from '../../../sim/world';

const guarded = (value: string, path: string): boolean =>
  guardOfPath(
    { guards: [{ id: 'g', kind: 'protect', value, state: 'active', at: 0 }] } as unknown as RunState,
    path,
  ) !== undefined;

const NFC = 'caf\u00e9.ts';
const NFD = 'cafe\u0301.ts';

/** [what the human wrote, a file it protects, a file beside it]. */
const LITERAL: readonly [string, string, string][] = [
  ['app/[id]', 'app/[id]/page.tsx', 'app/id/page.tsx'],
  ['app/[id]/page.tsx', 'app/[id]/page.tsx', 'app/[id]/layout.tsx'],
  ['app/[...slug]', 'app/[...slug]/x.ts', 'app/slug/x.ts'],
  ['app/[[...slug]]', 'app/[[...slug]]/x.ts', 'app/x.ts'],
  ['app/(auth)', 'app/(auth)/login.tsx', 'app/login.tsx'],
  ['app/@modal', 'app/@modal/x.tsx', 'app/modal/x.tsx'],
  ['src/{a}.ts', 'src/{a}.ts', 'src/b.ts'],
  ['lib/a+b.ts', 'lib/a+b.ts', 'lib/aab.ts'],
  ['lib/foo (copy).ts', 'lib/foo (copy).ts', 'lib/foo.ts'],
  ['why?', 'why?/x', 'wh/x'],
  ['/src/auth', 'src/auth/x.ts', 'src/authors.ts'],
  ['.//src//auth/', 'src/auth/x.ts', 'src/authors.ts'],
  ['src/db/../auth', 'src/auth/x.ts', 'src/db/x.ts'],
  ['src\\auth', 'src/auth/x.ts', 'src/authors.ts'],
  ['.\\src\\auth\\', 'src/auth/x.ts', 'src/authors.ts'],
  ['app\\[id]', 'app/[id]/x.ts', 'app/id/x.ts'],
  ['"src/auth"', 'src/auth/x.ts', 'src/authors.ts'],
  ['SRC/Auth', 'src/auth/x.ts', 'src/authors.ts'],
  [NFC, NFD, 'cafe.ts'],
  [NFD, NFC, 'cafe.ts'],
  ['a b', 'a\u00a0b/x', 'ab/x'],
];

const GLOBS: readonly [string, string, string][] = [
  ['src/**/*.ts', 'src/a.ts', 'src/a.js'],
  ['./src/*.ts', 'src/a.ts', 'lib/a.ts'],
  ['src\\**', 'src/deep/a.ts', 'lib/a.ts'],
  ['**/caf\u00e9*', `x/${NFD}`, 'x/cafe.ts'],
  ['app/\\[id\\]/*.tsx', 'app/[id]/page.tsx', 'app/i/page.tsx'],
];

describe('what a value says about paths', () => {
  for (const [value, path, beside] of [...LITERAL, ...GLOBS])
    it(`${JSON.stringify(value)} covers ${path}, and not ${beside}, in a guard and in each setting`, () => {
      const world = new SimWorld();
      const settings = (key: string) => ({ ...world.settingsPort(), [key]: () => [value] });
      for (const [file, is] of [
        [path, true],
        [beside, false],
      ] as const) {
        assert.equal(guardProblem({ kind: 'protect', value }), undefined);
        assert.equal(guarded(value, file), is, file);
        assert.equal(isProtected(file, settings('protectedPaths')), is, file);
        assert.equal(isSensitive(file, settings('sensitivePaths')), is, file);
        assert.equal(isSecret(file, settings('secretPaths')), is, file);
      }
    });

  it('the folder of the workspace covers all; what is not covered by a glob that says "not" is covered', () => {
    for (const value of ['/', './', '.', '**', '*']) assert.ok(guarded(value, 'a/b.ts'), value);
    assert.ok(guarded('!src', 'lib/a.ts'));
    assert.ok(!guarded('!src', 'src/a.ts'));
    assert.ok(guarded('!keep.md', '!keep.md'));
    assert.ok(guarded('!(src)', 'lib/a.ts'));
  });

  it('one that names nothing inside the workspace is refused in a sentence, and in a setting stops nothing', () => {
    for (const value of ['..', '../x', '..\\x', 'src/../../x', 'C:\\x', '~/x', 'file:///x']) {
      assert.match(guardProblem({ kind: 'protect', value }) ?? '', /names nothing inside the workspace: give /, value);
      assert.ok(!guarded(value, 'x'), value);
    }
    const settings = { ...new SimWorld().settingsPort(), protectedPaths: () => ['', ' ', '../x', 'lib'] };
    assert.ok(!isProtected('x', settings));
    assert.ok(isProtected('lib/a.ts', settings));
  });
});
