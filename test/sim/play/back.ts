/** Restores and their undo: what they may do to the disk and to unsaved text, and that they say what they did. */
import type { RestoreFile, RestoreRecord } from '../../../src/core/checkpoints/types';
import { encode } from '../../../src/core/reconcile/text';
import type { RunState } from '../../../src/core/run/state';
import { sha256 } from '../../../src/node/hash';
import type { SimWorld } from '../world';
import { humanLines } from './acts';
import { textOf } from './lines';

interface Change {
  op: string;
  path: string;
  before: Uint8Array | null;
  after: Uint8Array | null;
}

const hashOf = (bytes: Uint8Array | null | undefined): string | null => (bytes ? sha256(bytes) : null);

export class Back {
  /** How often a restore has changed a file. */
  private readonly done = new Map<string, number>();
  private readonly states = new Map<string, RunState>();

  constructor(
    private readonly world: SimWorld,
    private readonly blame: (what: string) => void,
  ) {}

  see(state: RunState): void {
    this.states.set(state.runId, state);
  }

  crash(): void {
    this.states.clear();
  }

  /** Whether a restore is under way, of whatever run: then it is the one that made the change. */
  took(change: Change): boolean {
    for (const state of this.states.values()) {
      const restore = state.restores?.find((one) => one.state === 'requested');
      if (!restore) continue;
      this.change(state, restore, change);
      return true;
    }
    return false;
  }

  private change(state: RunState, restore: RestoreRecord, change: Change): void {
    const { world } = this;
    const { path, op } = change;
    if (!world.promises.isIntentDurable(restore.id)) this.blame(`${restore.id} touches ${path}, and is not on disk`);
    const file = restore.files.find((one) => one.path === path);
    const [before, after] = [hashOf(change.before), hashOf(change.after)];
    if (!file) return this.blame(`${restore.id} touches ${path}, which it does not name`);
    if (file.before !== before || file.after !== after)
      this.blame(`${restore.id}: ${op} of ${path} is another change than the one on disk`);
    const key = `${restore.id} ${path}`;
    const count = (this.done.get(key) ?? 0) + 1;
    this.done.set(key, count);
    if (count > 1) this.blame(`${key} is changed ${count} times`);
    if (before !== null && world.store.peek(before) === undefined)
      this.blame(`${restore.id}: of ${path} as it was there is no copy`);
    const moved = file.movedTo !== undefined || file.movedFrom !== undefined;
    if (!moved) this.checkLines(state, restore, file, change);
  }

  /** A line of the human goes only where the run itself had put it in, or where a restore had brought it. */
  private checkLines(state: RunState, restore: RestoreRecord, file: RestoreFile, { before, after }: Change): void {
    const kept = new Set(humanLines(textOf(after)));
    const gone = humanLines(textOf(before)).filter((line) => !kept.has(line));
    if (gone.length === 0) return;
    if (restore.kind === 'undo') {
      const undone = state.restores?.find((one) => one.id === restore.undoes)?.files.find((f) => f.path === file.path);
      if (undone?.before !== file.after) this.blame(`${restore.id} takes ${gone.join(', ')} from ${file.path}`);
      return;
    }
    const earlier = (state.restores ?? []).flatMap((one) => one.files.filter(({ done }) => done));
    const touches = [...state.steps.flatMap((step) => step.changes), ...earlier].filter(
      (one) => one.path === file.path,
    );
    const text = (hash: string | null): string => (hash === null ? '' : textOf(this.world.store.peek(hash)));
    for (const line of gone)
      if (!touches.some((one) => text(one.after).includes(line) && !text(one.before).includes(line)))
        this.blame(`${restore.id} takes ${line} from ${file.path}, which the human had written there`);
  }

  /** After a crash: none is half under way, and of one that was cut off each file is as it is said to be. */
  checkReopened(before: RunState, after: RunState): void {
    for (const restore of after.restores ?? []) {
      if (restore.state === 'requested') this.blame(`${restore.id} is still under way after a crash`);
      if (before.restores?.find((one) => one.id === restore.id)?.state !== 'requested') continue;
      for (const { path, after: wanted, done, unsaved } of restore.files) {
        const buffer = unsaved ? this.world.buffers.get(path) : undefined;
        const now = buffer ? sha256(encode(buffer.text, 'utf8')) : hashOf(this.world.files.bytes(path));
        if ((now === wanted) !== (done === true)) this.blame(`${restore.id} says of ${path} what is not so`);
      }
    }
  }
}
