import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ARCHIVE_VERSION } from '../../../../src/core/transfer/archive';
import { stepProblems, transcriptProblems } from '../../../scenarios/invariants';
import { tree, until, useFolder } from '../../node/helpers';
import type { Machine } from './machine';
import { forged, granted, linesOf, refused, write, useMachines } from './machine';

const README = 'one\ntwo\nthree\n';
const FIRST = [
  { tool: 'read_file', with: { path: 'README' } },
  write('a.txt', 'from the agent\n'),
  { tool: 'edit_file', with: { path: 'README', old_text: 'two', new_text: 'TWO' }, pauseBefore: true },
  write('b.txt', 'last\n'),
];

describe('a run handed to another machine', function () {
  this.timeout(60_000);
  const folder = useFolder();
  const file = (): string => folder.at('run.holdfast-run');
  const machine = useMachines(folder);

  /** A run that waits before its third step, exported. */
  async function exported(): Promise<{ one: Machine; runId: string }> {
    const one = await machine('one');
    one.put({ README });
    const { runId, status } = await one.start(FIRST);
    assert.equal(status, 'paused');
    granted(await one.core.exportRun({ runId, target: file() }));
    return { one, runId };
  }

  it('stands paused there, says what differs, and goes on at a resume', async () => {
    const { one, runId } = await exported();
    const before = one.core.get(runId);
    const two = await machine('two');
    two.put({ README: `${README}four\n` });
    const { from, status, ...rest } = granted(await two.core.importRun({ target: file() }));
    assert.deepEqual([rest.runId, status], [runId, 'paused']);
    assert.deepEqual([from.runId, from.files.same, from.engine], [runId, 0, undefined]);
    assert.deepEqual([from.files.different, from.files.missing], [['README'], ['a.txt']]);
    const state = two.core.get(runId);
    assert.ok(state && before);
    assert.deepEqual([state.status, state.control, state.reason?.code], ['paused', 'agent', 'imported']);
    assert.deepEqual(state.importedFrom, from);
    assert.deepEqual([transcriptProblems(state), stepProblems(state)], [[], []]);
    assert.deepEqual(
      state.transcript.filter(({ kind }) => kind !== 'remark'),
      before.transcript.filter(({ kind }) => kind !== 'remark'),
    );
    for (const { after } of state.steps.flatMap((step) => step.changes))
      assert.deepEqual(await two.core.content(after ?? ''), await one.core.content(after ?? ''));
    assert.equal(existsSync(path.join(two.workspace, 'a.txt')), false, 'an import writes nothing in the workspace');

    const { reconcile } = granted(await two.core.resume({ runId }));
    assert.deepEqual(
      reconcile?.files.map(({ path: name, verdict }) => [name, verdict]),
      [
        ['README', 'humanEdited'],
        ['a.txt', 'humanDeleted'],
      ],
    );
    assert.equal((await two.core.settled(runId)).status, 'completed');
    assert.equal(readFileSync(path.join(two.workspace, 'README'), 'utf8'), 'one\nTWO\nthree\nfour\n');
    assert.equal(readFileSync(path.join(two.workspace, 'b.txt'), 'utf8'), 'last\n');
    assert.equal(readFileSync(path.join(one.workspace, 'README'), 'utf8'), README, 'the first machine is as it was');
    assert.equal(one.core.get(runId)?.status, 'paused');
  });

  it('is there after a restart, with the records of before, and can be exported again from there', async () => {
    const { runId } = await exported();
    const records = linesOf(readFileSync(file())).filter((line) => 'record' in line).length;
    const two = await machine('two');
    two.put({ README });
    granted(await two.core.importRun({ target: file() }));
    await two.core.dispose();
    await two.open();
    assert.deepEqual(
      two.core.runs().map((run) => [run.runId, run.status, run.stepsDone]),
      [[runId, 'paused', 2]],
    );
    const target = folder.at('again.holdfast-run');
    const again = granted(await two.core.exportRun({ runId, target }));
    assert.ok(again.records >= records && records > 5, `${again.records} of ${records}`);
    const three = await machine('three');
    three.put({ README, 'a.txt': 'from the agent\n' });
    const { from } = granted(await three.core.importRun({ target }));
    assert.deepEqual([from.files.same, from.files.different, from.files.missing], [2, [], []]);
    await three.core.resume({ runId });
    assert.equal((await three.core.settled(runId)).status, 'completed');
  });

  it('gets a new id where its own is taken, and every id in it with it', async () => {
    const { one, runId } = await exported();
    const { runId: other, from } = granted(await one.core.importRun({ target: file() }));
    assert.notEqual(other, runId);
    assert.deepEqual([from.runId, from.files.same], [runId, 2]);
    const state = await one.core.load(other);
    assert.ok(state);
    assert.deepEqual([transcriptProblems(state), stepProblems(state)], [[], []]);
    const { importedFrom: _from, reason: _reason, transcript, ...rest } = state;
    assert.equal(
      JSON.stringify([rest, transcript.slice(0, -1)]).includes(runId),
      false,
      'no id of the other run is left',
    );
    granted(await one.core.resume({ runId: other }));
    assert.equal((await one.core.settled(other)).status, 'completed');
    assert.equal(one.core.get(runId)?.status, 'paused');
  });

  it('a run that is over stays over, and can be forked there', async () => {
    const one = await machine('one');
    const { runId } = await one.start([write('a.txt', 'a\n')]);
    granted(await one.core.exportRun({ runId, target: file() }));
    const two = await machine('two');
    assert.equal(granted(await two.core.importRun({ target: file() })).status, 'completed');
    assert.equal(refused(await two.core.resume({ runId })).code, 'final');
    const fork = granted(await two.core.forkRun({ runId, checkpoint: 'start' }));
    granted(await two.core.resume(fork));
    assert.equal((await two.core.settled(fork.runId)).status, 'completed');
  });

  it('a run at work is refused, and what stands under the name is left alone', async () => {
    const one = await machine('one');
    const source = JSON.stringify({ goal: 'x', steps: [{ ...write('a', 'a'), delay_s: 60 }] });
    const engine = { kind: 'playbook', label: 'p', source, format: 'json' } as const;
    const { runId } = granted(await one.core.startRun({ engine }));
    assert.equal(refused(await one.core.exportRun({ runId, target: file() })).code, 'busy');
    await one.core.pause({ runId });
    writeFileSync(file(), 'mine');
    assert.match(refused(await one.core.exportRun({ runId, target: file() })).message, /stands under that name/);
    assert.equal(readFileSync(file(), 'utf8'), 'mine');
    granted(await one.core.exportRun({ runId, target: file(), overwrite: true }));
    assert.equal(linesOf(readFileSync(file()))[0]?.['runId'], runId);
    if (process.platform !== 'win32') assert.equal(statSync(file()).mode & 0o777, 0o600);
    for (const target of [
      'relative.holdfast-run',
      folder.dir,
      folder.at('no/such/folder'),
      path.join(one.storage, 'x'),
    ])
      assert.ok(refused(await one.core.exportRun({ runId, target })).message.length > 20, target);
    assert.deepEqual(readdirSync(folder.dir).sort(), ['one', 'run.holdfast-run']);
    // the index is being written now and then; what an export leaves behind would stay
    await until('no temporary file', () => !readdirSync(one.storage).some((name) => name.endsWith('.tmp')));
  });

  it('cut off anywhere, or with any byte changed, it is refused and nothing is written, or it is the same run', async () => {
    const { runId } = await exported();
    const whole = readFileSync(file());
    const two = await machine('two');
    const sample = Array.from({ length: 150 }, (_, n) => Math.floor((n * whole.length) / 150));
    for (const length of sample) {
      truncateSync(file(), length);
      assert.ok(refused(await two.core.importRun({ target: file() })).message.length > 20, `cut to ${length}`);
      writeFileSync(file(), whole);
    }
    assert.equal(existsSync(path.join(two.storage, 'runs')), false, 'nothing was written');
    let same = 0;
    for (const at of sample) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(file(), bytes);
      const answer = await two.core.importRun({ target: file() });
      if ('refused' in answer) continue;
      same += 1; // in the head of gzip there are bytes that say nothing
      assert.ok(at < 10, `byte ${at}`);
      assert.equal((await two.core.load(answer.runId))?.steps.length, two.core.get(runId)?.steps.length);
    }
    assert.ok(same < 5, `${same}`);
  });

  it('a newer version, nonsense and what is no file are told apart', async () => {
    await exported();
    const [head = {}, ...lines] = linesOf(readFileSync(file()));
    const two = await machine('two');
    const told = async (bytes: Buffer | string): Promise<string> => {
      writeFileSync(file(), bytes);
      return refused(await two.core.importRun({ target: file() })).message;
    };
    assert.match(await told(forged([{ ...head, holdfastRun: ARCHIVE_VERSION + 1 }, ...lines])), /newer version/);
    assert.match(await told(forged([{ ...head, schemaVersion: 999 }, ...lines])), /newer version/);
    assert.match(await told(''), /no exported run/);
    assert.match(await told('PK\x03\x04 a zip'), /no exported run/);
    assert.match(await told(forged([{ hello: 1 }, ...lines])), /no exported run/);
    assert.match(await told(forged([{ ...head, runId: '../../x' }, ...lines])), /damaged/);
    const other = lines.map((line) =>
      'list' in line && line['list'] === 'steps' ? { ...line, item: { n: 7 } } : line,
    );
    assert.match(await told(forged([head, ...other])), /damaged/);
    assert.match(refused(await two.core.importRun({ target: folder.dir })).message, /folder/);
    assert.match(refused(await two.core.importRun({ target: folder.at('none') })).message, /no such file/);
    assert.match(refused(await two.core.importRun({ target: 'run.holdfast-run' })).message, /full path/);
    assert.equal(refused(await two.core.importRun(undefined as never)).code, 'badArgument');
    assert.equal(existsSync(path.join(two.storage, 'runs')), false);
    assert.deepEqual(tree(two.workspace), []);
  });
});
