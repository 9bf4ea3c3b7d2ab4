/** A receipt is a document whose links open the evidence, followed here as a click follows them. */
import assert from 'node:assert/strict';
import { commands, TabInputText, TabInputTextDiff, window, workspace, type DocumentLink } from 'vscode';
import { api, call, clean, eventually, granted, put, runIs, setting, startPlaybook, text } from './support';

const active = (): unknown => window.tabGroups.activeTabGroup.activeTab?.input;

/** As the editor does: a command is run with the arguments its link holds, anything else is opened. */
async function follow({ target }: DocumentLink): Promise<void> {
  assert.ok(target);
  if (target.scheme !== 'command')
    return void (await window.showTextDocument(await workspace.openTextDocument(target)));
  const given = JSON.parse(decodeURIComponent(target.query)) as unknown[];
  await commands.executeCommand(target.path, ...given);
}

describe('a receipt', () => {
  beforeEach(() => setting('holdfast.approvals', 'ask'));
  afterEach(clean);

  it('leads to the step, its output, the change of a file and the approval; and to the undoing', async () => {
    put('r.txt', 'one\n');
    const runId = await startPlaybook('evidence', [
      {
        tool: 'run_command',
        with: { command: 'echo spoken; echo left > left.txt' },
        undo: { tool: 'edit_file', with: { path: 'r.txt', old_text: 'ONE', new_text: 'one' } },
      },
      {
        tool: 'edit_file',
        with: { path: 'r.txt', old_text: 'one', new_text: 'ONE' },
      },
      { tool: 'list_files', with: { path: '.' }, pauseBefore: true },
    ]);
    const asking = await runIs(runId, 'awaitingApproval');
    granted(await call('holdfast.decide', { decisionId: asking.decisions[0]?.id ?? '', choice: 'grant' }));
    await runIs(runId, 'paused');
    const receipt = granted(await call('holdfast.abort', { runId }));
    assert.equal(receipt.recovery, 'compensate');
    assert.equal(text('r.txt'), 'ONE\n');

    await call('holdfast.openReceipt', { runId });
    const shown = await eventually(
      () =>
        workspace.textDocuments.find(
          (d) => d.uri.path.startsWith(`/${runId}/Receipts · `) && d.getText().includes('## Abort'),
        ),
      'the receipt is shown',
    );
    assert.ok(shown);
    const links = await eventually(async () => {
      const found = await commands.executeCommand<DocumentLink[]>('vscode.executeLinkProvider', shown.uri);
      return found.some(({ target }) => target?.path === 'holdfast.compensate') ? found : undefined;
    }, 'it has links');
    assert.ok(links);
    const words = links.map(({ range }) => shown.getText(range));
    for (const wanted of [/^step 1$/, /^step 2$/, /^file r\.txt$/, /^process \d+$/, /^approval 1$/, /^Undo step 1$/])
      assert.ok(
        words.some((word) => wanted.test(word)),
        `${wanted} in ${words.join(', ')}`,
      );

    const opened = async (word: RegExp): Promise<string> => {
      const link = links[words.findIndex((one) => word.test(one))];
      assert.ok(link);
      await follow(link);
      const input = active();
      if (input instanceof TabInputTextDiff) {
        const sides = await Promise.all([input.original, input.modified].map((one) => workspace.openTextDocument(one)));
        return sides.map((side) => side.getText()).join(' ↔ ');
      }
      assert.ok(input instanceof TabInputText, String(word));
      return (await workspace.openTextDocument(input.uri)).getText();
    };
    assert.match(await opened(/^step 1$/), /^# Step 1: Run echo spoken;/);
    assert.match(await opened(/^process/), /Exit: exit code 0[^]*## Output[^]*spoken/);
    assert.match(await opened(/^approval/), /State: granted[^]*echo spoken/);
    assert.equal(await opened(/^file r\.txt$/), 'one\n ↔ ONE\n');

    // What runs a step is no link to be followed without a word of the human: the program's way is taken here.
    const undone = granted(await call('holdfast.compensate', { stepId: `${runId}/s1` }));
    assert.ok('intent' in undone);
    assert.equal(undone.intent, 'compensate');
    assert.equal(text('r.txt'), 'one\n');
    const { core } = (await api()).test;
    assert.equal(core.get(runId)?.status, 'aborted');
  });
});
