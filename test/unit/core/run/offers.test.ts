import assert from 'node:assert/strict';
import { guardWords } from '../../../../src/core/run/guards';
import { offerGuards } from '../../../../src/core/run/offers';

const offered = (text: string): string[] => offerGuards(text).map(guardWords);

describe('a guard is offered from free text', () => {
  const TEXTS: readonly [string, string[]][] = [
    ["please don't touch src/auth, it is fine", ['protect src/auth']],
    ['leave `config.yml` alone.', ['protect config.yml']],
    ['leave src/a.ts and src/b.ts as they are', ['protect src/a.ts', 'protect src/b.ts']],
    ["don't touch src/auth or src/db", ['protect src/auth', 'protect src/db']],
    ['never edit src/a.ts, src/b.ts, or lib/*.js!', ['protect src/a.ts', 'protect src/b.ts', 'protect lib/*.js']],
    ["don't touch app/[id]/page.tsx", ['protect app/[id]/page.tsx']],
    ["don't touch app/(auth)/[...slug].", ['protect app/(auth)/[...slug]']],
    ["(don't touch src/{a,b}.ts)", ['protect src/{a,b}.ts']],
    ['Do not edit README.md and LICENSE', ['protect README.md', 'protect LICENSE']],
    ["don't delete café/über.ts", ['protect café/über.ts']],
    ['don’t change "my docs/a b.md"', ['protect my docs/a b.md']],
    ['Do not write to out.txt, but to log.txt', ['protect out.txt']],
    ['protect docs/**', ['protect docs/**']],
    ['protect src', ['protect src']],
    ['never run npm publish', ['forbid command npm publish']],
    ["don't run npm publish or npm install", ['forbid command npm publish', 'forbid command npm install']],
    ["don't run npm publish or install", ['forbid command npm publish', 'forbid command install']],
    [
      "don't run `git push`, `rm -rf x` or make",
      ['forbid command git push', 'forbid command rm -rf x', 'forbid command make'],
    ],
    ['never run git push and then tell me', ['forbid command git push']],
    ["don't run deploy.sh until I say so.", ['forbid command deploy.sh']],
    ["don't run git push and don't touch src/auth", ['forbid command git push', 'protect src/auth']],
    ['stop before step 4', ['stop before step 4']],
    ['skip step 3', ['skip step 3']],
    ['skip the step 3', ['skip step 3']],
  ];
  for (const [text, guards] of TEXTS) it(text, () => assert.deepEqual(offered(text), guards));

  it('and only where something is named', () => {
    for (const text of [
      "don't change it",
      'use tabs',
      'do not worry',
      'skip the small talk',
      "don't run the tests before you have read README",
      "don't stop before the tests pass",
      'do not edit anything but src/a.ts',
      'never touch anything outside src/',
      'don’t call it “done” until the tests pass',
      "don't touch ../other",
      'leave the house',
    ])
      assert.deepEqual(offered(text), [], text);
  });
});
