import assert from 'node:assert/strict';
import {
  GOAL,
  keepLate,
  type Kept,
  modeOf,
  sent,
  take,
  taken,
  turn,
  typedTexts,
  waiting,
} from '../../../src/webview/box';

const box = (over: Partial<Kept> = {}): Kept => ({ text: '', of: GOAL, drafts: {}, before: {}, ...over });
const at = (runId: string | undefined, takesNotes: boolean) => ({ runId, takesNotes });
const open = (runId: string, notes: string[] = [], decisions: string[] = []) => ({
  runId,
  notes: notes.map((id) => ({ id, text: '' })),
  decisions: decisions.map((id) => ({
    ...{ id, kind: 'question', title: '', detail: '' },
    ...{ choices: [], freeText: true, look: '' },
  })),
});
const NOBODY = { typed: undefined, underway: new Set<string>() };

describe('the box of the steering view', () => {
  it('keeps an unsent note when its run ends, for that run', () => {
    for (const typing of [true, false]) {
      const kept = box({ text: 'do not tou', of: 'a', drafts: { ':': 'old goal' } });
      assert.equal(turn(kept, at('a', false), typing), false);
      assert.equal(modeOf(kept, at('a', false)), 'ended');
      assert.deepEqual([kept.text, kept.of, kept.drafts], ['do not tou', 'a', { ':': 'old goal' }]);
    }
  });

  it('an old goal never comes under typing hands', () => {
    const kept = box({ of: 'a', drafts: { ':': 'old goal' } });
    assert.equal(turn(kept, at('a', false), true), true);
    assert.deepEqual([kept.text, kept.of, waiting(kept)], ['', GOAL, [[':', 'old goal']]]);
    const left = box({ of: 'a', drafts: { ':': 'old goal' } });
    turn(left, at('a', false), false);
    assert.deepEqual([left.text, waiting(left)], ['old goal', []]);
  });

  it('an unsent note is never the note of another run', () => {
    const kept = box({ text: 'for a', of: 'a' });
    turn(kept, at('b', true), false);
    assert.deepEqual([kept.text, kept.of, waiting(kept)], ['', 'b', [[':a', 'for a']]]);
    kept.text = 'for b';
    turn(kept, at('a', true), false);
    assert.deepEqual([kept.text, kept.of, waiting(kept)], ['for a', 'a', [[':b', 'for b']]]);
    assert.equal(turn(kept, at('b', true), true), false, 'it is being typed');
    assert.equal(modeOf(kept, at('b', true)), 'elsewhere');
  });

  it('a goal goes when a run was started with it, wherever it is by then; what was typed after stays', () => {
    const from = { of: GOAL, text: 'Read' };
    const there = box({ text: 'Read' });
    sent(there, from);
    assert.equal(there.text, '');
    const aside = box({ text: 'Read' });
    turn(aside, at('a', true), false);
    sent(aside, from);
    assert.deepEqual(aside.drafts, {});
    const more = box({ text: 'Read more' });
    sent(more, from);
    assert.equal(more.text, 'Read more');
  });

  it('an unchanged field of a delivered note is no draft; a changed one waits, each on a line of its own', () => {
    const kept = box({
      text: 'mine',
      of: 'a',
      drafts: { 'a/n1': 'same', 'a/n2': 'changed', 'a/n3': 'open', 'b/n1': 'other', 'a/d1': 'sending' },
      before: { 'a/n1': 'same', 'a/n2': 'was' },
    });
    assert.equal(keepLate(kept, open('a', ['a/n3']), { typed: 'a/n1', underway: new Set(['a/d1']) }), false);
    assert.equal(kept.text, 'mine');
    assert.deepEqual(waiting(kept), [[':a/n2', 'changed']]);
    assert.deepEqual(Object.keys(kept.drafts).sort(), [':a/n2', 'a/d1', 'a/n3', 'b/n1']);
    take(kept, ':a/n2');
    assert.equal(kept.text, 'mine\nchanged');
  });

  it('typing in a field whose question is settled goes on in the box', () => {
    const kept = box({ of: 'a', drafts: { 'a/d1': 'becau' } });
    assert.equal(keepLate(kept, open('a'), { ...NOBODY, typed: 'a/d1' }), true);
    assert.deepEqual([kept.text, kept.of, kept.drafts], ['becau', 'a', {}]);
    const goal = box({ text: 'a goal', drafts: { 'a/d1': 'becau' } });
    assert.equal(keepLate(goal, open('a'), { ...NOBODY, typed: 'a/d1' }), false);
    assert.deepEqual([goal.text, waiting(goal)], ['a goal', [[':a/d1', 'becau']]]);
  });

  it('tells what is typed for the run and its questions; neither a goal, nor a changed note, nor what waits', () => {
    const drafts = { 'a/d1': ' npm ci ', 'a/n1': 'note', ':b': 'waits', 'a/d2': '  ' };
    assert.deepEqual(typedTexts(box({ text: ' more ', of: 'a', drafts })), [
      { of: 'a', text: 'more' },
      { of: 'a/d1', text: 'npm ci' },
    ]);
    assert.deepEqual(typedTexts(box({ text: 'a goal' })), []);
  });

  it('a text that was sent by another way goes, wherever it is by now; another one stays', () => {
    const there = box({ text: 'note ', of: 'a' });
    assert.equal(taken(there, { of: 'a', text: 'note' }), true);
    assert.equal(there.text, '');
    const aside = box({ of: 'b', drafts: { ':a': 'note', ':a/d1': 'why', 'a/d2': 'why' } });
    assert.equal(taken(aside, { of: 'a', text: 'note' }), false);
    assert.equal(taken(aside, { of: 'a/d1', text: 'why' }), false);
    assert.deepEqual(aside.drafts, { 'a/d2': 'why' });
    const moved = box({ text: 'why', of: 'a' });
    assert.equal(taken(moved, { of: 'a/d1', text: 'why' }), true, 'its field had gone, and the box had it');
    const other = box({ text: 'note, and more', of: 'a' });
    assert.equal(taken(other, { of: 'a', text: 'note' }), false);
    assert.equal(other.text, 'note, and more');
  });
});
