/**
 * The clock that files are stamped from. On Linux it moves on with the timer interrupt, every few milliseconds, and later when the
 * machine is busy: how far it has come is only seen by a file.
 */
import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Longer than any clock lags behind, ms. */
const AT_MOST = 50;

/** Settles when no file that is changed from then on can carry a time before `time` (ms since 1970, of the system's clock). */
export async function fileTimePassed(time: number): Promise<void> {
  const file = path.join(tmpdir(), `holdfast-${randomUUID()}`);
  try {
    const probe = await open(file, 'wx');
    try {
      for (let left = AT_MOST; left > 0; left -= 1) {
        if ((await probe.stat()).ctimeMs >= time) return;
        await delay(1);
        const now = new Date();
        await probe.utimes(now, now);
      }
    } finally {
      await probe.close();
      await rm(file, { force: true });
    }
  } catch {
    // Where no file can be made, it is waited for.
    await delay(AT_MOST);
  }
}
