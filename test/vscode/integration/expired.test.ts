/** Cancel after an approval expired: the clock of the tests is advanced, as no scenario can inside VS Code. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { ShiftedClock } from '../../../src/node/clock';
import { api, at, call, clean, granted, isRefusal, runIs, setting, startPlaybook } from './support';

describe('cancel', () => {
  beforeEach(() => setting('holdfast.approvals', 'ask'));
  afterEach(clean);

  it('after an approval expired: nothing was done, the late answer counts for nothing', async () => {
    const { test } = await api();
    const { clock } = test as unknown as { clock: ShiftedClock };
    const runId = await startPlaybook('expiring', [{ tool: 'run_command', with: { command: 'echo x > expired.txt' } }]);
    const asked = (await runIs(runId, 'awaitingApproval')).decisions[0];
    assert.ok(asked);
    clock.advance(61 * 60_000);
    const paused = await runIs(runId, 'paused');
    assert.equal(paused.reason?.code, 'expired');
    const late = await call('holdfast.decide', { decisionId: asked.id, choice: 'grant' });
    assert.ok(isRefusal(late));
    const receipt = granted(await call('holdfast.abort', { runId }));
    assert.equal(receipt.recovery, 'none');
    assert.deepEqual(receipt.resume.expiredApprovals, [asked.id]);
    assert.match(receipt.message, /before any effect/);
    const over = await runIs(runId, 'aborted');
    assert.deepEqual(
      over.decisions.map((d) => d.state),
      ['expired'],
    );
    assert.equal(existsSync(at('expired.txt')), false);
  });
});
