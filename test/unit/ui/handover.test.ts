import assert from 'node:assert/strict';
import { renderHandover } from '../../../src/ui/render/handover';
import { stateLine } from '../../../src/ui/render/stateLine';
import { stamp } from '../../../src/ui/render/words';
import type { RunState } from '../../../src/core/run/state';
import { decision, file, receipt, runState, step } from './states';

const brief = (s: RunState): string => renderHandover(s, stateLine(s, 5_000_000).text);

describe('handover brief', () => {
  it('holds goal, steps, step in flight, what is to do, why, questions and files', () => {
    const s = runState({
      status: 'humanControl',
      control: 'human',
      reason: { code: 'human', text: 'You took over.' },
      frozen: 'run1/s2',
      steps: [
        step(1),
        step(2, {
          tool: 'run_command',
          outcome: 'running',
          effect: 'requested',
          effectKind: 'process',
          title: 'Run npm test',
        }),
        step(3, { outcome: 'notStarted', title: 'Write b.ts' }),
      ],
      decisions: [decision({ kind: 'unknownEffect', title: 'Did step 1 happen?' })],
      files: [file('a.ts', { by: 'agent', written: 'b', original: 'a' }), file('read.ts')],
    });
    const text = brief(s);
    for (const part of [
      'Rename getUser',
      'You took over.',
      'Step 2 (Run npm test) is frozen in the middle',
      '1. Read file 1: done',
      '3. Write b.ts',
      'unknown effect: Did step 1 happen?',
      'a.ts: changed by the agent',
      'Hand Back reads every file again',
    ]) {
      assert.ok(text.includes(part), part);
    }
    assert.ok(!text.includes('read.ts'));
  });

  it('says who changed a file in the order in which they did', () => {
    const files = [
      file('a.ts', { by: 'human', written: 'b', original: 'a', human: true }),
      file('b.ts', { by: 'human', human: true }),
      file('c.ts', { by: 'agent', written: 'b', original: null, human: true }),
      file('d.ts', { by: 'human', written: 'b', original: null, human: true }),
      file('e.ts', { by: 'agent', written: 'b', original: 'a', deletedByHuman: true, renamedTo: 'f.ts' }),
      file('g.ts', { by: 'agent', written: null, original: 'a' }),
    ];
    const text = brief(runState({ status: 'humanControl', files }));
    for (const line of [
      'a.ts: changed by the agent, then changed by you',
      'b.ts: changed by you',
      'c.ts: created by the agent, with changes of yours',
      'd.ts: created by the agent, then changed by you',
      'e.ts: changed by the agent, then renamed by you to f.ts',
      'g.ts: deleted by the agent',
    ])
      assert.ok(text.includes(`- ${line}\n`), `${line}\n${text}`);
  });

  it('has the time of the stop it tells of, whenever it is opened', () => {
    const receipts = [receipt({ intent: 'takeOver', at: 7_000 }), receipt({ intent: 'compensate', at: 9_000 })];
    const at = (change: Parameters<typeof runState>[0]): string =>
      brief(runState({ receipts, ...change })).split('\n')[2] ?? '';
    assert.equal(at({ status: 'humanControl', control: 'human' }), `You have control · since ${stamp(7_000)}`);
    assert.equal(at({ status: 'completed' }), `Completed · ended ${stamp(61_000)}`);
    assert.equal(at({}), `Running · the agent has control · last change ${stamp(61_000)}`);
  });

  it('numbers what is to do, and says when nothing is in flight', () => {
    const s = runState({
      status: 'humanControl',
      outline: ['Read a', 'Write b', 'Run c'],
      steps: [step(1), step(2, { outcome: 'notStarted', title: 'Write b' })],
      receipts: [receipt({ intent: 'takeOver', message: 'You have control at a boundary after 1 step.' })],
    });
    const text = brief(s);
    assert.ok(text.includes('- 2. Write b\n- 3. Run c'), text);
    assert.ok(text.includes('None. You have control at a boundary'), text);
  });
});

describe('handover brief of a run that has ended', () => {
  const stale = receipt({ message: 'Paused at a boundary after 1 step.' });

  it('says how it ended, and nothing of a pause before', () => {
    for (const [status, end, said] of [
      ['completed', { summary: 'All renamed.' }, 'Completed: All renamed.'],
      ['aborted', { reason: { code: 'human', text: 'You aborted it.' } }, 'You aborted it.'],
      ['failed', { reason: { code: 'error', text: 'No memory.' } }, 'No memory.'],
    ] as const) {
      const text = brief(runState({ status, steps: [step(1)], receipts: [stale], ...end }));
      assert.doesNotMatch(text, /Paused|Take Over gives|Resume lets|has control|Why it stopped/, status);
      assert.ok(text.includes(`## How it ended\n\n${said}`), text);
      assert.ok(text.includes('## Step in flight\n\nNone.\n'), text);
      assert.ok(text.includes('Start a new run'), text);
    }
  });

  it('of one that runs says that it has not stopped', () => {
    const text = brief(runState({ receipts: [stale], reason: null }));
    assert.match(text, /## Why it stopped\n\nIt has not stopped\./);
    assert.doesNotMatch(text, /Paused at/);
  });
});
