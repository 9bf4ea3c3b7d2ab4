/** The small index of runs: derived from the runs themselves, so it can always be made anew. */
import { Low } from 'lowdb';
import type { LoadedRun } from '../../core/ports';
import { isWhole } from '../../core/run/events';
import type { RunSummary } from '../../core/run/state';
import { type FsCalls, unlessMissing } from '../fs';
import { DocumentAdapter, type Found, isRecord, judgeVersion } from './document';
import { makeFolder } from './generations';
import type { Layout } from './layout';

const INDEX_VERSION = 2;

interface IndexData {
  schemaVersion: number;
  runs: RunSummary[];
}

export class RunIndex {
  private readonly adapter: DocumentAdapter<IndexData>;
  private readonly db: Low<IndexData>;
  private reading: Promise<void> | undefined;
  private writing: Promise<void> = Promise.resolve();
  /** A write that has not begun yet: it will take everything changed until it does. */
  private due: Promise<void> | undefined;

  constructor(
    private readonly fs: FsCalls,
    private readonly layout: Layout,
    private readonly load: (runId: string) => Promise<LoadedRun | undefined>,
    private readonly summarise: (runId: string, loaded: LoadedRun) => RunSummary | undefined,
  ) {
    this.adapter = new DocumentAdapter(fs, layout.index(), judgeIndex, false);
    this.db = new Low(this.adapter, { schemaVersion: INDEX_VERSION, runs: [] });
  }

  /**
   * Entries of the runs whose folders are there. A folder without an entry (killed before it was written, or the index
   * is lost) is loaded; an entry without a folder is left out. Writes nothing.
   */
  async list(fresh = false): Promise<RunSummary[]> {
    if (fresh) this.reading = undefined;
    await this.read();
    const folders = (await unlessMissing(this.fs.readdir(this.layout.runs()))) ?? [];
    const ids = folders.filter((one) => one.isDirectory() && this.layout.run(one.name)).map((one) => one.name);
    const entries = new Map(this.db.data.runs.map((entry) => [entry.runId, entry]));
    const out: RunSummary[] = [];
    for (const runId of ids) {
      const entry = entries.get(runId) ?? (await this.rebuilt(runId));
      if (entry !== undefined) out.push(entry);
    }
    return out;
  }

  async update(summary: RunSummary): Promise<void> {
    await this.read();
    const others = this.db.data.runs.filter((entry) => entry.runId !== summary.runId);
    const known = this.db.data.runs.find((entry) => entry.runId === summary.runId);
    this.db.data.runs = [...others, { ...known, ...summary }];
    await this.write();
  }

  async remove(runId: string): Promise<void> {
    await this.read();
    if (!this.db.data.runs.some((entry) => entry.runId === runId)) return;
    this.db.data.runs = this.db.data.runs.filter((entry) => entry.runId !== runId);
    await this.write();
  }

  private read(): Promise<void> {
    this.reading ??= this.db.read().catch((error: unknown) => {
      this.reading = undefined; // perhaps it can be read next time
      throw error;
    });
    return this.reading;
  }

  private write(): Promise<void> {
    this.due ??= this.writing
      .catch(() => undefined)
      .then(async () => {
        this.due = undefined;
        await makeFolder(this.fs, this.layout.dir);
        // a newer version's index stays as it is: ours is in memory and made anew from the folders next time
        if ((await this.adapter.look()).kind !== 'newer') await this.db.write();
      });
    this.writing = this.due;
    return this.due;
  }

  private async rebuilt(runId: string): Promise<RunSummary | undefined> {
    const loaded = await this.load(runId).catch(() => undefined);
    const summary = loaded === undefined ? undefined : this.summarise(runId, loaded);
    if (summary !== undefined) this.db.data.runs.push(summary); // written with the next update
    return summary;
  }
}

function judgeIndex(value: unknown): Found<IndexData> {
  const judged = judgeVersion(value, INDEX_VERSION);
  if ('found' in judged) return judged.found;
  const runs = judged.record['runs'];
  if (!Array.isArray(runs)) return { kind: 'damaged', why: 'no list of runs' };
  const whole = runs.filter((entry): entry is RunSummary => isRecord(entry) && typeof entry['runId'] === 'string');
  return { kind: 'good', data: { ...judged.record, schemaVersion: INDEX_VERSION, runs: whole } };
}

/** What the files say without the core's help: the last snapshot, or the event that started the run. */
export function plainSummary(runId: string, { snapshot, tail }: LoadedRun): RunSummary | undefined {
  if (snapshot !== undefined) {
    return {
      runId,
      goal: snapshot.goal,
      status: snapshot.status,
      control: snapshot.control,
      model: snapshot.model.label,
      createdAt: snapshot.createdAt,
      updatedAt: tail.at(-1)?.at ?? snapshot.updatedAt,
      stepsDone: snapshot.steps.filter((step) => step.outcome === 'done').length,
      steps: snapshot.steps.length,
      live: true, // not known: looked at
      ...(snapshot.importedFrom ? { imported: true } : {}),
    };
  }
  const first = tail[0];
  const begun =
    first && isWhole(first.event) ? first.event.state : first?.event.type === 'runStarted' ? first.event : undefined;
  if (!first || !begun) return undefined;
  const { goal, model } = begun;
  const ended = tail.filter(({ event }) => event.type === 'stepEnded' && event.end.outcome === 'done').length;
  const times = { createdAt: first.at, updatedAt: tail.at(-1)?.at ?? first.at };
  const counts = { stepsDone: ended, steps: ended, live: true };
  return { runId, goal, status: 'running', control: 'agent', model: model.label, ...times, ...counts };
}
