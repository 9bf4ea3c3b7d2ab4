/** A command that writes a file with unsaved text: the run stops, both versions are kept, and the human says which stays. */
import assert from 'node:assert/strict';
import type { TextDocument } from 'vscode';
import type { Decision } from '../../../src/core/run/state';
import { api, call, clean, eventually, granted, open, put, runIs, setting, startPlaybook, text, type } from './support';

describe('a command on a file with unsaved text', () => {
  beforeEach(() => setting('holdfast.approvals', 'auto'));
  afterEach(clean);

  /** A run that stands at the question. */
  const hit = async (name: string): Promise<{ runId: string; document: TextDocument; decision: Decision }> => {
    put(name, 'one\ntwo\nthree\n');
    const document = await open(name);
    await type(document, 0, 3, ', typed');
    const command = { tool: 'run_command', with: { command: `sed -i s/two/TWO/ ${name}` } };
    const runId = await startPlaybook('hit', [{ tool: 'read_file', with: { path: name } }, command]);
    const state = await runIs(runId, 'needsHuman');
    const [decision] = state.decisions.filter((d) => d.state === 'pending');
    assert.ok(decision);
    return { runId, document, decision };
  };

  const stored = async (hash: string | null | undefined): Promise<string> =>
    Buffer.from((await (await api()).test.core.content(hash ?? '')) ?? []).toString();

  it('stops, names it, and keeps both versions', async () => {
    const { document, decision } = await hit('hit.txt');
    assert.deepEqual([decision.kind, decision.path, decision.source], ['conflict', 'hit.txt', 'command']);
    assert.match(decision.title, /wrote hit\.txt under your unsaved text/);
    assert.deepEqual(
      decision.choices.map(({ id }) => id),
      ['mine', 'agent'],
    );
    assert.equal(document.getText(), 'one, typed\ntwo\nthree\n');
    assert.equal(document.isDirty, true);
    assert.equal(text('hit.txt'), 'one\nTWO\nthree\n');
    assert.equal(await stored(decision.change?.before), 'one, typed\ntwo\nthree\n');
  });

  it('mine: the unsaved text is saved over it', async () => {
    const { runId, document, decision } = await hit('mine.txt');
    granted(await call('holdfast.decide', { decisionId: decision.id, choice: 'mine' }));
    await runIs(runId, 'completed');
    assert.deepEqual(
      [text('mine.txt'), document.getText(), document.isDirty],
      ['one, typed\ntwo\nthree\n', 'one, typed\ntwo\nthree\n', false],
    );
  });

  it('the command’s: the editor shows what is on disk, and what was typed is stored', async () => {
    const { runId, document, decision } = await hit('theirs.txt');
    granted(await call('holdfast.decide', { decisionId: decision.id, choice: 'agent' }));
    await runIs(runId, 'completed');
    await eventually(() => document.getText() === 'one\nTWO\nthree\n', 'the editor shows it');
    assert.deepEqual([text('theirs.txt'), document.isDirty], ['one\nTWO\nthree\n', false]);
    assert.equal(await stored(decision.change?.before), 'one, typed\ntwo\nthree\n');
  });
});
