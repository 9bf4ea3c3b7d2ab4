/** The open journal of a run: whole batches in order, one sync for all that wait, never glued to half a line. */
import { constants } from 'node:fs';
import path from 'node:path';
import type { JournalRecord } from '../../core/ports';
import { syncFolder, writeAll } from '../atomic';
import { errnoOf, type FsCalls, type OpenFile } from '../fs';
import { mendFile, readWhole, setAside } from './generations';
import { encodeHeader, encodeRecord, readJournal, type WholeFile } from './journalText';
import { FILE_MODE, type RunFiles } from './layout';
import { listSegments, sealedName, segmentsAfter } from './segments';

export interface JournalHooks {
  /** Before the write of a batch that ends a step; `step` is its number, 0 where the batch names none. */
  before?: ((step: number) => Promise<void>) | undefined;
  /** Given: such a batch is written in two halves with this call in between. */
  between?: ((step: number) => Promise<void>) | undefined;
  /** Rejects where another process has the storage; `now`: not only a moment ago. */
  mayWrite?: ((now: boolean) => Promise<void>) | undefined;
  /** What records may name: written before they are, durable when they are. */
  contents?: { flush(): Promise<void>; sync(): Promise<void>; named(lines: Buffer): void } | undefined;
}

interface Waiting {
  records: readonly JournalRecord[];
  sync: boolean;
  boundary: boolean;
  resolve: () => void;
  reject: (error: unknown) => void;
}

export class JournalFile {
  private queue: Waiting[] = [];
  private working: Promise<void> | undefined;
  private file: OpenFile | undefined;
  private rotating = false;
  private closed = false;
  private length = 0;
  /** Number of the first record in the file. */
  private firstSeq: number | undefined;
  private lastSeq: number | undefined;
  /** Written and not synced yet. A failed sync may have lost it although its writer was told it is written. */
  private cached: Buffer[] = [];
  /** A write or sync failed, and the file's end is not what it should be. */
  private dirtyEnd = false;

  constructor(
    private readonly fs: FsCalls,
    private readonly files: RunFiles,
    private readonly runId: string,
    private readonly hooks: JournalHooks,
  ) {}

  /** 0 as long as no record is in the file. */
  get bytes(): number {
    return this.firstSeq === undefined ? 0 : this.length;
  }

  /**
   * Opens (or makes) the file and removes a torn end. What cannot be used is set aside: damaged lines and those after them,
   * and records past `usable`, the last one that loading the run could reach. `whole`: the file was read a moment ago, and all
   * is good.
   */
  async open(usable: number | undefined, whole?: WholeFile): Promise<void> {
    const name = this.files.journal();
    if (whole?.name === path.basename(name)) {
      this.length = whole.bytes;
      this.firstSeq = whole.first;
      this.lastSeq = whole.last ?? usable;
      await this.opened();
      return;
    }
    for (const segment of segmentsAfter(await listSegments(this.fs, this.files), usable ?? 0)) {
      if (segment.file === name) continue;
      if (segment.first !== undefined && segment.first > (usable ?? 0)) await setAside(this.fs, segment.file);
      else await this.cleaned(segment.file, usable);
    }
    const { records, end, torn } = await this.cleaned(name, usable);
    this.length = end;
    this.firstSeq = records[0]?.seq;
    this.lastSeq = records.at(-1)?.seq ?? usable;
    await this.opened();
    if (torn) await this.cutBack();
  }

  /** Sets a file with lines nobody can use aside, and puts the others in its place. */
  private async cleaned(
    file: string,
    usable: number | undefined,
  ): Promise<{ records: JournalRecord[]; end: number; torn: boolean }> {
    const parsed = await readJournal(this.fs, file, path.basename(file));
    const beyond = parsed.records.findIndex((record) => usable !== undefined && record.seq > usable);
    const end = beyond === -1 ? parsed.goodBytes : (parsed.starts[beyond] ?? 0);
    const mend = parsed.damage !== undefined || beyond !== -1;
    if (mend) await mendFile(this.fs, file, ((await readWhole(this.fs, file)) ?? new Uint8Array()).subarray(0, end));
    const records = beyond === -1 ? parsed.records : parsed.records.slice(0, beyond);
    return { records, end, torn: parsed.torn && !mend };
  }

  /** Settles when the records are written (`sync`: on disk). One failed write fails every call that shared it. */
  append(records: readonly JournalRecord[], options: { sync: boolean; boundary: boolean }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ records, ...options, resolve, reject });
      this.kick();
    });
  }

  /** After a snapshot: the file keeps its lines under a name of its own, the next ones go to a new file. */
  async rotate(): Promise<void> {
    this.rotating = true; // what is appended meanwhile waits for the new file
    try {
      await this.working;
      if (this.firstSeq === undefined) return;
      if (this.dirtyEnd) await this.cutBack();
      else if (this.cached.length > 0) await this.file?.datasync();
      await this.hooks.mayWrite?.(true);
      await this.file?.close();
      this.file = undefined;
      await this.fs.rename(this.files.journal(), path.join(this.files.dir, sealedName(this.firstSeq)));
      this.cached = [];
      this.length = 0;
      this.firstSeq = undefined;
      await this.begin();
    } finally {
      this.rotating = false;
      this.kick();
    }
  }

  /** The new file says what the one before it ends with: of lines that get lost there nothing else would tell. */
  private async begin(): Promise<void> {
    const file = await this.opened();
    const header = Buffer.from(encodeHeader(this.runId, this.lastSeq));
    try {
      await this.hooks.mayWrite?.(true); // another's records may stand there by now
      await writeAll(file, header, 0);
      this.length = header.length;
      this.cached = [header];
    } catch (error) {
      this.dirtyEnd = errnoOf(error) !== 'LEASED'; // mended, or told, with the next record
    }
  }

  async close(): Promise<void> {
    while (this.working !== undefined) await this.working; // what was asked for before is still written
    this.closed = true;
    await this.file?.close();
    this.file = undefined;
  }

  private kick(): void {
    if (this.rotating || this.working !== undefined || this.queue.length === 0) return;
    this.working = this.work().finally(() => {
      this.working = undefined;
      this.kick();
    });
  }

  private async work(): Promise<void> {
    while (this.queue.length > 0 && !this.rotating) {
      const group = this.queue;
      this.queue = [];
      try {
        await this.writeGroup(group);
        for (const { resolve } of group) resolve();
      } catch (error) {
        // nothing of the group was promised to anybody: it must not be found either
        if (errnoOf(error) !== 'LEASED') {
          this.dirtyEnd = true;
          await this.cutBack().catch(() => undefined);
        }
        for (const { reject } of group) reject(error);
      }
    }
  }

  private async writeGroup(group: readonly Waiting[]): Promise<void> {
    const sync = group.some((waiting) => waiting.sync);
    const allowed = this.hooks.mayWrite?.(sync);
    allowed?.catch(() => undefined); // told below
    const file = await this.opened();
    if (this.dirtyEnd) {
      await allowed; // what is not ours any more is not mended either
      await this.cutBack();
    }
    let lastSeq = this.lastSeq;
    for (const { records } of group)
      for (const { seq } of records) {
        // a line out of order would make every later one unreadable
        if (lastSeq !== undefined && seq !== lastSeq + 1) throw new Error(`record ${seq} cannot follow ${lastSeq}`);
        lastSeq = seq;
      }
    await Promise.all([allowed, this.hooks.contents?.flush()]);
    const written = await this.writeLines(file, group);
    // side by side, and not before both are written: a file system with a journal of its own makes them durable in one go
    if (sync) await bothOf(file.datasync(), this.hooks.contents?.sync());
    this.hooks.contents?.named(written);
    this.length += written.length;
    this.cached = sync ? [] : [...this.cached, written];
    this.firstSeq ??= group.find(({ records }) => records.length > 0)?.records[0]?.seq;
    this.lastSeq = lastSeq;
  }

  /** All lines of the group in as few writes as the hooks allow. */
  private async writeLines(file: OpenFile, group: readonly Waiting[]): Promise<Buffer> {
    let text = this.length === 0 ? encodeHeader(this.runId, this.lastSeq) : '';
    const done: Buffer[] = [];
    let at = this.length;
    const flush = async (bytes: Buffer): Promise<void> => {
      await writeAll(file, bytes, at);
      at += bytes.length;
      done.push(bytes);
    };
    for (const { records, boundary } of group) {
      const lines = records.map(encodeRecord).join('');
      const step = boundary ? stepOf(records) : 0;
      if (boundary) await this.hooks.before?.(step);
      if (boundary && this.hooks.between !== undefined) {
        const bytes = Buffer.from(lines);
        const half = Math.ceil(bytes.length / 2);
        await flush(Buffer.concat([Buffer.from(text), bytes.subarray(0, half)]));
        text = '';
        await this.hooks.between(step);
        await flush(bytes.subarray(half));
      } else {
        text += lines;
      }
    }
    if (text !== '') await flush(Buffer.from(text));
    return done.length === 1 && done[0] !== undefined ? done[0] : Buffer.concat(done);
  }

  /** Cuts off what was promised to nobody, and writes again what a failed sync may have lost. */
  private async cutBack(): Promise<void> {
    const file = await this.opened();
    await file.truncate(this.length);
    const cached = Buffer.concat(this.cached);
    if (cached.length > 0) await writeAll(file, cached, this.length - cached.length);
    await file.datasync();
    this.cached = [];
    this.dirtyEnd = false;
  }

  private async opened(): Promise<OpenFile> {
    if (this.closed) throw new Error('the journal is closed');
    if (this.file === undefined) {
      const flags = constants.O_RDWR | constants.O_CREAT;
      this.file = await this.fs.open(this.files.journal(), { flags, mode: FILE_MODE, direct: true });
      await syncFolder(this.fs, this.files.dir);
    }
    return this.file;
  }
}

/** Settles when both have; rejects with the first error. */
async function bothOf(one: Promise<void>, other: Promise<void> = Promise.resolve()): Promise<void> {
  for (const settled of await Promise.allSettled([one, other])) if (settled.status === 'rejected') throw settled.reason;
}

/** Ids of steps end in `/s<number>`. */
function stepOf(records: readonly JournalRecord[]): number {
  for (const { event } of [...records].reverse()) {
    if (event.type === 'stepEnded') return Number(/\/s(\d+)$/.exec(event.end.stepId)?.[1] ?? 0);
  }
  return 0;
}
