/** A side is put in place only while nobody has stopped it. */
import assert from 'node:assert/strict';
import { sideSubject } from '../../../../src/core/reconcile/sides';
import { takeSide } from '../../../../src/core/reconcile/takeSide';
import type { SideTaken } from '../../../../src/core/run/events';
import type { RunState } from '../../../../src/core/run/state';
import { SimWorld } from '../../../sim/world';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const steps = [{ id: 'run-001/s1', n: 1, tool: 'run_command' }];

/** Which of two versions of `a.txt` stays, after a command went over it. */
const asked = (change: { before: string; after: string }): object => ({
  ...{ id: 'd1', kind: 'conflict', path: 'a.txt', state: 'pending', title: '', choices: [], openedAt: 0 },
  ...{ freeText: false, source: 'command', change },
  ...{ stepId: 'run-001/s1', subject: sideSubject('run-001/s1', 'a.txt') },
});

/** The human takes their own version of `a.txt`, and the stop comes after so many turns of the world. */
async function chosen(stopAfter: number): Promise<{ text: string | undefined; said: SideTaken | undefined }> {
  const world = new SimWorld({ files: { 'a.txt': 'command\n' } });
  const ports = world.ports();
  const before = await world.finish(ports.store.blobs.put(bytes('mine\n')));
  const decision = asked({ before, after: ports.hash(bytes('command\n')) });
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

describe('a side of a conflict that the file has moved on from', () => {
  /** A command wrote under unsaved text; then the world moves on, and the human takes a side. */
  async function take(
    choice: string,
    since: (world: SimWorld) => void,
    meanwhile: (world: SimWorld) => Promise<void> = () => Promise.resolve(),
  ): Promise<{ world: SimWorld; said: SideTaken }> {
    const world = new SimWorld({ files: { 'a.txt': 'old\n' } });
    const ports = world.ports();
    world.buffers.type('a.txt', () => ['unsaved', '']);
    world.files.put('a.txt', 'command\n');
    const before = await world.finish(ports.store.blobs.put(bytes('unsaved\n')));
    const decision = asked({ before, after: ports.hash(bytes('command\n')) });
    let said: SideTaken | undefined;
    const state = { decisions: [decision], steps } as unknown as RunState;
    since(world);
    const host = { ports, state, dispatch: (event: SideTaken) => Promise.resolve(void (said = event)) };
    const work = takeSide(host, { decisionId: 'd1', choice }, new AbortController().signal);
    await meanwhile(world);
    await world.finish(work);
    assert.ok(said);
    return { world, said };
  }

  it('typed since: nothing is discarded, and it is asked still', async () => {
    const { world, said } = await take('agent', (w) => void w.buffers.type('a.txt', (lines) => ['since', ...lines]));
    assert.equal(said.failed, true);
    assert.match(said.said, /You typed into a\.txt since/);
    assert.equal(world.buffers.get('a.txt')?.text, 'since\nunsaved\n');
  });

  it('nothing typed since: it is discarded, as said', async () => {
    const { world, said } = await take('agent', () => undefined);
    assert.equal(said.failed, undefined);
    assert.notEqual(world.buffers.get('a.txt')?.dirty, true);
    assert.equal(world.files.text('a.txt'), 'command\n');
  });

  for (const choice of ['agent', 'mine'])
    it(`typed on in the very moment it is put in place: ${choice} loses nothing of it`, async () => {
      const seen = new Set<boolean>();
      for (let turns = 0; turns < 10; turns += 1) {
        const type = async (w: SimWorld): Promise<void> => {
          await w.go(turns);
          w.buffers.type('a.txt', (lines) => ['since', ...lines]);
        };
        const { world, said } = await take(choice, () => undefined, type);
        assert.match(world.buffers.get('a.txt')?.text ?? '', /^since\n/, `after ${turns}`);
        if (said.failed) assert.match(said.said, /You typed into a\.txt since/);
        seen.add(said.failed === true);
      }
      assert.deepEqual([...seen].sort(), [false, true]);
    });

  it('a folder by now: unsaved text is not thrown away for it', async () => {
    const { world, said } = await take('agent', (w) => {
      w.files.delete('a.txt');
      w.files.put('a.txt/b.txt', 'b\n');
    });
    assert.match(said.said, /What stands at a\.txt now is no file of its own, or cannot be read: move it away/);
    assert.equal(world.buffers.get('a.txt')?.text, 'unsaved\n');
  });

  for (const choice of ['agent', 'mine'])
    it(`written again since: ${choice} is asked anew, about what is there now`, async () => {
      const { world, said } = await take(choice, (w) => {
        w.buffers.saveByHuman('a.txt');
        w.files.put('a.txt', 'written since\n');
      });
      assert.equal(said.failed, true);
      assert.match(said.said, /about what is there now/);
      assert.equal(said.now?.hash, world.ports().hash(bytes('written since\n')));
      assert.equal(world.files.text('a.txt'), 'written since\n');
    });
});
