/** The encoding of an open document is the one the agent reads and writes in; bytes outside of its edit stay as they are. */
import assert from 'node:assert/strict';
import { workspace } from 'vscode';
import {
  api,
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
  type,
  uri,
} from './support';

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const read = (path: string): { tool: string; with: object } => ({ tool: 'read_file', with: { path } });
const edit = (path: string, from: string, to: string): { tool: string; with: object } => ({
  tool: 'edit_file',
  with: { path, old_text: from, new_text: to },
});

describe('the encoding of an open document', () => {
  beforeEach(() => setting('holdfast.approvals', 'auto'));
  afterEach(clean);

  const result = async (runId: string, n: number): Promise<string> =>
    (await api()).test.core.get(runId)?.steps[n]?.text ?? '';

  it('windows-1252 by the setting: read as text, written as bytes', async () => {
    // 0x93, 0x94: quotation marks of this encoding; 0x81 means nothing in it.
    const before = 'caf\xe9 \x93one\x94 \x80\r\n\x81\ntwo\n';
    put('quoted.txt', latin(before));
    await setting('files.encoding', 'windows1252');
    const document = await open('quoted.txt');
    await eventually(() => document.encoding === 'windows1252', 'it is told');
    const search = { tool: 'search_text', with: { query: 'café “' } };
    const change = edit('quoted.txt', 'two', 'deux à “trois”');
    const runId = await startPlaybook('latin', [read('quoted.txt'), change, search]);
    await runIs(runId, 'completed');
    assert.match(await result(runId, 0), /café “one” €/);
    assert.match(await result(runId, 2), /quoted\.txt:1/);
    assert.deepEqual(bytes('quoted.txt'), latin(before.replace('two', 'deux \xe0 \x93trois\x94')));
    assert.match(document.getText(), /deux à “trois”/);
    assert.equal(document.isDirty, false);
  });

  it('windows-1252, unsaved: the edit goes beside what was typed, and both are saved in it', async () => {
    put('typed.txt', latin('caf\xe9\ntwo\n'));
    await setting('files.encoding', 'windows1252');
    const document = await open('typed.txt');
    await eventually(() => document.encoding === 'windows1252', 'it is told');
    await type(document, 0, 4, ' crème');
    const runId = await startPlaybook('typed', [edit('typed.txt', 'two', 'deux à trois')]);
    await runIs(runId, 'completed');
    assert.equal(document.getText(), 'café crème\ndeux à trois\n');
    assert.deepEqual(bytes('typed.txt'), latin('caf\xe9\ntwo\n'));
    await document.save();
    assert.deepEqual(bytes('typed.txt'), latin('caf\xe9 cr\xe8me\ndeux \xe0 trois\n'));
  });

  it('what it has no letter for is refused, and nothing is written', async () => {
    put('lacking.txt', latin('caf\xe9\ntwo\n'));
    await setting('files.encoding', 'windows1252');
    const document = await open('lacking.txt');
    await eventually(() => document.encoding === 'windows1252', 'it is told');
    const runId = await startPlaybook('lacking', [edit('lacking.txt', 'two', '二')]);
    const last = (await runIs(runId, 'completed', 'paused')).steps.at(-1);
    assert.match(last?.text ?? '', /windows1252, which has no "二"/);
    assert.deepEqual(bytes('lacking.txt'), latin('caf\xe9\ntwo\n'));
  });

  it('UTF-16 without a mark', async () => {
    put('wide.txt', utf16('one\r\ntwo é\r\n'));
    // Not by the setting: VS Code would read its own settings file in it.
    const document = await workspace.openTextDocument(uri('wide.txt'), { encoding: 'utf16le' });
    await eventually(() => document.encoding === 'utf16le', 'it is told');
    const runId = await startPlaybook('wide', [read('wide.txt'), edit('wide.txt', 'two é', 'zwei ü')]);
    await runIs(runId, 'completed');
    assert.match(await result(runId, 0), /two é/);
    assert.deepEqual(bytes('wide.txt'), utf16('one\r\nzwei ü\r\n'));
    assert.equal(document.isDirty, false);
  });

  it('Shift JIS in a document that was opened with it, whatever the setting says', async () => {
    const before = Buffer.from([0x83, 0x4a, 0x83, 0x74, 0x83, 0x46, 0x0a, 0x74, 0x77, 0x6f, 0x0a]);
    put('cafe.txt', before);
    const document = await workspace.openTextDocument(uri('cafe.txt'), { encoding: 'shiftjis' });
    assert.equal(document.getText(), 'カフェ\ntwo\n');
    const runId = await startPlaybook('japanese', [read('cafe.txt'), edit('cafe.txt', 'two', '二')]);
    await runIs(runId, 'completed');
    assert.match(await result(runId, 0), /カフェ/);
    assert.deepEqual(bytes('cafe.txt'), Buffer.concat([before.subarray(0, 7), Buffer.from([0x93, 0xf1, 0x0a])]));
  });

  it('what the human changed in it is merged, and told as text', async () => {
    put('both.txt', latin('caf\xe9\ntwo\nthree\nfour\n'));
    await setting('files.encoding', 'windows1252');
    const document = await open('both.txt');
    await eventually(() => document.encoding === 'windows1252', 'it is told');
    const whole = { tool: 'write_file', with: { path: 'both.txt', content: 'café\ntwo\nthree\nquatre à\n' } };
    const runId = await startPlaybook('both', [read('both.txt'), { ...whole, pauseBefore: true }]);
    await runIs(runId, 'paused');
    await type(document, 0, 4, ' crème');
    await document.save();
    const { reconcile } = granted(await call('holdfast.resume', { runId }));
    assert.match(JSON.stringify(reconcile), /café crème/);
    await runIs(runId, 'completed');
    assert.deepEqual(bytes('both.txt'), latin('caf\xe9 cr\xe8me\ntwo\nthree\nquatre \xe0\n'));
  });
});
