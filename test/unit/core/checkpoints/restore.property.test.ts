/** Restore and its undo, held against random runs, human acts between their steps, and kills in the middle. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Reply } from '../../../sim/model';
import { type HumanAct, Theatre } from './theatre';
import { SEED, runs } from '../../chance';

const RUNS = runs();

const PATHS = ['a.txt', 'b.txt', 'c.bin', 'd/e.txt', 'new.txt'] as const;
const path = fc.constantFrom(...PATHS);

/** Text in the forms files have, and bytes that are no text. */
const content = fc
  .tuple(
    fc.array(fc.constantFrom('one', 'two', 'three', 'ünï', ''), { maxLength: 8 }),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('utf8', 'bom', 'utf16', 'latin1', 'binary'),
    fc.boolean(),
  )
  .map(([lines, eol, form, ends]): Uint8Array => {
    const text = lines.join(eol) + (ends ? eol : '');
    if (form === 'bom') return Buffer.from(`\uFEFF${text}`);
    if (form === 'utf16') return Buffer.from(`\uFEFF${text}`, 'utf16le');
    if (form === 'latin1') return Buffer.from(text, 'latin1');
    return form === 'binary' ? Buffer.from([0, 1, ...Buffer.from(text)]) : Buffer.from(text);
  });

const word = fc.constantFrom('one', 'two', 'three', 'uno', 'due');
const call = fc.oneof(
  fc.record({ tool: fc.constant('read_file'), args: fc.record({ path }) }),
  fc.record({
    tool: fc.constant('write_file'),
    args: fc.record({ path, content: fc.array(word, { maxLength: 6 }).map((lines) => `${lines.join('\n')}\n`) }),
  }),
  fc.record({
    tool: fc.constant('edit_file'),
    args: fc.record({ path, old_text: word, new_text: word, all: fc.boolean() }),
  }),
  fc.record({ tool: fc.constant('delete_file'), args: fc.record({ path }) }),
  fc.record({ tool: fc.constant('move_file'), args: fc.record({ from: path, to: path }) }),
);
/** Several calls in a reply: the run asks its model less often, which is most of the time a run takes. */
const reply = fc
  .array(fc.tuple(call, fc.constantFrom(true, false, false, false)), { minLength: 1, maxLength: 6 })
  .map((calls): Reply => ({
    calls: calls.map(([one, pauseBefore]) => ({ ...one, ...(pauseBefore ? { pauseBefore } : {}) })),
  }));
const act: fc.Arbitrary<HumanAct> = fc.record({
  kind: fc.constantFrom('write', 'delete', 'rename', 'chmod'),
  path,
  bytes: content,
  to: path,
});
const acts = fc.array(act, { maxLength: 2 });

const play = fc.record({
  files: fc.record({ 'a.txt': content, 'b.txt': content, 'c.bin': content, 'd/e.txt': content }),
  modes: fc.record({ 'a.txt': fc.constantFrom(0o644, 0o755, 0o600), 'b.txt': fc.constantFrom(0o644, 0o444) }),
  replies: fc.array(reply, { minLength: 1, maxLength: 2 }),
  between: fc.array(acts, { maxLength: 3 }),
  after: acts,
  checkpoint: fc.nat(),
  kill: fc.oneof(
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }) },
  ),
});

describe('restore and undo', () => {
  it(`are the identity, and touch only the run's own (${RUNS} runs, seed ${SEED})`, async function () {
    this.timeout(0);
    let restored = 0;
    let skipped = 0;
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(play, async ({ files, modes, replies, between, after, checkpoint, kill }) => {
        const theatre = new Theatre(files, modes, replies, PATHS);
        await theatre.play(between);
        for (const one of after) theatre.act(one);
        const before = theatre.disk();
        const n = checkpoint % (theatre.state.steps.length + 1);
        const preview = await theatre.world.finish(theatre.core.restoreCheckpoint({ checkpoint: n, dryRun: true }));
        assert.ok('files' in preview);
        assert.deepEqual(theatre.disk(), before, 'a preview changes nothing');

        if (kill !== null) await theatre.killed(n, kill);
        const records = theatre.state.restores?.length ?? 0;
        cut += records;
        const result = await theatre.restore(n);
        const there = theatre.disk();
        const changed = [...new Set([...before.keys(), ...there.keys()])].filter(
          (one) => JSON.stringify(before.get(one)) !== JSON.stringify(there.get(one)),
        );
        if (kill === null) assert.deepEqual(result.restored.toSorted(), changed.toSorted());
        for (const one of changed) {
          assert.ok(preview.restored.includes(one), `${one} was in the preview`);
          assert.equal(before.get(one)?.bytes ?? null, theatre.lastWrite.get(one), `${one} held the run's last write`);
          const then = theatre.boundaries.get(n);
          if (then && !theatre.human.has(one))
            assert.equal(there.get(one)?.bytes, then.get(one)?.bytes, `${one} as it was`);
          // A mode the human gave goes along with a file that is moved back; a place taken over by another keeps that one's.
          const moved = theatre.state.steps.some((step) => step.tool === 'move_file');
          if (then && theatre.human.size === 0 && !moved)
            assert.deepEqual(there.get(one), then.get(one), `${one} with its mode`);
        }
        restored += changed.length;
        skipped += result.skipped.length;

        const again = await theatre.restore(n);
        assert.deepEqual(again.restored, [], 'once is enough');
        assert.deepEqual(theatre.disk(), there);

        // Cut by the kill it was two restores: each has its undo.
        const made = theatre.state.restores?.filter((one) => one.kind === 'restore').map((one) => one.id) ?? [];
        for (const id of made.toReversed()) await theatre.undo(id);
        assert.deepEqual(theatre.disk(), before, 'undone: bytes, modes and existence');
        for (const id of made.toReversed()) assert.deepEqual((await theatre.undo(id)).restored, []);
        assert.deepEqual(theatre.disk(), before);
        assert.deepEqual(theatre.world.errors, []);
      }),
      {
        numRuns: RUNS,
        seed: SEED,
        endOnFailure: process.env['HOLDFAST_SHRINK'] === undefined,
        ...(process.env['HOLDFAST_PATH'] ? { path: process.env['HOLDFAST_PATH'] } : {}),
      },
    );
    console.log(`      ${restored} files restored, ${skipped} left alone, ${cut} restores cut by a kill`);
    assert.ok(restored > RUNS / 4 && skipped > 0);
  });
});
