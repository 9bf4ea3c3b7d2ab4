import assert from 'node:assert/strict';
import { parseFromView, parseToView } from '../../../src/protocol/steer';
import { steerPage } from '../../../src/ui/steer/html';
import { steerState } from '../../../src/ui/steer/viewState';
import type { RunState } from '../../../src/core/run/state';
import { decision, file, runState, step } from './states';

describe('steering view', () => {
  it('offers Force Stop when a stop lasts five seconds, not before', () => {
    const s = runState({
      status: 'stopping',
      stopping: { intent: 'pause', at: 10_000, forced: false, phase: null, stepId: null },
    });
    assert.deepEqual(steerState(s, undefined, 14_999).actions, ['takeOver', 'abort']);
    assert.deepEqual(steerState(s, undefined, 15_000).actions, ['takeOver', 'abort', 'forceStop']);
  });

  it('has the actions that fit the state', () => {
    const actions = (status: Parameters<typeof runState>[0]): string[] =>
      steerState(runState(status), undefined, 0).actions;
    assert.deepEqual(actions({ status: 'running' }), ['pause', 'takeOver', 'abort']);
    assert.deepEqual(actions({ status: 'paused' }), ['resume', 'takeOver', 'abort']);
    assert.deepEqual(actions({ status: 'humanControl', control: 'human' }), ['handBack', 'abort']);
    assert.deepEqual(actions({ status: 'completed' }), []);
  });

  it('takes no notes when the run has ended, and starts none without a folder or trust', () => {
    const ended = steerState(runState({ status: 'aborted' }), undefined, 0);
    assert.equal(ended.takesNotes, false);
    assert.equal(ended.canStart, true);
    assert.equal(steerState(runState({ status: 'aborted' }), 'untrusted', 0).canStart, false);
    assert.equal(steerState(undefined, 'noFolder', 0).empty, 'noFolder');
    assert.equal(steerState(undefined, 'untrusted', 0).canStart, false);
    assert.equal(steerState(undefined, undefined, 0).canStart, true);
  });

  it('posts a state that its own check accepts', () => {
    const s = runState({
      status: 'awaitingApproval',
      decisions: [decision()],
      notes: [{ id: 'run1/n1', text: 'not X', state: 'queued', now: false, at: 1 }],
    });
    for (const state of [
      steerState(s, undefined, 0),
      steerState(undefined, undefined, 0),
      steerState(undefined, 'noFolder', 0),
    ]) {
      const sent: unknown = JSON.parse(JSON.stringify({ type: 'state', state }));
      const got = parseToView(sent);
      assert.equal(got?.type, 'state');
    }
  });

  it('has a field only where its words are sent along', () => {
    const field = (kind: Parameters<typeof decision>[0]): boolean | undefined =>
      steerState(runState({ status: 'needsHuman', decisions: [decision({ freeText: true, ...kind })] }), undefined, 0)
        .decisions[0]?.freeText;
    assert.deepEqual(
      [field({ kind: 'question' }), field({ kind: 'approval' }), field({ kind: 'conflict' })],
      [true, true, false],
    );
  });

  it('says truthfully what a playbook does with a note', () => {
    const book = { model: { provider: 'playbook', label: 'a', fixed: true } };
    const hints = (['running', 'paused', 'humanControl'] as const).map(
      (status) => steerState(runState({ ...book, status }), undefined, 0).hint,
    );
    for (const hint of hints) assert.match(hint, /playbook (does not|cannot) read/);
    assert.equal(steerState(runState(book), undefined, 0).fixed, true);
  });

  it('offers the file the run stands before, only while the human may work and only where there is one', () => {
    const next = step(1, { outcome: 'notStarted', args: { path: 'src/a.ts' } });
    const at = (change: Partial<RunState>): string | undefined =>
      steerState(runState({ steps: [next], files: [file('src/a.ts')], ...change }), undefined, 0).file;
    assert.equal(at({ status: 'paused' }), 'src/a.ts');
    assert.equal(at({ status: 'humanControl', control: 'human' }), 'src/a.ts');
    assert.equal(at({ status: 'running' }), undefined);
    assert.equal(at({ status: 'paused', files: [file('src/a.ts', { knownType: 'missing' })] }), undefined);
    assert.equal(at({ status: 'paused', steps: [step(1, { outcome: 'notStarted', args: 7 })] }), undefined);
  });

  it('says what is asked once: in the card', () => {
    const s = runState({ status: 'needsHuman', decisions: [decision({ kind: 'conflict', title: 'Which one?' })] });
    assert.equal(steerState(s, undefined, 0).line, 'Waiting for you.');
    assert.equal(steerState({ ...s, status: 'awaitingApproval' }, undefined, 0).line, 'Waiting for your approval.');
  });

  it('drops messages of another shape', () => {
    const bad: unknown[] = [
      null,
      'ready',
      { type: 'send', request: 1, runId: 'r', text: '', now: false },
      { type: 'send', request: -1, runId: 'r', text: 'x', now: false },
      { type: 'send', request: 1, runId: 'r', text: 'x', now: 'yes' },
      { type: 'act', request: 1, runId: 'r', action: 'deleteAll', text: '' },
      { type: 'run', command: 'workbench.action.terminal.sendSequence' },
      { type: 'decide', request: 1, decisionId: '', choice: 'grant', text: '' },
      { type: '__proto__' },
    ];
    for (const one of bad) assert.equal(parseFromView(one), undefined, JSON.stringify(one));
    assert.deepEqual(parseFromView({ type: 'act', request: 1, runId: 'r', action: 'pause', text: '', more: 1 }), {
      type: 'act',
      request: 1,
      runId: 'r',
      action: 'pause',
      text: '',
    });
    assert.equal(parseToView({ type: 'state', state: { line: 1 } }), undefined);
  });

  it('allows nothing but its own script and style, and holds labels and a live region', () => {
    const html = steerPage({
      source: 'https://own',
      nonce: 'N',
      script: 'https://own/webview.js',
      style: 'https://own/steer.css',
    });
    assert.match(html, /default-src 'none'; style-src https:\/\/own; script-src 'nonce-N';/);
    assert.doesNotMatch(html, /style=|onclick|<style|unsafe/);
    assert.match(html, /<label id="label" for="text">/);
    assert.match(html, /role="status" aria-live="polite"/);
  });
});
