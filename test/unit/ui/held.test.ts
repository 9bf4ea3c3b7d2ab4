/** A run that another window has, as this one shows it. */
import assert from 'node:assert/strict';
import { actionsOf } from '../../../src/ui/actions';
import { parseToView } from '../../../src/protocol/steer';
import { statusItem } from '../../../src/ui/statusText';
import { steerState } from '../../../src/ui/steer/viewState';
import { buildTree } from '../../../src/ui/tree/model';
import { decision, runState } from './states';

describe('a run that another window has', () => {
  const s = runState({ status: 'awaitingApproval', decisions: [decision()] });
  const lives = { pid: 42, host: 'here', gone: false };
  const gone = { ...lives, gone: true };

  it('offers nothing, and to take control when that window is gone', () => {
    assert.deepEqual(actionsOf(s, 0, lives), []);
    assert.deepEqual(actionsOf(s, 0, gone), ['takeControlHere']);
  });

  it('says so first in the tree, and leaves no answer to press', () => {
    const [first, header] = buildTree(s, 0, new Set(), new Map(), lives);
    assert.deepEqual([first?.label, first?.description], ['Held by another window', 'process 42']);
    assert.match(header?.label ?? '', /^Waiting for approval/);
    assert.equal(first?.action, undefined);
    const rows = buildTree(s, 0, new Set(), new Map(), lives).find((row) => row.label === 'Needs you')?.children;
    assert.ok(rows?.[0]);
    assert.ok(rows[0].children.every((row) => row.action?.do !== 'answer'));
    const [later] = buildTree(s, 0, new Set(), new Map(), gone);
    assert.deepEqual([later?.label, later?.action], ['Its window is gone', { do: 'takeControl' }]);
  });

  it('says so in the status bar', () => {
    const { text, tooltip } = statusItem(s, 0, lives);
    assert.equal(text, '$(lock) Held by another VS Code window · Waiting for approval');
    assert.match(tooltip, /process 42 on here/);
    assert.equal(statusItem(s, 0, gone).text, '$(debug-disconnect) Its window is gone · Waiting for approval');
    assert.match(statusItem(s, 0, gone).tooltip, /Take Control Here goes on with it in this window/);
  });

  it('is only looked at in the steering view', () => {
    const state = steerState(s, undefined, 0, new Map(), gone);
    assert.deepEqual([state.actions, state.decisions, state.held], [['takeControlHere'], [], true]);
    assert.match(state.line, /^The VS Code window that held this run is gone/);
    assert.equal(parseToView(JSON.parse(JSON.stringify({ type: 'state', state })))?.type, 'state');
    assert.deepEqual(steerState(s, undefined, 0, new Map(), lives).actions, []);
    assert.equal(steerState(s, undefined, 0).held, false);
  });
});
