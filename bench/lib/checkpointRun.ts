/** Steps of a run as the core hands them to its store: the real events, folded by the real `transition`. */
import { Snapshots } from '../../src/core/checkpoints/snapshots';
import type { JournalRecord, RunStore, Store } from '../../src/core/ports';
import type { RunEvent } from '../../src/core/run/events';
import type { FileChange, RunState } from '../../src/core/run/state';
import { transition } from '../../src/core/run/transition';
import { sha256 } from '../../src/node/hash';

export const FILES = 3;
export const FILE_BYTES = 4096;
export const TEXT_BYTES = 2048;

/**
 * Bytes that differ from step to step; nothing that compresses to nothing. Made with next to no garbage (xorshift): what the
 * bench itself leaves behind would be collected in the middle of what is measured.
 */
export function content(step: number, file: number, bytes = FILE_BYTES): Buffer {
  const out = Buffer.allocUnsafe(bytes);
  let x = (step * 2654435761 + file * 40503 + 1) | 0;
  for (let n = 0; n < bytes; n += 1) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    out[n] = n % 65 === 64 ? 10 : 'abcdefghijklmnopqrstuvwxyz 012345'.charCodeAt(x & 31);
  }
  return out;
}

export class BenchRun {
  private state: RunState | undefined;
  private readonly snapshots: Snapshots;
  private step = 0;

  private constructor(
    private readonly store: Store,
    private readonly run: RunStore,
  ) {
    const nothing = (): void => undefined;
    this.snapshots = new Snapshots(run, { info: nothing, warn: (text) => console.error(text), error: nothing });
  }

  static async begin(store: Store, runId: string): Promise<BenchRun> {
    const bench = new BenchRun(store, await store.open(runId));
    const engine = { kind: 'model', provider: 'bench' } as const;
    const model = { provider: 'bench', label: 'bench', fixed: false };
    const started: RunEvent = { type: 'runStarted', runId, goal: 'bench', engine, model, outline: [], files: [] };
    await bench.append(started, true);
    await bench.append({ type: 'prepared', seen: [], git: null }, false);
    return bench;
  }

  /** One reply with one call that changes three files. Answers with the ms spent in the store; folding is not its work. */
  async next(read?: (file: number) => Promise<Uint8Array>): Promise<number> {
    this.step += 1;
    const { step } = this;
    const requestId = this.state?.inFlight?.kind === 'model' ? this.state.inFlight.requestId : '';
    const before = Array.from({ length: FILES }, (_, file) => content(step - 1, file));
    const after = Array.from({ length: FILES }, (_, file) => content(step, file));
    const changes = after.map((bytes, file): FileChange => {
      const old = step === 1 ? null : sha256(before[file] ?? bytes);
      return { path: `src/f${file}.ts`, before: old, after: sha256(bytes), size: bytes.length };
    });
    const text = content(step, FILES, TEXT_BYTES).toString();
    let ms = await this.append(
      { type: 'modelReplied', requestId, calls: [{ tool: 'write_file', argsText: '{"path":"src/f0.ts"}' }] },
      false,
    );
    const stepId = this.state?.steps.at(-1)?.id ?? '';
    ms += await this.append({ type: 'stepStarted', stepId }, false);
    const from = performance.now();
    for (let file = 0; file < FILES; file += 1) {
      if (step > 1) await this.store.blobs.put((await read?.(file)) ?? before[file] ?? Buffer.alloc(0));
      await this.store.blobs.put(after[file] ?? Buffer.alloc(0));
    }
    ms += performance.now() - from;
    ms += await this.append({ type: 'effectRequested', stepId, changes }, true);
    const end = { stepId, outcome: 'done', effect: 'committed', text, changes } as const;
    ms += await this.append({ type: 'stepEnded', end }, true, true);
    if (this.state?.steps.at(-1)?.outcome !== 'done')
      throw new Error('the step did not end: the bench measures nothing');
    return ms;
  }

  async close(): Promise<void> {
    await this.snapshots.idle();
    await this.run.close();
  }

  private async append(event: RunEvent, sync: boolean, boundary = false): Promise<number> {
    const record: JournalRecord = { seq: (this.state?.seq ?? 0) + 1, at: Date.now(), event };
    const { state } = transition(this.state, record);
    this.state = state;
    const from = performance.now();
    await this.run.append([record], { sync, boundary });
    if (boundary) this.snapshots.consider(state);
    return performance.now() - from;
  }
}
