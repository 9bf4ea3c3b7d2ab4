/** Unsaved text in an older encoding: what bytes of that encoding would not bring back is nowhere kept as something else. */
import assert from 'node:assert/strict';
import iconv from 'iconv-lite';
import { linesAfter } from '../../../../src/core/reconcile/commandHits';
import type { Codec } from '../../../sim/buffers';
import { SimWorld } from '../../../sim/world';
import { call, Stage } from './stage';

const codecOf = (id: string): Codec => ({
  id,
  decode: (bytes) => iconv.decode(Buffer.from(bytes), id),
  encode: (text) => iconv.encode(text, id),
});

/** The run reads a file and changes its second line; the human has `typed` a third before that. */
async function story(id: string, typed: string, restored = true): Promise<{ stage: Stage; codec: Codec }> {
  const codec = codecOf(id);
  const path = { path: 'a.txt' };
  const stage = await Stage.open({
    files: { 'a.txt': codec.encode('一\nb\n'), 'z.txt': 'z' },
    replies: [
      call('read_file', { path: 'z.txt' }),
      call('read_file', path),
      call('edit_file', { ...path, old_text: 'b', new_text: 'B' }),
      { text: 'Done.' },
    ],
  });
  stage.world.buffers.codecs.set('a.txt', codec);
  assert.ok(stage.world.buffers.type('a.txt', (lines) => [...lines.slice(0, 2), typed, '']));
  await stage.untilStatus('completed');
  if (restored) await stage.world.finish(stage.core.restoreCheckpoint({ checkpoint: 'start' }));
  return { stage, codec };
}

describe('unsaved text in an older encoding', () => {
  for (const [id, typed] of [
    ['shiftjis', 'größe 😀'],
    ['windows1252', '二'],
    ['eucjp', '😀'],
    ['gbk', 'é😀'],
  ] as const) {
    it(`what ${id} lacks is not edited over, not kept as "?", and not put back`, async () => {
      const { stage, codec } = await story(id, typed);
      const { outcome, text } = stage.step(3);
      assert.equal(outcome, 'failedBeforeEffect');
      assert.match(
        text ?? '',
        new RegExp(`a\\.txt holds characters that cannot be kept in ${id}; nothing was written`),
      );
      assert.deepEqual(stage.step(3).changes, []);
      const shown = codec.decode(codec.encode('一\nb\n'));
      assert.equal(stage.world.buffers.get('a.txt')?.text, `${shown}${typed}\n`);
      assert.deepEqual(Buffer.from(stage.world.files.bytes('a.txt') ?? []), Buffer.from(codec.encode('一\nb\n')));
      // The agent reads what the human sees.
      assert.ok(stage.step(2).text?.includes(typed), stage.step(2).text);
      const known = stage.state.files.find((file) => file.path === 'a.txt')?.known;
      assert.ok(known);
      assert.equal(await stage.world.finish(stage.world.store.blobs.get(known)), undefined);
    });
  }

  it('what it has comes back exactly', async () => {
    const { stage, codec } = await story('shiftjis', '二三');
    assert.equal(stage.step(3).outcome, 'done');
    assert.equal(stage.world.buffers.get('a.txt')?.text, '一\nb\n二三\n');
    assert.deepEqual(Buffer.from(stage.world.files.bytes('a.txt') ?? []), Buffer.from(codec.encode('一\nb\n')));
  });

  it('typed after the edit of the run, it is not merged by a restore', async () => {
    const { stage } = await story('shiftjis', '二', false);
    assert.equal(stage.step(3).outcome, 'done');
    stage.world.buffers.type('a.txt', (lines) => [...lines.slice(0, -1), 'ü', '']);
    const done = await stage.world.finish(stage.core.restoreCheckpoint({ checkpoint: 'start' }));
    assert.ok('files' in done);
    assert.deepEqual(
      done.files.map(({ path, action, reason }) => ({ path, action, reason })),
      [{ path: 'a.txt', action: 'skip', reason: 'unsaved' }],
    );
    assert.equal(stage.world.buffers.get('a.txt')?.text, '一\nB\n二\nü\n');
  });
});

describe('what a command did to lines of the human', () => {
  it('is told in the encoding of the open document: a line beside them is none of theirs', async () => {
    const codec = codecOf('utf-16le');
    const world = new SimWorld({ files: { 'a.txt': codec.encode('a\nmine\nc\n') } });
    world.buffers.codecs.set('a.txt', { ...codec, id: 'utf16le' });
    assert.ok(world.buffers.open('a.txt'));
    const ports = world.ports();
    const before = world.files.bytes('a.txt') ?? new Uint8Array();
    const next = codec.encode('A\nmine\nc\n');
    const of = await world.finish(ports.store.blobs.put(before));
    const owned = { of, ranges: [{ from: 2, to: 2 }] };
    const now = { hash: ports.hash(next), bytes: next, size: next.length };
    const found = await world.finish(linesAfter(ports, 'a.txt', owned, of, now));
    assert.deepEqual(found?.lost, []);
    assert.deepEqual(found.marks.owned?.ranges, [{ from: 2, to: 2 }]);
  });
});
