/** The open journal of a run: whole batches in order, one sync for all that wait, never glued to half a line. */
import { constants } from 'node:fs';
import path from 'node:path';
import type { JournalRecord } from '../../core/ports';
import { syncFolder, writeAll } from '../atomic';
import type { FsCalls, OpenFile } from '../fs';
import { readWhole, replaceFile, setAside } from './generations';
import { encodeRecord, parseJournal } from './journalText';
import { FILE_MODE, type RunFiles } from './layout';

/** Called around the write of a batch that ends a step; `step` is its number, 0 where the batch names none. */
export interface BoundaryHooks {
  before?: ((step: number) => Promise<void>) | undefined;
  /** Given: the batch is written in two halves with this call in between. */
  between?: ((step: number) => Promise<void>) | undefined;
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
  private lastSeq: number | undefined;
  /** A write failed and what it left could not be cut off yet. */
  private dirtyEnd = false;

  constructor(
    private readonly fs: FsCalls,
    private readonly files: RunFiles,
    private readonly hooks: BoundaryHooks,
  ) {}

  get bytes(): number {
    return this.length;
  }

  /**
   * Opens (or makes) the file and removes a torn end. Lines that cannot be used are set aside: damaged ones and those
   * after them, and those past `usable`, the last record that loading the run could reach (a gap lies before them).
   */
  async open(usable: number | undefined): Promise<void> {
    const name = this.files.journal();
    const bytes = (await readWhole(this.fs, name)) ?? new Uint8Array();
    const parsed = parseJournal(bytes, 'journal.jsonl');
    const beyond = parsed.records.findIndex((record) => usable !== undefined && record.seq > usable);
    const end = beyond === -1 ? parsed.goodBytes : (parsed.starts[beyond] ?? 0);
    if (parsed.damage !== undefined || beyond !== -1) {
      await setAside(this.fs, name);
      await replaceFile(this.fs, name, bytes.subarray(0, end));
      parsed.torn = false;
    }
    this.length = end;
    this.lastSeq = (beyond === -1 ? parsed.records.at(-1) : parsed.records[beyond - 1])?.seq ?? usable;
    await this.opened();
    if (parsed.torn) await this.cutBack();
  }

  /** Settles when the records are written (`sync`: on disk). One failed write fails every call that shared it. */
  append(records: readonly JournalRecord[], options: { sync: boolean; boundary: boolean }): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ records, ...options, resolve, reject });
      this.kick();
    });
  }

  /** Starts anew after a snapshot that holds everything up to `seq`; the journal so far is kept as the previous one. */
  async rotate(seq: number): Promise<void> {
    this.rotating = true; // what is appended meanwhile waits for the new file
    try {
      await this.working;
      const carried = await this.after(seq);
      await replaceFile(this.fs, this.files.journal(), carried, this.files.previousJournal());
      await this.file?.close();
      this.file = undefined;
      this.length = carried.length;
      this.dirtyEnd = false;
    } finally {
      this.rotating = false;
      this.kick();
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

  /** The lines of records that a snapshot up to `seq` does not hold yet. */
  private async after(seq: number): Promise<Uint8Array> {
    if (this.lastSeq === undefined || this.lastSeq <= seq) return new Uint8Array();
    const bytes = (await readWhole(this.fs, this.files.journal())) ?? new Uint8Array();
    const parsed = parseJournal(bytes, 'journal.jsonl');
    const first = parsed.records.findIndex((record) => record.seq > seq);
    return first === -1 ? new Uint8Array() : bytes.subarray(parsed.starts[first], parsed.goodBytes);
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
        this.dirtyEnd = true;
        await this.cutBack().catch(() => undefined);
        for (const { reject } of group) reject(error);
      }
    }
  }

  private async writeGroup(group: readonly Waiting[]): Promise<void> {
    const file = await this.opened();
    if (this.dirtyEnd) await this.cutBack();
    let length = this.length;
    let lastSeq = this.lastSeq;
    for (const { records, boundary } of group) {
      for (const { seq } of records) {
        // a line out of order would make every later one unreadable
        if (lastSeq !== undefined && seq !== lastSeq + 1) throw new Error(`record ${seq} cannot follow ${lastSeq}`);
        lastSeq = seq;
      }
      const bytes = Buffer.from(records.map(encodeRecord).join(''));
      const step = boundary ? stepOf(records) : 0;
      if (boundary) await this.hooks.before?.(step);
      const half = boundary && this.hooks.between !== undefined ? Math.ceil(bytes.length / 2) : bytes.length;
      await writeAll(file, bytes.subarray(0, half), length);
      if (boundary) await this.hooks.between?.(step);
      if (half < bytes.length) await writeAll(file, bytes.subarray(half), length + half);
      length += bytes.length;
    }
    if (group.some(({ sync }) => sync)) await file.datasync();
    this.length = length;
    this.lastSeq = lastSeq;
  }

  private async cutBack(): Promise<void> {
    const file = await this.opened();
    await file.truncate(this.length);
    await file.datasync();
    this.dirtyEnd = false;
  }

  private async opened(): Promise<OpenFile> {
    if (this.closed) throw new Error('the journal is closed');
    if (this.file === undefined) {
      const flags = constants.O_RDWR | constants.O_CREAT;
      this.file = await this.fs.open(this.files.journal(), { flags, mode: FILE_MODE });
      await syncFolder(this.fs, path.dirname(this.files.journal()));
    }
    return this.file;
  }
}

/** Ids of steps end in `/s<number>`. */
function stepOf(records: readonly JournalRecord[]): number {
  for (const { event } of [...records].reverse()) {
    if (event.type === 'stepEnded') return Number(/\/s(\d+)$/.exec(event.end.stepId)?.[1] ?? 0);
  }
  return 0;
}
