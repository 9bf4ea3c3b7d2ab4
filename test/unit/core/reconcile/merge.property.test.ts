/** Laws of the merge over random texts, and beside `git merge-file`. `HOLDFAST_RUNS`, `HOLDFAST_SEED` as elsewhere. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { toLf } from '../../../../src/core/reconcile/lines';
import { merge3 } from '../../../../src/core/reconcile/merge3';
import { SEED, runs } from '../../chance';

const RUNS = runs();
const settings = { numRuns: RUNS, seed: SEED };

interface Change {
  at: number;
  drop: number;
  add: number;
}
const changes = fc.array(fc.record({ at: fc.nat({ max: 40 }), drop: fc.nat({ max: 3 }), add: fc.nat({ max: 3 }) }), {
  maxLength: 4,
});
const eol = fc.constantFrom('\n', '\r\n');

/** Each line that is put in has a name of its own. */
function apply(base: readonly string[], side: string, list: readonly Change[]): string[] {
  let n = 0;
  const lines = [...base];
  for (const { at, drop, add } of list) {
    lines.splice(Math.min(at, lines.length), drop, ...Array.from({ length: add }, () => `${side}${(n += 1)}`));
  }
  return lines;
}
const join = (lines: readonly string[], end: string): string => lines.map((line) => line + end).join('');
const linesOf = (text: string): string[] => toLf(text).split('\n').slice(0, -1);
/** Those of `all` that are in `part`, in order. */
const among = (all: readonly string[], part: readonly string[]): string[] => all.filter((line) => part.includes(line));

type Sides = [ours: string, base: string, theirs: string];

/** What `git merge-file` makes of each; undefined: conflicts. One shell for all of them: started one by one they take minutes. */
function gitMerges(cases: readonly Sides[]): (string | undefined)[] {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'merge-'));
  try {
    cases.forEach((sides, i) => sides.forEach((side, k) => writeFileSync(path.join(dir, `${i}.${k}`), side)));
    const loop = `i=0; while [ $i -lt ${cases.length} ]; do git merge-file -q $i.0 $i.1 $i.2; echo $?; i=$((i+1)); done`;
    const done = spawnSync('sh', ['-c', loop], { cwd: dir, encoding: 'utf8' });
    const codes = done.stdout.trim().split('\n').map(Number);
    assert.equal(codes.length, cases.length, done.stderr);
    // From 128 on it is no count of conflicts but a failure.
    assert.ok(
      codes.every((code) => code < 128),
      done.stderr,
    );
    return codes.map((code, i) => (code === 0 ? readFileSync(path.join(dir, `${i}.0`), 'utf8') : undefined));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

describe(`merge, random texts (${RUNS} runs, seed ${SEED})`, function () {
  this.timeout(0);
  it('a clean merge holds every line that either side added and none that either side deleted, in the order of both', () => {
    let clean = 0;
    fc.assert(
      fc.property(fc.nat({ max: 30 }), changes, changes, eol, eol, (count, ours, theirs, oursEnd, theirsEnd) => {
        const base = Array.from({ length: count }, (_, i) => `base${i}`);
        const [mine, other] = [apply(base, 'ours', ours), apply(base, 'theirs', theirs)];
        const merged = merge3(join(base, theirsEnd), join(mine, oursEnd), join(other, theirsEnd));
        if (!merged.clean) return;
        clean += 1;
        const result = linesOf(merged.text);
        const wanted = [
          ...base.filter((line) => mine.includes(line) && other.includes(line)),
          ...mine.filter((line) => !base.includes(line)),
          ...other.filter((line) => !base.includes(line)),
        ];
        assert.deepEqual([...result].sort(), wanted.sort());
        assert.deepEqual(among(result, mine), among(mine, result));
        assert.deepEqual(among(result, other), among(other, result));
      }),
      settings,
    );
    assert.ok(clean > RUNS / 10, `only ${clean} were clean`);
  });

  it('a side that changed nothing gives the other; the same change on both sides is one', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '}', ''), { maxLength: 12 });
    fc.assert(
      fc.property(text, text, eol, fc.boolean(), (base, other, end, last) => {
        const texts = [base, other].map((lines) => (last ? lines.join(end) : join(lines, end)));
        const [b = '', o = ''] = texts;
        assert.deepEqual(merge3(b, b, o), { clean: true, text: o });
        assert.deepEqual(merge3(b, o, o), { clean: true, text: o });
        const ours = merge3(b, o, b);
        assert.ok(ours.clean && toLf(ours.text) === toLf(o));
      }),
      settings,
    );
  });

  it('beside git merge-file: where both are clean and differ, the pair is told', function () {
    if (process.platform === 'win32') this.skip();
    const counts = { both: 0, differ: 0, onlyGit: 0, onlyOurs: 0, neither: 0 };
    const pairs: string[] = [];
    const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', '}'), { minLength: 2, maxLength: 14 });
    const sides = fc
      .tuple(text, changes, changes)
      .map(([base, ours, theirs]): Sides => [
        join(apply(base, 'x', ours), '\n'),
        join(base, '\n'),
        join(apply(base, 'y', theirs), '\n'),
      ]);
    const cases = fc.sample(sides, { seed: SEED, numRuns: RUNS });
    for (let at = 0; at < cases.length; at += 1000) {
      const part = cases.slice(at, at + 1000);
      gitMerges(part).forEach((git, i) => {
        const [ours, base, theirs] = part[i] ?? ['', '', ''];
        const own = merge3(base, ours, theirs);
        if (own.clean && git !== undefined) {
          counts.both += 1;
          if (own.text !== git) {
            counts.differ += 1;
            pairs.push(JSON.stringify({ base, ours, theirs, merged: own.text, git }));
          }
        } else if (own.clean) counts.onlyOurs += 1;
        else if (git !== undefined) counts.onlyGit += 1;
        else counts.neither += 1;
      });
    }
    console.log(`      ${JSON.stringify(counts)}`);
    for (const pair of pairs.slice(0, 5)) console.log(`      differ: ${pair}`);
    assert.ok(counts.both > 0);
  });
});
