/**
 * The `Store` port in a folder: `runs.json` (index), `runs/<runId>/` with `state.json` (and the snapshot before it) and the
 * files of the journal, `blobs/` with packs. Nothing is written before the first run exists. One writer at a time is assumed.
 */
import path from 'node:path';
import { type Adapter, Low } from 'lowdb';
import type { HearLoaded, JournalRecord, LoadedRun, RunStore, Store } from '../core/ports';
import type { Probe } from '../core/probe';
import type { RunState, RunSummary } from '../core/run/state';
import { isScrap, scrapName, syncFolder } from './atomic';
import { type FsCalls, realFs, unlessMissing } from './fs';
import { NodeBlobs } from './store/blobs';
import { type DocumentAdapter, newerError } from './store/document';
import { makeFolder } from './store/generations';
import { JournalFile } from './store/journalFile';
import { Layout, type RunFiles } from './store/layout';
import type { WholeFile } from './store/journalText';
import { isNewer, readRun, type RunRead, stampOf, stateDocument } from './store/loadRun';
import { lostError, type NodeLease } from './store/lease';
import { NodeRetention } from './store/retention';
import { plainSummary, RunIndex } from './store/runIndex';

export { NEWER } from './store/loadRun';

export interface NodeStoreOptions {
  /** Absolute; need not exist. */
  dir: string;
  fs?: FsCalls;
  /** Asked before a batch that ends a step is written (`checkpoint:beforeWrite`). */
  probe?: Probe;
  /** Looked at before anything is written. */
  lease?: NodeLease;
  /** For tests: such a batch is then written in two halves with this call in between. */
  midWrite?: (step: number) => Promise<void>;
  /** Index entry of a run that has none; default: from the last snapshot or the first record alone. */
  summarise?: (runId: string, loaded: LoadedRun) => RunSummary | undefined;
}

/** Where only the end of the journal is of interest. */
const NOBODY: HearLoaded = { begin: () => undefined, take: () => undefined };

interface Known {
  document: DocumentAdapter<RunState>;
  reached: number | undefined;
  whole?: WholeFile;
}

export class NodeStore implements Store {
  readonly blobs: NodeBlobs;
  readonly retention: NodeRetention;
  private readonly fs: FsCalls;
  private readonly layout: Layout;
  private readonly index: RunIndex;
  private swept: Promise<void> | undefined;
  private openRuns = 0;
  /** The run that was loaded last: it is opened next, mostly. */
  private lastRead: (Known & { dir: string; stamp: string }) | undefined;

  constructor(private readonly options: NodeStoreOptions) {
    this.fs = options.fs ?? realFs;
    this.layout = new Layout(options.dir);
    this.blobs = new NodeBlobs(this.fs, this.layout, () => this.sweep());
    this.retention = new NodeRetention(this.fs, this.layout, this.blobs, () => this.sweep());
    const summarise = options.summarise ?? plainSummary;
    this.index = new RunIndex(this.fs, this.layout, (runId) => this.load(runId), summarise);
  }

  list(fresh?: boolean): Promise<RunSummary[]> {
    return this.index.list(fresh);
  }

  async load(runId: string, hear?: HearLoaded): Promise<LoadedRun | undefined> {
    const files = this.layout.run(runId);
    return files === undefined ? undefined : (await this.read(files, hear))?.loaded;
  }

  private async read(files: RunFiles, hear?: HearLoaded): Promise<RunRead | undefined> {
    const stamp = await stampOf(this.fs, files);
    const read = await readRun(this.fs, files, hear);
    const { document, whole, reached } = read ?? {};
    this.lastRead = whole && document && { dir: files.dir, stamp, document, whole, reached };
    return read;
  }

  /** What an open needs of a run's files: as they were read last, where they are the same since and nothing of them is damaged. */
  private async known(files: RunFiles): Promise<Known> {
    const last = this.lastRead;
    this.lastRead = undefined; // its document goes to one writer
    if (last?.dir === files.dir && last.stamp === (await stampOf(this.fs, files))) return last;
    const read = await readRun(this.fs, files, NOBODY);
    if (isNewer(read?.loaded)) throw newerError(files.dir);
    return { document: read?.document ?? stateDocument(this.fs, files), reached: read?.reached };
  }

  /** Rejects with code `NEWER` for a run of a newer version of the extension, changing nothing. */
  async open(runId: string): Promise<RunStore> {
    const files = this.layout.run(runId);
    if (files === undefined) throw new Error(`no run id: ${JSON.stringify(runId)}`);
    const { document, reached, whole } = await this.known(files);
    await this.sweep();
    await makeFolder(this.fs, files.dir);
    await sweepFolder(this.fs, files.dir);
    await syncFolder(this.fs, this.layout.runs());
    const { probe, midWrite, lease } = this.options;
    const generation = await lease?.check();
    const mayWrite = async (now: boolean): Promise<void> => {
      if ((await lease?.check(now)) !== generation) throw lostError();
    };
    const journal = new JournalFile(this.fs, files, runId, {
      before: probe && ((step) => probe.at('checkpoint:beforeWrite', step)),
      between: midWrite,
      contents: this.blobs,
      mayWrite,
    });
    await journal.open(reached, whole);
    this.openRuns += 1;
    return new NodeRunStore(files, document, journal, { mayWrite, closed: () => this.runClosed() });
  }

  /**
   * A run whose files `fill` makes, in a folder that has no run's name until all of it is on disk, contents put meanwhile
   * included: it is there at once, or not at all. Rejects with EEXIST where the id is taken.
   */
  async adopt(runId: string, fill: (folder: string) => Promise<void>): Promise<void> {
    const files = this.layout.run(runId);
    if (files === undefined) throw new Error(`no run id: ${JSON.stringify(runId)}`);
    await this.sweep();
    await makeFolder(this.fs, this.layout.runs());
    const folder = path.join(this.layout.runs(), scrapName());
    this.openRuns += 1;
    try {
      await makeFolder(this.fs, folder);
      await fill(folder);
      await this.blobs.sync();
      await syncFolder(this.fs, folder);
      await this.options.lease?.check(true);
      if ((await unlessMissing(this.fs.lstat(files.dir))) !== undefined)
        throw Object.assign(new Error(`EEXIST: '${files.dir}'`), { code: 'EEXIST' });
      await this.fs.rename(folder, files.dir);
      await syncFolder(this.fs, this.layout.runs());
    } catch (error) {
      await this.fs.removeTree(folder).catch(() => undefined);
      throw error;
    } finally {
      await this.runClosed();
    }
  }

  async updateIndex(summary: RunSummary): Promise<void> {
    await this.sweep();
    await this.index.update(summary);
  }

  /** The run's folder and its entry; blobs are shared and stay. */
  async remove(runId: string): Promise<void> {
    const files = this.layout.run(runId);
    if (files === undefined) return;
    await this.sweep();
    // under a scrap's name first: a kill in the middle leaves no half of a run that would still be listed
    const doomed = path.join(this.layout.runs(), scrapName());
    const moved = await unlessMissing(this.fs.rename(files.dir, doomed).then(() => true));
    if (moved === true) {
      await syncFolder(this.fs, this.layout.runs());
      await this.fs.removeTree(doomed);
    }
    await this.index.remove(runId);
  }

  /** With the last run the pack is closed too. */
  private async runClosed(): Promise<void> {
    this.openRuns -= 1;
    // what could not be made durable was promised to nobody
    if (this.openRuns === 0) await this.blobs.close().catch(() => undefined);
  }

  /** Removes what a killed process left, once, before the first write of ours. */
  private async sweep(): Promise<void> {
    await this.options.lease?.check();
    this.swept ??= (async () => {
      for (const folder of [this.layout.dir, this.layout.runs(), this.layout.blobs()])
        await sweepFolder(this.fs, folder);
    })();
    await this.swept;
  }
}

class NodeRunStore implements RunStore {
  private readonly db: Low<RunState | null>;
  /** Snapshots one after another. */
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly files: RunFiles,
    private readonly state: DocumentAdapter<RunState>,
    private readonly journal: JournalFile,
    private readonly hooks: { mayWrite(now: boolean): Promise<void>; closed(): Promise<void> },
  ) {
    this.db = new Low(untilThere(state), null);
  }

  get journalBytes(): number {
    return this.journal.bytes;
  }

  get snapshotBytes(): number {
    return this.state.bytes;
  }

  append(records: readonly JournalRecord[], options: { sync: boolean; boundary: boolean }): Promise<void> {
    return this.journal.append(records, options);
  }

  /**
   * The state first, durable; then a new journal file: killed in between, records the state holds are skipped when loading.
   * Records may be appended meanwhile.
   */
  snapshot(state: RunState): Promise<void> {
    const next = this.last
      .catch(() => undefined)
      .then(async () => {
        if (path.basename(this.files.dir) !== state.runId) throw new Error(`not the state of this run: ${state.runId}`);
        await this.hooks.mayWrite(true);
        this.db.data = state;
        await this.db.write();
        await this.journal.rotate();
      });
    this.last = next;
    return next;
  }

  async close(): Promise<void> {
    await this.last.catch(() => undefined);
    await this.journal.close();
    await this.hooks.closed();
  }
}

/** lowdb wants data from the start; until the first snapshot there is none. */
function untilThere(document: DocumentAdapter<RunState>): Adapter<RunState | null> {
  return {
    read: () => document.read(),
    write: async (data) => {
      if (data !== null) await document.write(data);
    },
  };
}

async function sweepFolder(fs: FsCalls, folder: string): Promise<void> {
  const entries = await fs.readdir(folder).catch(() => []);
  for (const entry of entries) {
    if (isScrap(entry.name)) await fs.removeTree(path.join(folder, entry.name)).catch(() => undefined);
  }
}
