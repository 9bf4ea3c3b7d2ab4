/**
 * The single-writer lease of the storage folder: `lease-<generation>.json`, the highest generation counts. It is taken by
 * making the next generation, which the file system lets one process do; nobody takes it from an owner that lives. The owner
 * is told by its pid with its start time, so that a pid used again is no owner; on another machine (a shared folder) by its
 * heartbeat, watched on our own clock: the wall clock decides nothing.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import type { Lease, LeaseOwner } from '../../core/lease';
import { writeAll, writeAtomic } from '../atomic';
import { errnoOf, type FsCalls, isMissing, unlessMissing } from '../fs';
import { processRow, isDead } from '../processes/table';
import { isRecord } from './document';
import { makeFolder, readWhole } from './generations';
import { FILE_MODE, type Layout } from './layout';

/** How often the owner says that it lives, ms. */
const BEAT = 5000;
/** An owner on another machine whose beat did not change for so long is gone, ms. */
const SILENCE = 30_000;
/** For the sync of an effect and that of its result one look does, ms. */
const MOMENT = 100;
/** Of every lease file, in bytes. */
const LENGTH = 512;
const NAME = /^lease-(\d{8})\.json$/;

interface Held {
  token: string;
  pid: number;
  startTime: string;
  host: string;
  beat: number;
}

const padded = (value: object): Buffer => Buffer.from(JSON.stringify(value).padEnd(LENGTH));
const FREE = padded({ schemaVersion: 1 });

export interface LeaseSystem {
  pid: number;
  host: string;
  /** undefined: no such process. */
  startTime(pid: number): string | undefined;
  /** ms, never set back. */
  monotonic(): number;
}

/** Where start times are not told, a number used again counts as the owner: nobody is robbed by mistake. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

const realSystem: LeaseSystem = {
  pid: process.pid,
  host: hostname(),
  startTime: (pid) => {
    if (process.platform === 'win32') return isThere(pid) ? '' : undefined;
    const row = processRow(pid);
    return row === undefined || isDead(row) ? undefined : row.startTime;
  },
  monotonic: () => performance.now(),
};

/** One lease per process: its stores share it. */
const TOKEN = randomBytes(8).toString('hex');

export class NodeLease implements Lease {
  /** Generation of the file that is ours. */
  private mine: number | undefined;
  private startTime: string | undefined;
  private beats = 0;
  private checked = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private taking: Promise<LeaseOwner | undefined> | undefined;
  /** Beat of an owner elsewhere, and since when it stands, on our clock. */
  private watched: { token: string; beat: number; since: number } | undefined;

  constructor(
    private readonly fs: FsCalls,
    private readonly layout: Layout,
    private readonly system: LeaseSystem = realSystem,
    private readonly token = TOKEN,
  ) {}

  take(): Promise<LeaseOwner | undefined> {
    this.taking ??= this.takeNow().finally(() => (this.taking = undefined));
    return this.taking;
  }

  async other(): Promise<LeaseOwner | undefined> {
    const { held } = await this.newest();
    return held !== undefined && held.token !== this.token && this.lives(held) ? held : undefined;
  }

  /**
   * Rejects with code `LEASED` unless it is ours: nothing may be written then. A look a moment ago is enough: what is looked
   * at now may change before it is written as well. `now` false: a longer moment.
   * Answers with the generation: a file that was opened under another one may have been written by somebody else since.
   */
  async check(now = true): Promise<number> {
    const at = this.system.monotonic();
    if (this.mine !== undefined && at - this.checked < (now ? MOMENT : BEAT / 5)) return this.mine;
    if (!(await this.isOurs())) {
      const owner = await this.take();
      if (owner !== undefined) throw leasedError(owner);
    }
    this.checked = at;
    return this.mine ?? 0;
  }

  async stamp(runId: string): Promise<string> {
    const files = this.layout.run(runId);
    const stats =
      files === undefined ? [] : await Promise.all([this.sizeOf(files.journal()), this.sizeOf(files.state())]);
    return stats.join(' ');
  }

  async release(): Promise<void> {
    await this.taking?.catch(() => undefined);
    const ours = await this.isOurs();
    const { mine } = this;
    this.lost();
    // the generation stays: a number that was once given is never given again
    if (ours && mine !== undefined) await this.overwrite(mine, FREE).catch(() => undefined);
  }

  /** Whoever takes it removes this file before anything else is done, and nobody makes it again. */
  private async isOurs(): Promise<boolean> {
    const { mine } = this;
    if (mine !== undefined && (await unlessMissing(this.fs.lstat(this.file(mine)))) !== undefined) return true;
    this.lost();
    return false;
  }

  private async takeNow(): Promise<LeaseOwner | undefined> {
    for (;;) {
      const { generation, held } = await this.newest();
      if (held?.token === this.token) {
        this.own(generation);
        return undefined;
      }
      if (held !== undefined && this.lives(held)) return held;
      await makeFolder(this.fs, this.layout.dir);
      if (!(await this.make(generation + 1))) continue; // somebody was quicker
      // what was the highest may have come and gone since it was looked at
      if ((await this.newest()).generation !== generation + 1) {
        await unlessMissing(this.fs.unlink(this.file(generation + 1)));
        continue;
      }
      await this.sweep(generation + 1);
      this.own(generation + 1);
      return undefined;
    }
  }

  private own(generation: number): void {
    this.mine = generation;
    this.timer ??= setInterval(() => void this.beat().catch(() => undefined), BEAT).unref();
  }

  private lives(held: Held): boolean {
    if (held.host === this.system.host) {
      const startTime = this.system.startTime(held.pid);
      return startTime !== undefined && startTime === held.startTime;
    }
    const now = this.system.monotonic();
    if (this.watched?.token !== held.token || this.watched.beat !== held.beat)
      this.watched = { token: held.token, beat: held.beat, since: now };
    return now - this.watched.since < SILENCE;
  }

  private async beat(): Promise<void> {
    if ((await this.isOurs()) && this.mine !== undefined) await this.overwrite(this.mine, this.text());
  }

  private lost(): void {
    this.mine = undefined;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private text(): Buffer {
    const { pid, host } = this.system;
    const startTime = (this.startTime ??= this.system.startTime(pid) ?? '');
    return padded({ schemaVersion: 1, token: this.token, pid, startTime, host, beat: (this.beats += 1) });
  }

  /** false: there is one already. */
  private async make(generation: number): Promise<boolean> {
    try {
      const options = { mode: FILE_MODE, exclusive: true, fsync: false };
      await writeAtomic(this.fs, this.file(generation), this.text(), options);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'EEXIST') return false;
      throw error;
    }
  }

  /** In place and in one write of the same length: what was removed meanwhile does not come back. */
  private async overwrite(generation: number, bytes: Buffer): Promise<void> {
    const handle = await this.fs.open(this.file(generation), { flags: constants.O_WRONLY });
    try {
      await writeAll(handle, bytes, 0);
    } finally {
      await handle.close();
    }
  }

  /** Highest generation; 0 and nothing: there is none. One that cannot be read is nobody's. */
  private async newest(): Promise<{ generation: number; held: Held | undefined }> {
    const generation = Math.max(0, ...(await this.generations()));
    if (generation === 0) return { generation, held: undefined };
    const bytes = await readWhole(this.fs, this.file(generation));
    if (bytes === undefined) return this.newest(); // given back just now
    return { generation, held: parse(bytes) };
  }

  private async generations(): Promise<number[]> {
    const entries = (await unlessMissing(this.fs.readdir(this.layout.dir))) ?? [];
    return entries.flatMap(({ name }) => {
      const generation = NAME.exec(name)?.[1];
      return generation === undefined ? [] : [Number(generation)];
    });
  }

  private async sweep(below: number): Promise<void> {
    for (const one of await this.generations()) if (one < below) await unlessMissing(this.fs.unlink(this.file(one)));
  }

  private async sizeOf(file: string): Promise<string> {
    try {
      const { size, mtimeMs, ino } = await this.fs.lstat(file);
      return `${size}/${mtimeMs}/${ino}`;
    } catch (error) {
      if (isMissing(error)) return '-';
      throw error;
    }
  }

  private file(generation: number): string {
    return path.join(this.layout.dir, `lease-${String(generation).padStart(8, '0')}.json`);
  }
}

function parse(bytes: Uint8Array): Held | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (!isRecord(value)) return undefined;
    const { token, pid, startTime, host, beat } = value;
    const texts = typeof token === 'string' && typeof startTime === 'string' && typeof host === 'string';
    return texts && typeof pid === 'number' && typeof beat === 'number'
      ? { token, pid, startTime, host, beat }
      : undefined;
  } catch {
    return undefined;
  }
}

/** It was lost, and is ours again: what is in memory may be older than what is stored. */
export const lostError = (): Error =>
  Object.assign(new Error('another window has worked with this run meanwhile: reload this window'), { code: 'LEASED' });

export function leasedError({ pid, host }: LeaseOwner): Error {
  return Object.assign(new Error(`another window works with this storage (process ${pid} on ${host})`), {
    code: 'LEASED',
  });
}
