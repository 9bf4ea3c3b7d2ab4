import assert from 'node:assert/strict';
import { transcriptProblems } from '../../../scenarios/invariants';
import { call, slow, Stage } from './stage';

const files = { 'x.txt': 'one\ntwo\n' };
const read = call('read_file', { path: 'x.txt' });
const edit = (old_text: string, new_text: string) => call('edit_file', { path: 'x.txt', old_text, new_text });

describe('the words of the human are kept', function () {
  this.timeout(30_000);
  it('the note of a hand back that is stopped in the middle is told at the next one', async () => {
    const stage = await Stage.open({ files, replies: [read, slow('a')] });
    await stage.running(2);
    await stage.world.finish(stage.core.takeOver());
    void stage.core.handBack({ note: 'mind the gap' });
    await stage.untilStatus('reconciling');
    await stage.world.finish(stage.core.pause());
    await stage.world.finish(stage.core.resume());
    await stage.untilStatus('completed');
    assert.equal(stage.lastRequest().split('mind the gap').length - 1, 1);
  });

  it('the note of a hand back outlives a crash in the middle of it', async () => {
    const stage = await Stage.open({ files, replies: [read] });
    await stage.world.finish(stage.core.takeOver());
    void stage.core.handBack({ note: 'mind the gap' });
    await stage.untilStatus('reconciling');
    await stage.restart();
    await stage.world.finish(stage.core.resume());
    await stage.untilStatus('completed');
    assert.equal(stage.lastRequest().split('mind the gap').length - 1, 1);
  });

  it('the note of a hand back that is pressed a second time is kept too', async () => {
    const stage = await Stage.open({ files, replies: [read, slow('a')] });
    await stage.running(2);
    await stage.world.finish(stage.core.takeOver());
    const presses = [stage.core.handBack({ note: 'mind the gap' }), stage.core.handBack({ note: 'and the step' })];
    for (const answer of await stage.world.finish(Promise.all(presses))) assert.ok(!('refused' in answer));
    await stage.untilStatus('completed');
    for (const words of ['mind the gap', 'and the step'])
      assert.equal(stage.lastRequest().split(words).length - 1, 1, words);
  });

  it('a hand back with a note and no change does not say that the workspace changed', async () => {
    const stage = await Stage.open({
      files,
      replies: [{ calls: [...(slow('a').calls ?? []), ...(read.calls ?? [])] }],
    });
    await stage.running(1);
    await stage.world.finish(stage.core.takeOver());
    await stage.world.finish(stage.core.handBack({ note: 'be quick' }));
    await stage.untilStatus('completed');
    assert.equal(stage.step(2).reason, 'steered');
    assert.doesNotMatch(stage.lastRequest(), /workspace changed/);
  });
});

describe('when storage or the world cannot be used', function () {
  this.timeout(30_000);
  it('content that cannot be stored pauses the run, and nothing is lost', async () => {
    const stage = await Stage.open({ files, replies: [read, edit('one', 'uno')] });
    stage.world.store.fail('blob', 1);
    await stage.untilStatus('paused');
    assert.equal(stage.state.reason?.code, 'storage');
    await stage.world.finish(stage.core.resume());
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('x.txt'), 'uno\ntwo\n');
  });

  it('a journal that cannot be written stops before the effect; made room, it goes on', async () => {
    for (let n = 1; n <= 12; n += 1) {
      const stage = await Stage.open({ seed: n, files, replies: [read, edit('one', 'uno'), slow('a')] });
      await stage.world.go(n * 6);
      stage.world.store.fail('append', 1000);
      await stage.world.settle();
      const before = stage.world.files.text('x.txt');
      assert.equal(stage.state.status, 'paused', `after ${n * 6} turns`);
      assert.equal(stage.state.reason?.code, 'storage');
      stage.world.store.heal();
      await stage.world.finish(stage.core.resume());
      await stage.world.settle();
      if (stage.waiting()) await stage.decide('unknownEffect', 'happened');
      await stage.untilStatus('completed');
      assert.ok(before === 'one\ntwo\n' || before === 'uno\ntwo\n');
      assert.equal(stage.world.files.text('x.txt'), 'uno\ntwo\n');
      await stage.restart();
      assert.equal(stage.state.status, 'completed');
    }
  });

  it('a repository that cannot be read, or a walk that fails, does not end the run', async () => {
    const stage = await Stage.open({ files, replies: [read, slow('a')] });
    await stage.running(2);
    await stage.world.finish(stage.core.pause());
    stage.world.gitError = new Error('git is away');
    stage.world.files.delete('x.txt');
    stage.world.files.fail('walk', '', 'permissionDenied');
    await stage.world.finish(stage.core.resume());
    assert.equal(stage.state.status, 'needsHuman');
    await stage.decide('worldChanged', 'continue');
    await stage.untilStatus('completed');
    assert.match(stage.lastRequest(), /x\.txt: humanDeleted/);
  });
});

describe('what has run its course', function () {
  this.timeout(30_000);
  it('a pause that comes as the run completes answers so, not with an older receipt', async () => {
    for (let turns = 0; turns < 30; turns += 1) {
      const stage = await Stage.open({ seed: 3, files, replies: [slow('a'), { text: 'Done.' }] });
      await stage.running(1);
      await stage.world.finish(stage.core.pause());
      await stage.world.finish(stage.core.resume());
      await stage.until('asked again', (s) => s.inFlight?.kind === 'model' && s.steps.length === 1);
      await stage.world.go(turns);
      const answer = await stage.world.finish(stage.core.pause());
      if (stage.state.status === 'completed') assert.ok('refused' in answer, `after ${turns} turns`);
      else assert.ok('intent' in answer && stage.state.receipts.length === 2);
    }
  });

  it('nothing is written after a forced abort has settled', async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const stage = await Stage.open({ seed: turns, files, replies: [read, edit('one', 'uno'), edit('two', 'due')] });
      await stage.world.go(turns);
      let late = 0;
      stage.world.files.onChange = () => {
        if (stage.state.status === 'aborted') late += 1;
      };
      void stage.core.abort();
      await stage.world.go(1 + (turns % 3));
      void stage.core.forceStop();
      await stage.world.settle();
      if (stage.state.status !== 'completed') assert.equal(stage.state.status, 'aborted');
      assert.deepEqual(transcriptProblems(stage.state), []);
      const claimed = stage.state.steps.some((s) => s.effect === 'unknown');
      assert.ok(late === 0 || claimed, `${late} late writes after ${turns} turns, and no step is unknown`);
    }
  });
});

describe('files of the human', function () {
  this.timeout(30_000);
  it('what they made where the run had deleted is not deleted unread', async () => {
    const stage = await Stage.open({
      files,
      replies: [read, call('delete_file', { path: 'x.txt' }), slow('a'), call('delete_file', { path: 'x.txt' })],
    });
    await stage.running(3);
    stage.world.files.put('x.txt', 'mine\n');
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('x.txt'), 'mine\n');
    assert.equal(stage.step(4).reason, 'changed');
  });

  it('a write into an unsaved CRLF editor is no change of the human afterwards', async () => {
    const stage = await Stage.open({
      files: { 'x.txt': 'one\r\n' },
      replies: [read, slow('a'), read, call('write_file', { path: 'x.txt', content: 'first\nmine\n' }), slow('b')],
    });
    await stage.running(2);
    stage.world.buffers.type('x.txt', () => ['mine']);
    await stage.running(5);
    assert.equal(stage.step(4).outcome, 'done');
    assert.equal(stage.world.buffers.get('x.txt')?.text, 'first\r\nmine\r\n');
    stage.world.settings.unsavedOnResume = 'save';
    await stage.world.finish(stage.core.pause());
    await stage.world.finish(stage.core.resume());
    assert.deepEqual(stage.state.report?.files, []);
  });

  it('typing in the gap after a write loses neither text, and the write counts once', async () => {
    for (let gap = 0; gap < 14; gap += 1) {
      const stage = await Stage.open({
        seed: gap,
        files: { 'x.txt': 'a\nb\nc\nd\ne\nf\n' },
        replies: [read, edit('f', 'agent')],
      });
      stage.world.buffers.open('x.txt');
      let wrote = 0;
      stage.world.files.onChange = () => void (wrote += 1);
      await stage.until('written', () => wrote > 0);
      for (let i = 0; i < gap; i += 1) await stage.world.go(1);
      stage.world.buffers.type('x.txt', (lines) => ['mine', ...lines]);
      await stage.world.go(1);
      stage.world.buffers.type('x.txt', (lines) => ['mine too', ...lines]);
      await stage.untilStatus('completed');
      const shown = stage.world.buffers.get('x.txt')?.text ?? '';
      const disk = stage.world.files.text('x.txt') ?? '';
      assert.match(shown, /mine too\n(.*\n)*mine\n/, `gap ${gap}`);
      assert.match(disk + shown, /agent/);
      assert.equal(wrote, 1);
      assert.equal(stage.step(2).effect, 'committed', `gap ${gap}: ${stage.step(2).text}`);
    }
  });
});

describe('a stop and a write in the same moment', function () {
  this.timeout(30_000);
  it('a stop that is known before the intent of a write: nothing is written', async () => {
    let met = 0;
    for (let turns = 1; turns < 40; turns += 1) {
      const stage = await Stage.open({ seed: turns, files, replies: [read, edit('one', 'uno')] });
      let stopped = false;
      let late = false;
      stage.world.onState = (s) => {
        const requested = s.steps[1]?.effect === 'requested';
        late ||= stopped && requested;
        stopped ||= s.stopping !== null && !requested;
      };
      await stage.world.go(turns);
      await stage.world.finish(stage.core.pause());
      if (!late) continue;
      met += 1;
      assert.equal(stage.world.files.text('x.txt'), 'one\ntwo\n', `after ${turns} turns`);
      assert.equal(stage.step(2).effect, 'notStarted');
    }
    assert.ok(met > 0, 'the moment was met');
  });
});
