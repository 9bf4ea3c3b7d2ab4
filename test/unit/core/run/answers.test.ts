/** An answer of the human holds for what it was given about, and is not taken back by what comes later. */
import assert from 'node:assert/strict';
import { pendingDecisions } from '../../../../src/core/run/update';
import { call, slow, Stage, unknownWrite } from './stage';

describe('an answer while a check looks', () => {
  const OUTCOMES = { happened: 'done', didNotHappen: 'failedBeforeEffect', runAgain: 'notStarted' } as const;
  for (const [choice, outcome] of Object.entries(OUTCOMES))
    it(`counts, and the check changes nothing any more: ${choice}`, async () => {
      const stage = await unknownWrite();
      const { world, core } = stage;
      const looked = world.files.stall('stat', 'x.txt');
      const { id } = stage.open('unknownEffect');
      void core.decide({ decisionId: id, choice: 'check' });
      await stage.until('checking', (s) => s.inFlight?.kind === 'check');
      assert.deepEqual(await world.finish(core.decide({ decisionId: id, choice })), { state: 'answered' });
      looked();
      await world.settle();
      assert.equal(stage.state.decisions.find((d) => d.id === id)?.answer?.choice, choice);
      assert.equal(stage.step(3).outcome, outcome);
      assert.equal(stage.state.inFlight, null);
      assert.equal(stage.state.status, 'paused');
    });
});

/** Whatever else is asked beside unsaved text (the command that stands still, another branch) goes on. */
async function goOn(stage: Stage): Promise<void> {
  for (let i = 0; i < 5; i += 1) {
    await stage.world.settle();
    const other = pendingDecisions(stage.state).find((d) => d.kind === 'worldChanged');
    if (other) await stage.world.finish(stage.core.decide({ decisionId: other.id, choice: 'continue' }));
  }
}

describe('an answer about unsaved text', () => {
  const replies = [
    call('read_file', { path: 'a.txt' }),
    slow('one'),
    call('run_command', { command: 'echo built >> log.txt' }),
    { text: 'Done.' },
  ];

  it('discards what it was about, and asks anew where more was typed since', async () => {
    const stage = await Stage.open({ files: { 'a.txt': 'a\nb\n' }, settings: { approvals: 'auto' }, replies });
    const { world, core } = stage;
    const at = (branch: string): object => ({ branch, head: branch.slice(0, 1).repeat(40), operation: null });
    Object.assign(world, { git: at('main') });
    await stage.running(2);
    await world.finish(core.pause());
    world.buffers.type('a.txt', (lines) => ['scratch', ...lines]);
    Object.assign(world, { git: at('other') });
    await world.finish(core.resume());
    await stage.decide('unsaved', 'discard');
    world.buffers.type('a.txt', (lines) => [...lines, 'typed since']);
    await goOn(stage);
    assert.match(world.buffers.get('a.txt')?.text ?? '', /typed since/);
    assert.equal(stage.state.status, 'needsHuman');
    await stage.decide('unsaved', 'discard');
    await goOn(stage);
    assert.equal(world.buffers.get('a.txt')?.text ?? 'a\nb\n', 'a\nb\n');
    assert.equal(stage.state.decisions.filter((d) => d.kind === 'unsaved').length, 2);
  });

  for (const choice of ['discard', 'save'])
    it(`given while the editor was closed, it is no answer about what is typed later: ${choice}`, async () => {
      const stage = await Stage.open({ files: { 'a.txt': 'a\n' }, settings: { approvals: 'auto' }, replies });
      const { world, core } = stage;
      const at = (branch: string): object => ({ branch, head: branch.slice(0, 1).repeat(40), operation: null });
      Object.assign(world, { git: at('main') });
      await stage.running(2);
      await world.finish(core.pause());
      world.buffers.type('a.txt', () => ['scratch', '']);
      Object.assign(world, { git: at('other') });
      await world.finish(core.resume());
      world.buffers.closeDocument('a.txt');
      await stage.decide('unsaved', choice);
      world.buffers.type('a.txt', () => ['new work', '']);
      await goOn(stage);
      assert.equal(world.buffers.get('a.txt')?.text, 'new work\n');
      assert.equal(world.files.text('a.txt'), 'a\n');
      assert.match(stage.open('unsaved').detail, /^If you keep it unsaved/);
    });

  for (const choice of ['discard', 'save'])
    it(`typed on in the very moment it is carried out, it is asked again: ${choice}`, async () => {
      let asked = 0;
      for (let turns = -1; turns < 30; turns += 1) {
        const stage = await Stage.open({ files: { 'a.txt': 'a\n' }, settings: { approvals: 'auto' }, replies });
        const { world, core } = stage;
        await stage.running(2);
        await world.finish(core.pause());
        world.buffers.type('a.txt', () => ['scratch', '']);
        await world.finish(core.resume());
        await stage.decide('worldChanged', 'continue');
        const answer = core.decide({ decisionId: stage.open('unsaved').id, choice });
        // The first time before the call has even returned to its own work.
        if (turns >= 0) await world.go(turns);
        world.buffers.type('a.txt', (lines) => ['typed since', ...lines]);
        await world.finish(answer);
        await goOn(stage);
        assert.match(world.buffers.get('a.txt')?.text ?? '', /typed since/, `after ${turns}`);
        if (world.buffers.get('a.txt')?.text.includes('scratch')) asked += 1;
      }
      assert.ok(asked > 0);
    });

  for (const policy of ['ask', 'save'] as const)
    it(`that the editor cannot carry out is said, and asked (${policy})`, async () => {
      const settings = { approvals: 'auto', unsavedOnResume: policy } as const;
      const stage = await Stage.open({ files: { 'a.txt': 'a\nb\n' }, settings, replies });
      const { world, core } = stage;
      await stage.running(2);
      await world.finish(core.takeOver());
      world.buffers.type('a.txt', (lines) => ['my fix', ...lines]);
      world.buffers.save = () => Promise.resolve(false);
      await world.finish(core.handBack());
      if (policy === 'ask') await stage.decide('unsaved', 'save');
      await goOn(stage);
      assert.match(stage.open('unsaved').detail, /could not save or revert a\.txt/);
      assert.equal(world.files.text('log.txt')?.includes('built') ?? false, false);
      await stage.decide('unsaved', 'keep');
      await goOn(stage);
      await stage.untilStatus('completed');
      assert.match(world.files.text('log.txt') ?? '', /built/);
    });
});

describe('an answer about what a command went over', () => {
  const TYPED = 'TYPED\n';
  const MERGED = 'TYPED\nAND MERGED BY HAND\n';

  /** Asked about a.txt; the human has settled it by hand, and their first answer was about a text that is gone. */
  async function mergedByHand(): Promise<Stage> {
    const stage = await Stage.open({
      tree: true,
      settings: { humanLines: 'off' },
      files: { 'a.txt': 'one\n' },
      replies: [
        call('read_file', { path: 'a.txt' }),
        call('run_command', { command: 'sleep 500; echo CMD > a.txt' }),
        call('write_file', { path: 'a.txt', content: 'MODEL\n' }),
      ],
    });
    const { buffers } = stage.world;
    await stage.running(2);
    buffers.type('a.txt', () => TYPED.split('\n'));
    await stage.until('asks', () => stage.waiting());
    buffers.type('a.txt', () => MERGED.split('\n'));
    buffers.saveByHuman('a.txt');
    await stage.decide('conflict', 'agent');
    await stage.world.settle();
    return stage;
  }

  it('is asked again with words for what is there now', async () => {
    const { state, world } = await mergedByHand();
    const asked = state.decisions.filter((d) => d.state === 'pending');
    assert.deepEqual(
      asked.map((d) => d.choices.map((c) => c.label)),
      [['Put Mine Back', 'Keep What Is There']],
    );
    assert.match(asked[0]?.detail ?? '', /^a\.txt was changed again since the command/);
    assert.equal(world.files.text('a.txt'), MERGED);
  });

  it('keeps what is there for what it is, and no write goes over it unseen', async () => {
    const stage = await mergedByHand();
    await stage.decide('conflict', 'agent');
    await stage.untilStatus('completed');
    assert.equal(stage.world.files.text('a.txt'), MERGED);
    assert.match(stage.lastRequest(), /a\.txt was changed again after the command, and the human kept that/);
    assert.doesNotMatch(stage.lastRequest(), /took what the command made/);
    assert.equal(stage.step(3).outcome, 'failedBeforeEffect');
  });

  it('puts back what they had, and says so', async () => {
    const stage = await mergedByHand();
    await stage.decide('conflict', 'mine');
    await stage.until('put back', () => stage.world.files.text('a.txt') === TYPED);
    const copy = await stage.world.finish(stage.world.store.blobs.get(stage.world.ports().hash(Buffer.from(MERGED))));
    assert.equal(Buffer.from(copy ?? []).toString(), MERGED);
  });

  it('given twice in one breath counts once, and another one is not passed over in silence', async () => {
    const stage = await mergedByHand();
    const { id: decisionId } = stage.open('conflict');
    const [first, same, other] = await stage.world.finish(
      Promise.all(['mine', 'mine', 'agent'].map((choice) => stage.core.decide({ decisionId, choice }))),
    );
    assert.deepEqual([first, same], [{ state: 'pending' }, { state: 'pending' }]);
    assert.ok(other && 'refused' in other, JSON.stringify(other));
    assert.match(other.message, /^Another answer to that is just being put in place/);
    await stage.world.settle();
    assert.equal(stage.state.decisions.find((d) => d.id === decisionId)?.answer?.choice, 'mine');
  });

  it('means the command again where its text is back', async () => {
    const stage = await mergedByHand();
    stage.world.files.put('a.txt', 'CMD\n');
    stage.world.buffers.follow();
    await stage.decide('conflict', 'agent');
    await stage.world.settle();
    assert.deepEqual(
      stage.open('conflict').choices.map((c) => c.label),
      ['Keep Mine', "Take the Command's"],
    );
    await stage.decide('conflict', 'agent');
    await stage.untilStatus('completed');
    assert.match(stage.lastRequest(), /took what the command made of a\.txt/);
  });
});
