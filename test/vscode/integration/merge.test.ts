/** A conflict put together in the merge editor, where the file does not stand still. */
import assert from 'node:assert/strict';
import { commands, Position, window, workspace, WorkspaceEdit, type TextDocument } from 'vscode';
import type { Decision } from '../../../src/core/run/state';
import { api, bytes, call, clean, eventually, granted, put, runIs, setting, startPlaybook, text } from './support';

const BASE = 'one\r\ntwo\r\nthree\r\n';
const MINE = 'one\r\nzwei\r\nthree\r\n';

describe('a conflict in the merge editor', () => {
  beforeEach(() => setting('holdfast.approvals', 'auto'));
  afterEach(clean);

  /** A document outlives its editor for a while. */
  const isOpen = (name: string): boolean =>
    window.tabGroups.all.some((group) => group.tabs.some((tab) => tab.label.includes(name)));

  /** A run that stands at the question, its merge editor in front with nothing decided. */
  const conflict = async (name: string): Promise<{ runId: string; decision: Decision; result: TextDocument }> => {
    put(name, BASE);
    const runId = await startPlaybook('merge', [
      { tool: 'read_file', with: { path: name } },
      { tool: 'write_file', with: { path: name, content: 'one\nTWO\nthree\nfour\n' }, pauseBefore: true },
    ]);
    await runIs(runId, 'paused');
    put(name, MINE);
    granted(await call('holdfast.resume', { runId }));
    const decision = (await runIs(runId, 'needsHuman')).decisions.find((d) => d.state === 'pending');
    assert.ok(decision);
    await call('holdfast.answer', { decisionId: decision.id, choice: 'edit' });
    const ofIt = (one: TextDocument): boolean => one.uri.scheme === 'holdfast-result' && one.uri.query === decision.id;
    const result = await eventually(() => workspace.textDocuments.find(ofIt), 'the result is open');
    assert.ok(result);
    await eventually(() => result.getText() === 'one\r\ntwo\r\nthree\r\nfour\r\n', 'it begins with what both agree on');
    return { runId, decision, result };
  };

  const write = async (result: TextDocument, words: string): Promise<void> => {
    await commands.executeCommand('merge.acceptAllInput1');
    const edit = new WorkspaceEdit();
    edit.insert(result.uri, new Position(0, 3), words);
    assert.ok(await workspace.applyEdit(edit));
  };

  it('the human’s side by one command, their words beside it: written in the file’s line ends', async () => {
    const { runId, decision, result } = await conflict('merged.txt');
    await write(result, ', by hand');
    await call('holdfast.answer', { decisionId: decision.id, choice: 'edit' });
    await runIs(runId, 'completed');
    assert.match(bytes('merged.txt').toString(), /^one, by hand\r\nzwei\r\nthree\r\n/);
    await eventually(() => !isOpen('merged.txt'), 'its editor is gone');
  });

  it('the file changed meanwhile: nothing is written, it is asked anew, and what was put together stays open', async () => {
    const { runId, decision, result } = await conflict('moved.txt');
    await write(result, ', by hand');
    put('moved.txt', MINE.replace('zwei', 'deux'));
    await call('holdfast.answer', { decisionId: decision.id, choice: 'edit' });
    const asked = await eventually(async () => {
      const state = (await api()).test.core.get(runId);
      return state?.decisions.find((d) => d.state === 'pending' && d.id !== decision.id);
    }, 'it is asked anew');
    assert.equal(asked?.kind, 'conflict');
    assert.equal(text('moved.txt'), MINE.replace('zwei', 'deux'));
    await eventually(
      () => window.visibleTextEditors.some(({ document }) => document.getText().startsWith('one, by hand')),
      'what was put together is shown',
    );
    granted(await call('holdfast.decide', { decisionId: asked.id, choice: 'mine' }));
    await runIs(runId, 'completed');
    assert.equal(text('moved.txt'), MINE.replace('zwei', 'deux'));
  });
});
