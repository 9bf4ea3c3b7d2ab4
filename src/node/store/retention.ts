/** The `Retention` port in the store's folder. */
import { constants } from 'node:fs';
import path from 'node:path';
import type { Retention, RunSize, Survey } from '../../core/checkpoints/retention';
import type { Hash } from '../../core/ports';
import { syncFolder } from '../atomic';
import { type FsCalls, unlessMissing } from '../fs';
import type { NodeBlobs } from './blobs';
import { Collector } from './collect';
import { FILE_MODE, type Layout } from './layout';
import { filesBelow, referencesBelow } from './references';

/** Its presence in a run's folder says so, whatever becomes of the index. */
const PINNED = 'pinned';
const CREATE = constants.O_WRONLY | constants.O_CREAT;

export class NodeRetention implements Retention {
  private readonly collector: Collector;
  private collecting: Promise<void> = Promise.resolve();

  constructor(
    private readonly fs: FsCalls,
    private readonly layout: Layout,
    private readonly blobs: NodeBlobs,
    /** Settles when the storage may be written. */
    private readonly ready: () => Promise<void>,
  ) {
    this.collector = new Collector(fs, layout, blobs.index);
  }

  async survey(known: ReadonlyMap<string, RunSize>, signal?: AbortSignal): Promise<Survey> {
    const survey: Survey = { total: 0, runs: new Map(), pinned: new Set() };
    for (const runId of await this.runIds()) {
      signal?.throwIfAborted();
      const files = await this.filesOf(runId);
      const own = sum(files.values());
      const before = known.get(runId);
      const contents = before?.own === own ? before.contents : await this.contentsOf(runId, signal);
      survey.runs.set(runId, { own, contents });
      if ([...files.keys()].some((file) => path.basename(file) === PINNED)) survey.pinned.add(runId);
      survey.total += own;
    }
    survey.total += sum((await unlessMissing(filesBelow(this.fs, this.layout.blobs())))?.values() ?? []);
    return survey;
  }

  /** The oldest first, as many as it takes; what others share with a run is not freed with it. */
  async surplus(oldest: readonly string[], excess: number, signal?: AbortSignal): Promise<string[]> {
    const users = new Map<Hash, number>();
    for (const runId of await this.folders())
      for (const hash of await this.namedBy(runId, signal)) users.set(hash, (users.get(hash) ?? 0) + 1);
    const surplus: string[] = [];
    let freed = 0;
    for (const runId of oldest) {
      if (freed >= excess) break;
      freed += sum((await this.filesOf(runId)).values());
      for (const hash of await this.namedBy(runId, signal)) {
        const left = (users.get(hash) ?? 1) - 1;
        users.set(hash, left);
        if (left === 0) freed += this.blobs.index.find(hash)?.place.stored ?? 0;
      }
      surplus.push(runId);
    }
    return surplus;
  }

  /** One at a time. */
  collect(freed: boolean, signal?: AbortSignal): Promise<void> {
    const next = this.collecting.catch(() => undefined).then(() => this.collectNow(freed, signal));
    this.collecting = next;
    return next;
  }

  private async collectNow(freed: boolean, signal: AbortSignal | undefined): Promise<void> {
    await this.ready();
    if (freed) await this.blobs.leavePack();
    if (!freed && !(await this.collector.due())) return;
    await this.blobs.index.refresh();
    const release = this.blobs.hold();
    try {
      const named = new Set<Hash>();
      for (const name of await this.folders()) for (const hash of await this.namedBy(name, signal)) named.add(hash);
      await this.collector.collect({ named, put: this.blobs.onTheirWay }, signal);
    } finally {
      release();
    }
  }

  async pin(runId: string, pinned: boolean): Promise<void> {
    const files = this.layout.run(runId);
    if (files === undefined) throw new Error(`no run id: ${JSON.stringify(runId)}`);
    await this.ready();
    const file = path.join(files.dir, PINNED);
    if (pinned) {
      const handle = await this.fs.open(file, { flags: CREATE, mode: FILE_MODE });
      await handle.close();
    } else {
      await unlessMissing(this.fs.unlink(file));
    }
    await syncFolder(this.fs, files.dir);
  }

  /** All that may name contents: whatever its name. */
  private async folders(): Promise<string[]> {
    const entries = (await unlessMissing(this.fs.readdir(this.layout.runs()))) ?? [];
    return entries.filter((one) => one.isDirectory()).map((one) => one.name);
  }

  private async runIds(): Promise<string[]> {
    return (await this.folders()).filter((name) => this.layout.run(name) !== undefined);
  }

  private async filesOf(runId: string): Promise<Map<string, number>> {
    return (
      (await unlessMissing(filesBelow(this.fs, path.join(this.layout.runs(), runId)))) ?? new Map<string, number>()
    );
  }

  private async namedBy(runId: string, signal: AbortSignal | undefined): Promise<Set<Hash>> {
    const { index } = this.blobs;
    await index.ready();
    const known = (hash: Hash): boolean => index.find(hash) !== undefined || index.isLoose(hash);
    const folder = path.join(this.layout.runs(), runId);
    // a run removed under our hands names nothing
    return (await unlessMissing(referencesBelow(this.fs, folder, known, signal))) ?? new Set<Hash>();
  }

  private async contentsOf(runId: string, signal: AbortSignal | undefined): Promise<number> {
    const named = await this.namedBy(runId, signal);
    return sum([...named].map((hash) => this.blobs.index.find(hash)?.place.stored ?? 0));
  }
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, one) => total + one, 0);
