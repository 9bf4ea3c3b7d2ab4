/** A conflict put together in the merge editor, where the file does not stand still. */
import assert from 'node:assert/strict';
import { commands, Position, Range, TabInputText, window, workspace, WorkspaceEdit, type TextDocument } from 'vscode';
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

  /** A run that stands at the question, its result open: with nothing decided in the merge editor, or with the marks it has without. */
  const conflict = async (
    name: string,
    begins: string | RegExp = 'one\r\ntwo\r\nthree\r\nfour\r\n',
  ): Promise<{ runId: string; decision: Decision; result: TextDocument }> => {
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
    await eventually(
      () => (typeof begins === 'string' ? result.getText() === begins : begins.test(result.getText())),
      'it begins with what both agree on, or with marks',
    );
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

  describe('where this VS Code has none', () => {
    const real = commands.getCommands;
    before(() => {
      const without: typeof real = async (internal) =>
        (await real.call(commands, internal)).filter((id) => id !== '_open.mergeEditor');
      Object.assign(commands, { getCommands: without });
    });
    after(() => Object.assign(commands, { getCommands: real }));

    it('a document with marks: nothing is written while one of them is left, then what the human left', async () => {
      const { runId, decision, result } = await conflict(
        'marked.txt',
        /^one\r?\n<<<<<<< Yours\r?\nzwei\r?\n=======\r?\nTWO\r?\n>>>>>>> The agent's\r?\nthree\r?\nfour\r?\n$/,
      );
      assert.deepEqual(
        window.tabGroups.all.flatMap((group) => group.tabs.filter((tab) => tab.input instanceof TabInputText)).length >
          0,
        true,
        'a plain document',
      );
      await call('holdfast.answer', { decisionId: decision.id, choice: 'edit' });
      assert.equal((await runIs(runId, 'needsHuman')).decisions.find((d) => d.state === 'pending')?.id, decision.id);
      assert.equal(text('marked.txt'), MINE);
      const edit = new WorkspaceEdit();
      edit.replace(result.uri, new Range(1, 0, 6, 0), 'zwei, zwo\n');
      assert.ok(await workspace.applyEdit(edit));
      await call('holdfast.answer', { decisionId: decision.id, choice: 'edit' });
      await runIs(runId, 'completed');
      assert.equal(bytes('marked.txt').toString(), 'one\r\nzwei, zwo\r\nthree\r\nfour\r\n');
      await eventually(() => !isOpen('marked.txt'), 'its editor is gone');
    });
  });
});
