/** Runs in files of their own, for other machines: `RunArchives` over the store of this one. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Hash } from '../../core/ports';
import type { RunState } from '../../core/run/state';
import {
  ArchiveError,
  type ArchiveErrorCode,
  type Incoming,
  type LocalWord,
  type Outgoing,
  type RunArchives,
  type Written,
} from '../../core/transfer/archive';
import { writeAtomic } from '../atomic';
import { errnoOf, type FsCalls, unlessMissing } from '../fs';
import type { NodeStore } from '../store';
import { replaceFile } from '../store/generations';
import { encodeHeader, encodeRecord, statePieces } from '../store/journalText';
import { FILE_MODE, Layout, RunFiles } from '../store/layout';
import { gzipped, linesOf, unzipped } from './lines';
import { type Limits, LIMITS, Meter, metered } from './limits';
import { importedRecords, recordsOf } from './records';
import { ArchiveParser, type Heard, headLine, lineOf, MAX_LINE, stateLines } from './text';

const CODES: Readonly<Record<string, ArchiveErrorCode>> = {
  ...{ ENOSPC: 'noSpace', EDQUOT: 'noSpace', EFBIG: 'noSpace' },
  ...{ EACCES: 'permissionDenied', EPERM: 'permissionDenied', EROFS: 'permissionDenied' },
  ...{ ENOENT: 'notFound', ENOTDIR: 'notFound', EISDIR: 'isDirectory', EEXIST: 'exists' },
};

async function asArchiveErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    const errno = errnoOf(error);
    throw new ArchiveError(CODES[errno] ?? 'other', errno || (error instanceof Error ? error.message : String(error)));
  }
}

export interface NodeArchivesOptions {
  fs: FsCalls;
  /** The storage folder. */
  dir: string;
  store: NodeStore;
  /** Texts that mean something on this machine alone; read anew for each export. */
  words?: () => Promise<readonly LocalWord[]>;
  limits?: Limits;
}

export class NodeArchives implements RunArchives {
  private readonly fs: FsCalls;
  private readonly layout: Layout;

  constructor(private readonly options: NodeArchivesOptions) {
    this.fs = options.fs;
    this.layout = new Layout(options.dir);
  }

  localWords(): Promise<readonly LocalWord[]> {
    return this.options.words?.() ?? Promise.resolve([]);
  }

  write(target: string, outgoing: Outgoing, { overwrite }: { overwrite: boolean }): Promise<Written> {
    return asArchiveErrors(async () => {
      const file = await this.targetOf(target, overwrite);
      const counts = { records: 0, contents: 0, missing: 0 };
      const pieces = gzipped(this.lines(outgoing, counts));
      const tmpDir = await this.besides(file);
      const options = { mode: FILE_MODE, exclusive: !overwrite, ...(tmpDir === undefined ? {} : { tmpDir }) };
      const bytes = await writeAtomic(this.fs, file, pieces, options);
      return { ...counts, bytes };
    });
  }

  read(source: string): Promise<Incoming> {
    return asArchiveErrors(() => this.parse(source, true));
  }

  adopt(source: string, incoming: Incoming, state: RunState, at: number): Promise<void> {
    return asArchiveErrors(async () => {
      const { blobs } = this.options.store;
      const put: Hash[] = [];
      try {
        await this.options.store.adopt(state.runId, async (folder) => {
          await replaceFile(this.fs, importedRecords(folder), this.takeOver(source, incoming, put));
          await replaceFile(this.fs, new RunFiles(folder).journal(), journalOf(state, at));
        });
      } catch (error) {
        throw errnoOf(error) === 'EEXIST' ? new ArchiveError('taken') : error;
      } finally {
        // named by files that are there now, or given up
        blobs.named(Buffer.from(put.join(' ')));
      }
    });
  }

  /** Contents go to the store, records are handed on, and at the end it has to be the file that was checked. */
  private async *takeOver(source: string, incoming: Incoming, put: Hash[]): AsyncGenerator<Buffer> {
    let waiting = '';
    const heard: Heard = {
      record: (record) => void (waiting += encodeRecord(record)),
      content: async (_hash, bytes) => void put.push(await this.options.store.blobs.put(bytes)),
    };
    const meter = this.meter();
    const parser = new ArchiveParser(false, heard, meter);
    for await (const line of this.linesIn(source, meter)) {
      await parser.take(line);
      if (waiting === '') continue;
      yield Buffer.from(waiting);
      waiting = '';
    }
    if (parser.whole().sum !== incoming.sum) throw new ArchiveError('changed');
  }

  private async parse(source: string, keep: boolean): Promise<Incoming> {
    const meter = this.meter();
    const parser = new ArchiveParser(keep, {}, meter);
    for await (const line of this.linesIn(source, meter)) await parser.take(line);
    return parser.whole();
  }

  private meter(): Meter {
    return new Meter(this.options.limits ?? LIMITS);
  }

  private linesIn(source: string, meter: Meter): AsyncGenerator<Buffer> {
    if (!path.isAbsolute(source)) throw new ArchiveError('badName');
    return linesOf(metered(unzipped(this.fs, source), meter), { max: MAX_LINE, rest: true });
  }

  private async *lines(outgoing: Outgoing, counts: Omit<Written, 'bytes'>): AsyncGenerator<string> {
    const hash = createHash('sha256');
    // What could not be imported again is not written either.
    const meter = this.meter();
    const summed = (line: string): string => {
      hash.update(line);
      meter.passed(Buffer.byteLength(line));
      return line;
    };
    yield summed(headLine(outgoing.head));
    for (const line of stateLines(outgoing.state, outgoing.piece)) yield summed(line);
    const files = this.layout.run(outgoing.head.runId);
    if (files) {
      for await (const record of recordsOf(this.fs, files)) {
        const carried = outgoing.record(record);
        if (!carried) continue;
        counts.records += 1;
        yield summed(lineOf({ record: carried }));
      }
    }
    for (const content of outgoing.named()) {
      const bytes = await this.options.store.blobs.get(content);
      if (!bytes) {
        counts.missing += 1;
        continue;
      }
      counts.contents += 1;
      yield summed(
        lineOf({ content, base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64') }),
      );
    }
    yield lineOf({ end: { ...counts }, sum: hash.digest('hex') });
  }

  /** Where it is to be written: a link leads to the file itself. */
  private async targetOf(target: string, overwrite: boolean): Promise<string> {
    if (!path.isAbsolute(target)) throw new ArchiveError('badName');
    const stat = await unlessMissing(this.fs.lstat(target));
    if (stat?.isDirectory() === true) throw new ArchiveError('isDirectory');
    if (stat !== undefined && !overwrite) throw new ArchiveError('exists');
    const folder = await this.fs.realpath(path.dirname(target));
    const storage = await this.fs.realpath(this.layout.dir);
    if (folder === storage || folder.startsWith(storage + path.sep))
      throw new ArchiveError('badName', 'That is the storage of Holdfast itself: choose another place.');
    return stat?.isSymbolicLink() === true ? this.fs.realpath(target) : path.join(folder, path.basename(target));
  }

  /** The storage, where a killed process leaves no scrap beside files of the human's; undefined: it is on another disk. */
  private async besides(file: string): Promise<string | undefined> {
    const [here, there] = await Promise.all([this.fs.stat(this.layout.dir), this.fs.stat(path.dirname(file))]);
    return here.dev === there.dev ? this.layout.dir : undefined;
  }
}

function* journalOf(state: RunState, at: number): Generator<Buffer> {
  yield Buffer.from(encodeHeader(state.runId));
  yield* statePieces({ seq: 1, at }, 'runImported', state);
}
