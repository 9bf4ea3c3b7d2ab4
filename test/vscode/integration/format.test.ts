/** `holdfast.formatOnWrite` in the real editor, with a formatter of the test's own. */
import assert from 'node:assert/strict';
import { languages, Range, TextEdit, type Disposable, type TextDocument } from 'vscode';
import { VscodeBuffers } from '../../../src/vscode/documents';
import { VscodeFormatter } from '../../../src/vscode/formatter';
import {
  bytes,
  call,
  clean,
  eventually,
  granted,
  open,
  put,
  runIs,
  setting,
  startPlaybook,
  text,
  type,
} from './support';

/** Two blanks before each line that has none. */
const tidy = (document: TextDocument): TextEdit[] =>
  Array.from({ length: document.lineCount }, (_, n) => document.lineAt(n))
    .filter((line) => /^\S/.test(line.text))
    .map((line) => TextEdit.insert(line.range.start, '  '));

describe('the formatter after a write of the agent', () => {
  let registered: Disposable | undefined;
  let asked: string[] = [];

  const register = (answer: (document: TextDocument) => TextEdit[] | Promise<TextEdit[]>): void => {
    registered = languages.registerDocumentFormattingEditProvider(
      { pattern: '**/*.fmt' },
      {
        provideDocumentFormattingEdits: (document) => {
          asked.push(document.getText());
          return answer(document);
        },
      },
    );
  };

  beforeEach(async () => {
    asked = [];
    await setting('holdfast.approvals', 'auto');
    await setting('holdfast.formatOnWrite', true);
  });
  afterEach(async () => {
    registered?.dispose();
    registered = undefined;
    await clean();
  });

  it('goes over the file, closed or open, and the result carries the final text', async () => {
    register(tidy);
    put('closed.fmt', 'one\r\ntwo\r\n');
    put('shown.fmt', 'one\ntwo\n');
    const shown = await open('shown.fmt');
    const runId = await startPlaybook('format', [
      { tool: 'edit_file', with: { path: 'closed.fmt', old_text: 'one', new_text: 'uno' } },
      { tool: 'edit_file', with: { path: 'shown.fmt', old_text: 'one', new_text: 'uno' } },
      { tool: 'edit_file', with: { path: 'shown.fmt', old_text: '  uno', new_text: '  UNO' } },
    ]);
    const state = await runIs(runId, 'completed');
    assert.equal(text('closed.fmt'), '  uno\r\n  two\r\n');
    assert.equal(text('shown.fmt'), '  UNO\n  two\n');
    assert.deepEqual(asked, ['uno\r\ntwo\r\n', 'uno\ntwo\n', '  UNO\n  two\n']);
    assert.match(state.steps[0]?.text ?? '', /formatter went over it; closed\.fmt holds now:\n {2}uno\n {2}two\n/);
    assert.deepEqual(
      state.files.filter((f) => f.path.endsWith('.fmt')).map((f) => [f.by, f.human ?? false, f.owned]),
      [
        ['agent', false, undefined],
        ['agent', false, undefined],
      ],
    );
    await eventually(() => shown.getText() === '  UNO\n  two\n' && !shown.isDirty, 'the editor shows the final text');
  });

  it('is off unless it is turned on', async () => {
    register(tidy);
    await setting('holdfast.formatOnWrite', false);
    put('off.fmt', 'one\n');
    const runId = await startPlaybook('off', [
      { tool: 'edit_file', with: { path: 'off.fmt', old_text: 'one', new_text: 'uno' } },
    ]);
    await runIs(runId, 'completed');
    assert.equal(text('off.fmt'), 'uno\n');
    assert.deepEqual(asked, []);
  });

  it('one that fails, and a file that none is for: the write stands', async () => {
    register(() => Promise.reject(new Error('it broke')));
    put('fails.fmt', 'one\n');
    put('none.other-words', 'one\n');
    const runId = await startPlaybook('fails', [
      { tool: 'edit_file', with: { path: 'fails.fmt', old_text: 'one', new_text: 'uno' } },
      { tool: 'edit_file', with: { path: 'none.other-words', old_text: 'one', new_text: 'uno' } },
    ]);
    const state = await runIs(runId, 'completed');
    assert.deepEqual([text('fails.fmt'), text('none.other-words')], ['uno\n', 'uno\n']);
    assert.deepEqual(
      state.steps.map((step) => step.effect),
      ['committed', 'committed'],
    );
    assert.match(state.steps[1]?.text ?? '', /^Edited none\.other-words \(line 1\)\.$/);
  });

  it('one that is still at work at a pause is not waited for, and a late answer changes nothing', async () => {
    let answer: (edits: TextEdit[]) => void = () => undefined;
    register(() => new Promise((resolve) => (answer = resolve)));
    put('slow.fmt', 'one\n');
    const runId = await startPlaybook('slow', [
      { tool: 'edit_file', with: { path: 'slow.fmt', old_text: 'one', new_text: 'uno' } },
      { tool: 'run_command', with: { command: 'sleep 30' } },
    ]);
    await eventually(() => asked.length > 0, 'the formatter is asked');
    const receipt = granted(await call('holdfast.pause', { runId }));
    assert.equal(receipt.effects[0]?.effect, 'committed');
    answer([TextEdit.replace(new Range(0, 0, 0, 3), 'late')]);
    await runIs(runId, 'paused');
    assert.equal(text('slow.fmt'), 'uno\n');
  });

  it('makes a text and changes nothing itself; typing meanwhile voids it', async () => {
    const formatter = new VscodeFormatter(new VscodeBuffers());
    const never = new AbortController().signal;
    register(tidy);
    put('pure.fmt', 'one\n');
    assert.deepEqual(await formatter.format('pure.fmt', 'one\n', never), { kind: 'text', text: '  one\n' });
    assert.equal(String(bytes('pure.fmt')), 'one\n');
    registered?.dispose();
    const document = await open('pure.fmt');
    register(async (given) => {
      const edits = tidy(given);
      await type(document, 0, 0, 'mine ');
      return edits;
    });
    assert.deepEqual(await formatter.format('pure.fmt', 'one\n', never), { kind: 'none' });
    assert.equal(document.getText(), 'mine one\n');
  });
});
