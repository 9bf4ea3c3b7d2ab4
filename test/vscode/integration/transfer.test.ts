import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Uri, window } from 'vscode';
import {
  api,
  at,
  call,
  clean,
  eventually,
  folder,
  granted,
  isRefusal,
  put,
  runIs,
  setting,
  startPlaybook,
  text,
} from './support';

describe('export and import', () => {
  const file = path.join(folder, '..', 'handed-over.holdfast-run');
  beforeEach(() => setting('holdfast.approvals', 'auto'));
  afterEach(async () => {
    rmSync(file, { force: true });
    await clean();
  });

  it('a run goes into a file and comes out of it, paused, with what differs, and goes on', async () => {
    await setting('holdfast.openai.baseUrl', 'http://127.0.0.1:4711/v1');
    put('t.txt', 'one\ntwo\n');
    const runId = await startPlaybook('travelling', [
      { tool: 'read_file', with: { path: 't.txt' } },
      { tool: 'run_command', with: { command: 'pwd; echo 127.0.0.1:4711' } },
      { tool: 'edit_file', with: { path: 't.txt', old_text: 'two', new_text: 'TWO' }, pauseBefore: true },
    ]);
    await runIs(runId, 'paused');
    const written = granted(await call('holdfast.exportRun', { runId, target: Uri.file(file) }));
    assert.deepEqual([written.runId, written.bytes], [runId, readFileSync(file).length]);
    const bytes = gunzipSync(readFileSync(file)).toString('utf8');
    for (const local of [folder, '4711/v1']) assert.equal(bytes.includes(local), false, local);
    assert.match(bytes, /<model service>/);
    const again = await call('holdfast.exportRun', { runId, target: file });
    assert.ok(isRefusal(again), 'what stands there is not replaced');
    assert.ok(isRefusal(await call('holdfast.exportRun', { runId })), 'a program has to name a file');

    put('t.txt', 'one, mine\ntwo\n');
    const { core } = (await api()).test;
    granted(await core.abort({ runId }));
    granted(await call('holdfast.deleteRun', { runId }));
    const arrived = granted(await call('holdfast.importRun', { target: Uri.file(file) }));
    assert.deepEqual([arrived.runId, arrived.status, arrived.from.files.different], [runId, 'paused', ['t.txt']]);
    assert.equal(text('t.txt'), 'one, mine\ntwo\n');
    await call('holdfast.showReconcile', { runId });
    const shown = (): string => window.activeTextEditor?.document.getText() ?? '';
    await eventually(() => shown().includes('## Different here\n\n- t.txt'), 'the differences are shown');
    const { reconcile } = granted(await call('holdfast.resume', { runId }));
    assert.deepEqual(
      reconcile?.files.map((one) => [one.path, one.verdict]),
      [['t.txt', 'humanEdited']],
    );
    await runIs(runId, 'completed');
    assert.equal(text('t.txt'), 'one, mine\nTWO\n');
  });

  it('what is no exported run is refused with a sentence', async () => {
    put('nonsense.txt', 'no run\n');
    const answer = await call('holdfast.importRun', { target: Uri.file(at('nonsense.txt')) });
    assert.ok(isRefusal(answer));
    assert.match(answer.message, /no exported run/);
    assert.equal((await api()).runs().length, 0);
    assert.ok(existsSync(at('nonsense.txt')));
  });
});
