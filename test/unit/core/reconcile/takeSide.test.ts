/** A side is put in place only while nobody has stopped it. */
import assert from 'node:assert/strict';
import { sideSubject } from '../../../../src/core/reconcile/commandHits';
import { takeSide } from '../../../../src/core/reconcile/takeSide';
import type { SideTaken } from '../../../../src/core/run/events';
import type { RunState } from '../../../../src/core/run/state';
import { SimWorld } from '../../../sim/world';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The human takes their own version of `a.txt`, and the stop comes after so many turns of the world. */
async function chosen(stopAfter: number): Promise<{ text: string | undefined; said: SideTaken | undefined }> {
  const world = new SimWorld({ files: { 'a.txt': 'command\n' } });
  const ports = world.ports();
  const before = await world.finish(ports.store.blobs.put(bytes('mine\n')));
  const decision = {
    ...{ id: 'd1', kind: 'conflict', path: 'a.txt', state: 'pending', title: '', choices: [], openedAt: 0 },
    ...{ freeText: false, source: 'command', change: { before, after: ports.hash(bytes('command\n')) } },
    ...{ stepId: 'run-001/s1', subject: sideSubject('run-001/s1', 'a.txt') },
  };
  const steps = [{ id: 'run-001/s1', n: 1, tool: 'run_command' }];
  let said: SideTaken | undefined;
  const host = {
    ports,
    state: { decisions: [decision], steps } as unknown as RunState,
    dispatch: (event: SideTaken) => Promise.resolve(void (said = event)),
  };
  const stop = new AbortController();
  const work = takeSide(host, { decisionId: 'd1', choice: 'mine' }, stop.signal);
  await world.go(stopAfter);
  stop.abort();
  await world.finish(work);
  return { text: world.files.text('a.txt'), said };
}

describe('a side of a conflict that a stop cuts off', () => {
  it('is put in place as a whole, or not at all, and the answer says which', async () => {
    const seen = new Set<string>();
    for (let turns = 0; turns < 12; turns += 1) {
      const { text, said } = await chosen(turns);
      if (said?.failed) {
        assert.equal(text, 'command\n', `after ${turns}`);
        assert.match(said.said, /The stop came before a\.txt was touched/);
      } else assert.equal(text, 'mine\n', `after ${turns}`);
      seen.add(String(said?.failed ?? false));
    }
    assert.deepEqual([...seen].sort(), ['false', 'true']);
  });
});
