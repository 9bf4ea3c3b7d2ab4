/** A run with human acts between its steps, on the simulated disk, and an oracle that watches the disk itself. */
import assert from 'node:assert/strict';
import type { RestoreResult, UndoResult } from '../../../../src/core/checkpoints/types';
import type { Refusal } from '../../../../src/core/errors';
import { isFinal, type RunState } from '../../../../src/core/run/state';
import { ListBrain, modelInfo, type Reply } from '../../../sim/model';
import { SimWorld } from '../../../sim/world';
import { OneRun } from '../run/oneRun';

export interface HumanAct {
  kind: 'write' | 'delete' | 'rename' | 'chmod';
  path: string;
  bytes: Uint8Array;
  to: string;
}

export type Disk = Map<string, { bytes: string; mode: number }>;

export class Theatre extends OneRun {
  /** Content of the run's last write of a path, seen on the disk; null: it removed the file. */
  readonly lastWrite = new Map<string, string | null>();
  /** Paths the human touched since the run began. */
  readonly human = new Set<string>();
  /** Disk at each boundary. */
  readonly boundaries = new Map<number, Disk>();
  private recording = true;

  /** `known`: read before the first step, in one look instead of a reply and a step for each. */
  constructor(
    files: Record<string, Uint8Array>,
    modes: Record<string, number>,
    replies: readonly Reply[],
    known: readonly string[],
  ) {
    super(new SimWorld({ brain: new ListBrain(replies, modelInfo({ files: known })) }));
    for (const [path, bytes] of Object.entries(files)) this.world.files.put(path, bytes, modes[path] ?? 0o644);
    this.world.files.onChange = (changes) => {
      if (!this.recording) return;
      for (const { path, after } of changes) this.lastWrite.set(path, after && Buffer.from(after).toString('hex'));
    };
    this.world.onState = (state) => this.watch(state);
  }

  disk(): Disk {
    const { files } = this.world;
    return new Map(files.paths().map((path) => [path, { bytes: hex(files.bytes(path)), mode: files.mode(path) }]));
  }

  /** Plays the run to its end; the human acts whenever a step waits for them. */
  async play(acts: readonly (readonly HumanAct[])[]): Promise<void> {
    await this.world.open();
    this.boundaries.set(0, this.disk());
    await this.start();
    for (let turn = 0; turn < 200; turn += 1) {
      await this.world.settle(1000);
      if (isFinal(this.state.status)) break;
      if (this.state.status === 'paused') {
        for (const act of acts[turn % Math.max(1, acts.length)] ?? []) this.act(act);
        await this.world.finish(this.core.resume());
      } else {
        // What it asks because the human was there: no.
        const open = this.state.decisions.find((d) => d.state === 'pending');
        assert.ok(open, `it stands still: ${this.state.status}`);
        const choice = open.kind === 'approval' ? 'reject' : (open.choices[0]?.id ?? '');
        await this.world.finish(this.core.decide({ decisionId: open.id, choice }));
      }
    }
    assert.ok(isFinal(this.state.status), this.state.status);
    this.recording = false;
  }

  act({ kind, path, bytes, to }: HumanAct): void {
    const { files } = this.world;
    this.human.add(path);
    if (kind === 'write') files.put(path, bytes);
    else if (kind === 'delete') files.delete(path);
    else if (kind === 'chmod') files.chmod(path, 0o755);
    else if (!files.bytes(to)) {
      this.human.add(to);
      files.rename(path, to);
    }
  }

  async restore(checkpoint: number): Promise<RestoreResult> {
    return granted(await this.world.finish(this.core.restoreCheckpoint({ runId: this.runId, checkpoint })));
  }

  async undo(undo: string): Promise<UndoResult> {
    return granted(await this.world.finish(this.core.undoRestore({ undo })));
  }

  /** The process dies after so many turns of a restore, and starts again. */
  async killed(checkpoint: number, turns: number): Promise<void> {
    void this.core.restoreCheckpoint({ runId: this.runId, checkpoint }).catch(() => undefined);
    await this.world.go(turns);
    await this.world.crash();
    await this.world.open();
    await this.world.finish(this.core.load(this.runId));
  }

  private watch(state: RunState): void {
    const done = state.steps.findLast((step) => !['notStarted', 'running'].includes(step.outcome))?.n ?? 0;
    if (this.recording && !this.boundaries.has(done)) this.boundaries.set(done, this.disk());
  }
}

export const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex');

export function granted<T extends object>(answer: T | Refusal): T {
  assert.ok(!('refused' in answer), 'refused' in answer ? answer.message : '');
  return answer;
}
