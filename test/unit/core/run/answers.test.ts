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
