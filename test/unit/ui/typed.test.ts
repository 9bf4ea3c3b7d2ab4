import assert from 'node:assert/strict';
import { parseFromView, parseToView, type SteerTyped } from '../../../src/protocol/steer';
import { noteWaits } from '../../../src/ui/render/noteWaits';
import { Typed } from '../../../src/ui/steer/typed';
import { steeringRows } from '../../../src/ui/tree/steering';
import { decision, runState } from './states';

describe('what is typed in the steering view and not sent', () => {
  const page = (): { typed: Typed; told: SteerTyped[] } => {
    const [typed, told] = [new Typed(), [] as SteerTyped[]];
    typed.follow((one) => told.push(one));
    return { typed, told };
  };

  it('goes with a key or a row that does the same, and then from the page, once', () => {
    const { typed, told } = page();
    typed.set([
      { of: 'run1', text: 'I did the colours' },
      { of: 'run1/d1', text: 'use npm ci' },
    ]);
    assert.deepEqual(
      [typed.of('run1'), typed.of('run1/d1'), typed.of('run2')],
      ['I did the colours', 'use npm ci', ''],
    );
    typed.sent('run1', 'I did the colours');
    typed.sent('run1', 'I did the colours');
    assert.deepEqual([typed.of('run1'), told], ['', [{ of: 'run1', text: 'I did the colours' }]]);
    assert.equal(typed.of('run1/d1'), 'use npm ci', 'another text stays');
  });

  it('what was changed meanwhile is not dropped', () => {
    const { typed, told } = page();
    typed.set([{ of: 'run1', text: 'first' }]);
    typed.set([{ of: 'run1', text: 'first and more' }]);
    typed.sent('run1', 'first');
    assert.deepEqual([typed.of('run1'), told], ['first and more', []]);
  });

  it('a page that was away when its text was sent is told when it comes back', () => {
    const { typed, told } = page();
    typed.set([{ of: 'run1', text: 'note' }]);
    typed.sent('run1', 'note');
    typed.reset();
    typed.set([{ of: 'run1', text: 'note' }]);
    assert.equal(told.length, 2);
    assert.equal(typed.of('run1'), '');
  });

  it('is checked on its way in both directions', () => {
    const texts = [{ of: 'run1', text: 'a' }];
    assert.deepEqual(parseFromView({ type: 'typed', texts: [{ ...texts[0], more: 1 }] }), { type: 'typed', texts });
    for (const bad of [undefined, 'a', [{ of: '', text: 'a' }], [{ of: 'run1' }], [null]])
      assert.equal(parseFromView({ type: 'typed', texts: bad }), undefined);
    assert.deepEqual(parseToView({ type: 'taken', of: 'run1', text: 'a' }), { type: 'taken', of: 'run1', text: 'a' });
    assert.equal(parseToView({ type: 'taken', of: 'run1' }), undefined);
  });
});

describe('a queued note says what it waits for', () => {
  const note = { id: 'run1/n1', text: 'not X', state: 'queued', now: true, at: 1 } as const;
  const row = (change: Parameters<typeof runState>[0]): string | undefined =>
    steeringRows(runState({ notes: [note], ...change }))[0]?.description;

  it('an answer, a resume, a hand back; nothing while the run is at work', () => {
    const unknown = decision({ kind: 'unknownEffect' });
    assert.equal(row({ status: 'running' }), 'queued');
    assert.equal(row({ status: 'needsHuman', decisions: [unknown] }), 'queued, waits for your answer');
    assert.equal(row({ status: 'paused' }), 'queued, waits for Resume');
    assert.equal(row({ status: 'paused', decisions: [unknown] }), 'queued, waits for Resume and your answer');
    assert.equal(row({ status: 'humanControl', control: 'human' }), 'queued, waits for Hand Back');
    assert.match(noteWaits(runState({ status: 'needsHuman', decisions: [unknown] })).long, /open question/);
  });

  it('a playbook keeps it: it waits for nothing', () => {
    const fixed = { model: { provider: 'playbook', label: 'a', fixed: true } };
    assert.equal(row({ status: 'paused', ...fixed }), 'kept');
    assert.equal(noteWaits(runState({ status: 'paused', ...fixed })).long, '');
  });
});
