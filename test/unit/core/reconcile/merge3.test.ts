import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { merge3 } from '../../../../src/core/reconcile/merge3';
import { splitLines, toLf } from '../../../../src/core/reconcile/lines';
import { useFolder } from '../../node/helpers';
import { SEED } from '../../chance';

const line = fc.constantFrom('a', 'b', 'c', 'd', 'e', '', '}');
const someText = fc
  .tuple(fc.array(line, { maxLength: 9 }), fc.boolean())
  .map(([lines, ended]) => lines.join('\n') + (ended && lines.length > 0 ? '\n' : ''));

/** Unique lines, so that each can be followed: `edits` drop, replace or add after a line of the base. */
type Edits = { at: number; do: 'drop' | 'replace' | 'add' }[];
const editsOf = fc.array(
  fc.record({ at: fc.nat({ max: 11 }), do: fc.constantFrom('drop' as const, 'replace' as const, 'add' as const) }),
  { maxLength: 3 },
);
function side(name: string, edits: Edits): { text: string; added: string[]; dropped: string[] } {
  const lines = Array.from({ length: 12 }, (_, i) => [`base ${i}`]);
  const added: string[] = [];
  const dropped: string[] = [];
  edits.forEach((edit, k) => {
    const new1 = `${name} ${k}`;
    const slot = lines[edit.at] ?? [];
    const base = `base ${edit.at}`;
    if (edit.do !== 'add' && slot.includes(base)) {
      dropped.push(base);
      slot.splice(slot.indexOf(base), 1);
    }
    if (edit.do !== 'drop') {
      slot.push(new1);
      added.push(new1);
    }
  });
  return {
    text: lines
      .flat()
      .map((l) => `${l}\n`)
      .join(''),
    added,
    dropped,
  };
}
const BASE = side('', []).text;
const clean = (base: string, ours: string, theirs: string): string => {
  const merged = merge3(base, ours, theirs);
  assert.ok(merged.clean);
  return merged.text;
};

describe(`three-way merge (seed ${SEED})`, function () {
  this.timeout(30_000);
  const folder = useFolder();

  it('a side that equals the base gives the other; equal sides give themselves', () => {
    const holds = (base: string, other: string): void => {
      assert.equal(clean(base, base, other), other);
      assert.equal(clean(base, other, base), other);
      assert.equal(clean(base, other, other), other);
    };
    fc.assert(fc.property(someText, someText, holds), { seed: SEED, numRuns: 2000 });
  });

  it('a clean merge holds every line either side added, and none that either deleted', () => {
    let clean = 0;
    fc.assert(
      fc.property(editsOf, editsOf, (a, b) => {
        const ours = side('ours', a);
        const theirs = side('theirs', b);
        const merged = merge3(BASE, ours.text, theirs.text);
        if (!merged.clean) return;
        clean += 1;
        const lines = new Set(splitLines(merged.text).lines);
        for (const added of [...ours.added, ...theirs.added]) assert.ok(lines.has(added), added);
        for (const dropped of [...ours.dropped, ...theirs.dropped]) assert.ok(!lines.has(dropped), dropped);
        const untouched = splitLines(BASE).lines.filter((l) => ![...ours.dropped, ...theirs.dropped].includes(l));
        for (const kept of untouched) assert.ok(lines.has(kept), kept);
      }),
      { seed: SEED, numRuns: 3000 },
    );
    assert.ok(clean > 300, `${clean} clean ones`);
  });

  it('is the same from both sides, but for whose line ends are taken', () => {
    const holds = (base: string, ours: string, theirs: string): void => {
      const one = merge3(base, ours, theirs);
      const other = merge3(base, theirs, ours);
      assert.equal(one.clean, other.clean);
      if (one.clean && other.clean) assert.equal(toLf(one.text), toLf(other.text));
    };
    fc.assert(fc.property(someText, someText, someText, holds), { seed: SEED, numRuns: 2000 });
  });

  it('hunks that touch overlap; identical changes are one', () => {
    assert.equal(merge3('a\nb\nc\n', 'A\nb\nc\n', 'a\nB\nc\n').clean, false);
    assert.equal(merge3('a\nb\n', 'a\nx\nb\n', 'a\ny\nb\n').clean, false);
    assert.equal(merge3('a\nb\nc\n', 'a\nc\n', 'a\nb\nnew\nc\n').clean, false);
    assert.equal(clean('a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nC\n'), 'A\nb\nC\n');
    assert.equal(clean('a\nb\nc\n', 'a\nX\nc\nours\n', 'a\nX\nc\n'), 'a\nX\nc\nours\n');
  });

  it('has the line ends of theirs, and the final end of the side that changed it', () => {
    assert.equal(clean('a\nb\nc\n', 'A\nb\nc\n', 'a\r\nb\r\nC\r\n'), 'A\r\nb\r\nC\r\n');
    assert.equal(clean('a\nb\nc', 'A\nb\nc\n', 'a\nb\nc'), 'A\nb\nc\n');
    assert.equal(clean('a\nb\nc\n', 'A\nb\nc\n', 'a\nb\nc'), 'A\nb\nc');
    assert.equal(clean('a\r\nb\nc\r\n', 'a\nb\nc\nd\n', '0\r\na\r\nb\nc\r\n'), '0\r\na\r\nb\nc\r\nd\r\n');
  });

  it('agrees with git merge-file, mostly: how often is printed', function () {
    this.timeout(60_000);
    if (spawnSync('git', ['--version']).status !== 0) this.skip();
    const any = fc.tuple(someText, someText, someText);
    const near = fc
      .tuple(editsOf, editsOf)
      .map(([a, b]): [string, string, string] => [BASE, side('ours', a).text, side('theirs', b).text]);
    const cases = fc.sample(fc.oneof(any, near), { seed: SEED, numRuns: 250 });
    const count = { total: 0, bothClean: 0, onlyOurs: 0, onlyGit: 0, other: 0 };
    for (const given of cases) {
      const [base, ours, theirs] = given;
      const files = ['ours', 'base', 'theirs'].map((name) => folder.at(name));
      [ours, base, theirs].forEach((content, i) => writeFileSync(files[i] ?? '', content));
      const git = spawnSync('git', ['merge-file', '-p', '-q', ...files], { encoding: 'utf8' });
      const mine = merge3(base, ours, theirs);
      count.total += 1;
      if (mine.clean && git.status === 0) {
        count.bothClean += 1;
        if (mine.text !== git.stdout) count.other += 1;
      } else if (mine.clean) count.onlyOurs += 1;
      else if (git.status === 0) count.onlyGit += 1;
    }
    console.log(`      ${JSON.stringify(count)}`);
    assert.ok(count.bothClean > 10);
    // Ours may be more careful than git, never much bolder.
    assert.ok(count.onlyOurs <= count.total / 20, JSON.stringify(count));
  });
});
