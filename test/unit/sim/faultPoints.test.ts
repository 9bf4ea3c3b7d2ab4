/**
 * The system refuses a call on the storage, once or until somebody makes room, at every point where a run changes it: no effect
 * starts whose intent is not on disk (the oracle looks), the run pauses and says why and where, and goes on when there is room.
 */
import assert from 'node:assert/strict';
import type { RunState } from '../../../src/core/run/state';
import { isFinal } from '../../../src/core/run/state';
import type { DiskStore } from '../../sim/diskStore';
import type { Act, AgentCall } from '../../sim/play/acts';
import type { History } from '../../sim/play/history';
import { Session } from '../../sim/play/session';
import { LONG, SEED } from '../chance';

const ERRORS = ['ENOSPC', 'EIO', 'EACCES', 'EMFILE', 'EPERM'] as const;

const call = (what: AgentCall['do'], file: number, b = 1): AgentCall => ({ do: what, file, a: 1, b });
/** A read, an edit, a new file, a command, a deletion; then nothing is asked of the agent any more. */
const ACTS: Act[] = [
  { act: 'agent', calls: [call('read', 0), call('edit', 0), call('write', 3, 4)] },
  { act: 'wait', ms: 0 },
  { act: 'agent', calls: [call('command', 0), call('edit', 0), call('delete', 1)] },
  { act: 'wait', ms: 60_000 },
];
const history = (seed: number): History => ({
  seed,
  options: { approvals: 'auto', pauseCommands: 'freeze', unsavedOnResume: 'ask', reads: 3, lines: 3, disk: true },
  acts: ACTS,
});

interface Played {
  points: number;
  /** Where it was refused. */
  where: string | undefined;
  /** How it stood before there was room again. */
  stood: RunState | undefined;
  wrong: string[];
}

/** Refuses the call with this number (none: 0) and, if `lasting`, all that follow. */
async function play(seed: number, at: number, error: string, lasting: boolean): Promise<Played> {
  const session = new Session(history(seed));
  session.wasFull = true;
  const store = session.world.store as DiskStore;
  let points = 0;
  let where: string | undefined;
  store.atPoint = (op, file) => {
    points += 1;
    if (points !== at && !(lasting && at > 0 && points > at)) return;
    where ??= `${op} ${file.split('/').slice(3).join('/')}`;
    throw Object.assign(new Error(`${error}: refused, ${op} '${file}'`), { code: error });
  };
  await session.begin();
  for (const act of ACTS) await session.do(act);
  const stood = session.world.core?.current();
  store.atPoint = undefined;
  // Refused at the very start: there is no run, and a new one can be started now.
  if (!stood) assert.ok(await session.startRun());
  await session.end();
  return { points, where, stood, wrong: session.oracle.wrong };
}

describe('the storage refuses', () => {
  for (const lasting of [false, true]) {
    const how = lasting ? 'until there is room' : 'once';
    it(`each call, ${how}: nothing is lost, nothing runs that is not on disk, and it goes on (seed ${SEED})`, async function () {
      this.timeout(0);
      const { points, wrong } = await play(SEED, 0, '', false);
      assert.deepEqual(wrong, []);
      assert.ok(points > 60, `${points} points`);
      let paused = 0;
      for (let at = 1; at <= points; at += 1) {
        for (const error of LONG ? ERRORS : [ERRORS[(at + SEED) % ERRORS.length] ?? 'EIO']) {
          const played = await play(SEED, at, error, lasting);
          const { stood, where } = played;
          const name = `point ${at} (${where}), ${error}`;
          assert.deepEqual(played.wrong, [], name);
          if (!stood || isFinal(stood.status) || stood.reason?.code !== 'storage') continue;
          paused += 1;
          // Why, and at which file; or that it is over.
          const said = lasting ? new RegExp(`${error}.*'/.*storage/.*'`) : new RegExp(`${error}|on disk now`);
          assert.match(stood.reason.text, said, name);
        }
      }
      assert.ok(paused > 0);
      console.log(`      ${points} points, ${paused} times it paused for storage`);
    });
  }
});
