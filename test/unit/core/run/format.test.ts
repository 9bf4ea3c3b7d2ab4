/** `holdfast.formatOnWrite`: the editor's formatter after a write of the agent, and all that may keep it from its work. */
import assert from 'node:assert/strict';
import type { Formatted, Formatter } from '../../../../src/core/formatter';
import { transcriptProblems } from '../../../scenarios/invariants';
import { FORMAT_MS } from '../../../../src/core/tools/formatting';
import { call, slow, Stage, type StageOptions } from './stage';

/** Trims lines and puts two blanks before each: told from what the agent writes at a glance. */
const tidy = (text: string): string => text.replace(/^[ \t]*(?=\S)/gm, '  ');

class FakeFormatter implements Formatter {
  asked: string[] = [];
  on = true;
  answer: (text: string, signal: AbortSignal) => Promise<Formatted> = (text) =>
    Promise.resolve(tidy(text) === text ? { kind: 'none' } : { kind: 'text', text: tidy(text) });

  wanted(): boolean {
    return this.on;
  }

  format(path: string, text: string, signal: AbortSignal): Promise<Formatted> {
    this.asked.push(`${path}: ${JSON.stringify(text)}`);
    return this.answer(text, signal);
  }
}

const read = call('read_file', { path: 'x.txt' });
const write = (content: string): ReturnType<typeof call> => call('write_file', { path: 'x.txt', content });
const edit = (old: string, next: string): ReturnType<typeof call> =>
  call('edit_file', { path: 'x.txt', old_text: old, new_text: next });

async function staged(
  replies: StageOptions['replies'],
  options: Partial<StageOptions> = {},
): Promise<{ stage: Stage; formatter: FakeFormatter; disk: () => string | undefined }> {
  const formatter = new FakeFormatter();
  const stage = await Stage.open({ files: { 'x.txt': 'one\ntwo\n' }, replies, formatter, ...options });
  return { stage, formatter, disk: () => stage.world.files.text('x.txt') };
}

/** A formatter that answers when it is told to. */
function held(formatter: FakeFormatter): (answer: Formatted) => void {
  let give: (answer: Formatted) => void = () => undefined;
  formatter.answer = () => new Promise((resolve) => (give = resolve));
  return (answer) => give(answer);
}

const isAsked = (formatter: FakeFormatter) => (): boolean => formatter.asked.length > 0;

describe('the formatter of the editor after a write', () => {
  it('its text is told, is what the run knows, is the agent’s, and goes back with a restore', async () => {
    const { stage, formatter, disk } = await staged([read, write('uno\ndue\n'), edit('  uno', '  UNO'), slow('a')]);
    await stage.running(4);
    assert.deepEqual(formatter.asked, ['x.txt: "uno\\ndue\\n"', 'x.txt: "  UNO\\n  due\\n"']);
    assert.equal(disk(), '  UNO\n  due\n');
    assert.match(
      stage.step(2).text ?? '',
      /^Wrote x\.txt\.\nThe editor's formatter went over it; x\.txt holds now:\n {2}uno\n {2}due\n$/,
    );
    // The edit found the formatter's text without reading the file again, and left nothing to format.
    assert.match(stage.step(3).text ?? '', /^Edited x\.txt \(line 1\)\.$/);
    const [change] = stage.step(2).changes;
    assert.equal(stage.step(2).changes.length, 1);
    assert.equal(change?.unformatted, undefined);
    const record = stage.state.files.find((f) => f.path === 'x.txt');
    assert.deepEqual([record?.by, record?.human, record?.owned], ['agent', undefined, undefined]);
    const { world, core } = stage;
    await world.finish(core.pause());
    await world.finish(core.resume());
    assert.deepEqual(stage.state.report?.files, []);
    await world.finish(core.pause());
    const restored = await world.finish(core.restoreCheckpoint({ checkpoint: 1 }));
    assert.ok('restored' in restored, JSON.stringify(restored));
    assert.equal(disk(), 'one\ntwo\n');
  });

  it('a new file is formatted too, and goes with a restore', async () => {
    const { stage } = await staged([call('write_file', { path: 'new/y.txt', content: 'a\n' }), slow('a')]);
    await stage.running(2);
    assert.equal(stage.world.files.text('new/y.txt'), '  a\n');
    await stage.world.finish(stage.core.pause());
    await stage.world.finish(stage.core.restoreCheckpoint({ checkpoint: 'start' }));
    assert.equal(stage.world.files.text('new/y.txt'), undefined);
  });

  it('is not asked where the setting is off, nor for other tools, nor for what looks secret', async () => {
    const { stage, formatter } = await staged([read, write('uno\n'), call('delete_file', { path: 'x.txt' })]);
    formatter.on = false;
    await stage.untilStatus('completed');
    assert.deepEqual(formatter.asked, []);
    const secret = await staged([call('write_file', { path: '.env', content: 'KEY=1\n' })]);
    await secret.stage.until('asked', (s) => s.status === 'awaitingApproval');
    await secret.stage.decide('approval', 'grant');
    await secret.stage.untilStatus('completed');
    assert.equal(secret.stage.world.files.text('.env'), 'KEY=1\n');
    assert.deepEqual(secret.formatter.asked, []);
  });

  it('keeps CRLF line ends, and does not touch bytes that are no text in its encoding', async () => {
    const { stage, disk } = await staged([read, edit('one', 'uno')], { files: { 'x.txt': 'one\r\ntwo\r\n' } });
    await stage.untilStatus('completed');
    assert.equal(disk(), '  uno\r\n  two\r\n');
    const latin = await staged([read, edit('one', 'uno')], {
      files: { 'x.txt': new Uint8Array([111, 110, 101, 10, 0xe9, 10]) },
    });
    await latin.stage.untilStatus('completed');
    assert.deepEqual([...(latin.stage.world.files.bytes('x.txt') ?? [])], [117, 110, 111, 10, 0xe9, 10]);
    assert.deepEqual(latin.formatter.asked, []);
  });

  it('lines the human wrote stay as they are: the file is left as it was written, and that is told', async () => {
    const { stage, disk } = await staged([read, slow('a'), edit('one', 'uno'), slow('b')]);
    await stage.running(2);
    stage.world.files.put('x.txt', 'one\nmine\ntwo\n');
    await stage.running(4);
    assert.equal(disk(), 'uno\nmine\ntwo\n');
    assert.match(
      stage.step(3).text ?? '',
      /formatter would have changed text that the human wrote \(line 2\): x\.txt is as it was written/,
    );
    assert.deepEqual(stage.state.files.find((f) => f.path === 'x.txt')?.owned?.ranges, [{ from: 2, to: 2 }]);
  });

  it('unsaved text is formatted where it stands, in the editor', async () => {
    const { stage, disk } = await staged([read, slow('a'), edit('two', 'due'), slow('b')], {
      settings: { humanLines: 'off' },
    });
    await stage.running(2);
    stage.world.buffers.type('x.txt', (lines) => ['mine', ...lines]);
    await stage.running(4);
    assert.equal(disk(), 'one\ntwo\n');
    assert.equal(stage.world.buffers.get('x.txt')?.text, '  mine\n  one\n  due\n');
    assert.equal(stage.step(3).changes[0]?.unsaved, true);
    await stage.world.finish(stage.core.pause());
    const before = stage.state.files.find((f) => f.path === 'x.txt');
    assert.equal(before?.known, stage.step(3).changes[0]?.after);
  });

  it('of a file that was read in part, nothing is known afterwards but what was told', async () => {
    const long = Array.from({ length: 3000 }, (_, n) => `line ${n + 1} of many words`).join('\n');
    const part = call('read_file', { path: 'x.txt', from_line: 1, to_line: 10 });
    const again = edit('line 2000 of', 'row 2000 of');
    const { stage, formatter, disk } = await staged([part, edit('line 5 of', 'row 5 of'), again], {
      files: { 'x.txt': `${long}\n` },
    });
    formatter.answer = (text) => Promise.resolve({ kind: 'text', text: text.replace('line 1 of', '  line 1 of') });
    await stage.untilStatus('completed');
    assert.match(stage.step(2).text ?? '', /what it changed:\n@@/);
    assert.equal(stage.step(3).outcome, 'failedBeforeEffect');
    assert.equal(stage.step(3).reason, 'notSeen');
    assert.ok(disk()?.startsWith('  line 1 of'));
  });
});

describe('a formatter that is of no help harms no write', () => {
  const asWritten = async (formatter: (one: FakeFormatter) => void, words: RegExp): Promise<Stage> => {
    const one = await staged([read, write('uno\n')]);
    formatter(one.formatter);
    await one.stage.untilStatus('completed');
    assert.equal(one.disk(), 'uno\n');
    assert.equal(one.stage.step(2).effect, 'committed');
    assert.match(one.stage.step(2).text ?? '', words);
    assert.deepEqual(one.stage.world.errors, []);
    return one.stage;
  };

  it('none there', () => asWritten((f) => (f.answer = () => Promise.resolve({ kind: 'none' })), /^Wrote x\.txt\.$/));
  it('one that fails', () =>
    asWritten(
      (f) => (f.answer = () => Promise.reject(new Error('it broke'))),
      /formatter failed \(it broke\): x\.txt is as it was written/,
    ));
  it('one that never answers', async () => {
    const stage = await asWritten(
      (f) => (f.answer = () => new Promise(() => undefined)),
      /did not answer within 5 s: x\.txt is as it was written/,
    );
    assert.ok((stage.step(2).endedAt ?? 0) - (stage.step(2).startedAt ?? 0) >= FORMAT_MS);
  });
  it('one whose text the file cannot hold', () =>
    asWritten((f) => (f.answer = () => Promise.resolve({ kind: 'text', text: 'a\0b' })), /was not let change x\.txt/));

  it('a disk that refuses its text', async () => {
    const one = await staged([read, write('uno\n')]);
    one.formatter.answer = (text) => {
      one.stage.world.files.fail('write', 'x.txt', 'noSpace');
      return Promise.resolve({ kind: 'text', text: tidy(text) });
    };
    await one.stage.untilStatus('completed');
    assert.equal(one.disk(), 'uno\n');
    assert.match(one.stage.step(2).text ?? '', /could not be written \(noSpace\): it was left out/);
    assert.equal(one.stage.step(2).changes[0]?.unformatted, undefined);
  });

  it('the human changes the file meanwhile: theirs stands, and is told as theirs', async () => {
    const { stage, formatter, disk } = await staged([read, write('uno\n'), slow('a')]);
    const give = held(formatter);
    await stage.until('asked', isAsked(formatter));
    stage.world.files.put('x.txt', 'uno\nmine\n');
    give({ kind: 'text', text: '  uno\n' });
    await stage.running(3);
    assert.equal(disk(), 'uno\nmine\n');
    assert.match(stage.step(2).text ?? '', /was changed while the editor's formatter was at work/);
    await stage.world.finish(stage.core.pause());
    await stage.world.finish(stage.core.resume());
    assert.equal(stage.state.report?.files[0]?.verdict, 'humanEdited');
  });

  for (const intent of ['pause', 'abort', 'takeOver'] as const)
    it(`${intent} cuts it: the write is done, and a late answer changes nothing`, async () => {
      const { stage, formatter, disk } = await staged([read, write('uno\n'), slow('a')]);
      let signal: AbortSignal | undefined;
      let give: (answer: Formatted) => void = () => undefined;
      formatter.answer = (_text, given) => {
        signal = given;
        return new Promise((resolve) => (give = resolve));
      };
      await stage.until('asked', isAsked(formatter));
      const at = stage.world.clock.now();
      const receipt = await stage.world.finish(stage.core[intent]());
      assert.ok('intent' in receipt);
      assert.ok(stage.world.clock.now() - at < 1000);
      assert.equal(signal?.aborted, true);
      give({ kind: 'text', text: '  uno\n' });
      await stage.world.settle();
      assert.equal(disk(), 'uno\n');
      assert.deepEqual([stage.step(2).outcome, stage.step(2).effect], ['done', 'committed']);
      assert.match(stage.step(2).text ?? '', /^Wrote x\.txt\.$/);
    });
});

describe('the host dies beside the formatter', () => {
  it('at each of its moments: one write, known for what it is, and no change of the human', async () => {
    const seen = new Set<string>();
    for (let turns = 0; turns < 60; turns += 1) {
      const { stage, formatter, disk } = await staged([read, write('uno\n'), slow('a')]);
      await stage.until('asked', isAsked(formatter));
      for (let n = 0; n < turns; n += 1) await stage.world.go(1);
      const ended = stage.step(2).outcome === 'done';
      await stage.restart();
      const there = disk() ?? '';
      assert.ok(there === 'uno\n' || there === '  uno\n', there);
      const { outcome, changes } = stage.step(2);
      assert.equal(outcome, 'done', `${turns}: ${stage.step(2).text}`);
      const record = stage.state.files.find((f) => f.path === 'x.txt');
      const intended = stage.world.promises.isIntentDurable(stage.step(2).id);
      seen.add(`${there.trim() === there.trimEnd() ? 'as written' : 'formatted'}${ended ? ', over' : ''}`);
      assert.ok(intended);
      assert.equal(record?.known, changes[0]?.after);
      assert.equal(changes[0]?.unformatted, undefined);
      await stage.world.finish(stage.core.resume());
      await stage.untilStatus(stage.waiting() ? stage.state.status : 'completed');
      assert.deepEqual(stage.state.report?.files ?? [], [], `after ${turns} turns`);
      assert.deepEqual(transcriptProblems(stage.state), []);
      if (ended) break;
    }
    assert.deepEqual([...seen].sort(), ['as written', 'formatted', 'formatted, over']);
  });
});
