/** The memory of the simulated disk, as of one without git: sizes and times, and no former bytes. */
import type { LookOptions, Tree, TreeChange, TreeFile, TreeLook } from '../../src/core/tree';
import type { SimFiles } from './files';
import type { Turns } from './turns';

export class SimTree implements Tree {
  /** Called when a look begins; the look waits for it. */
  onLook: (() => Promise<void> | undefined) | undefined;
  /** Called when a look has been made, before it is heard of. */
  afterLook: (() => void) | undefined;
  /** Why the next looks do not see all: given, they see no change. */
  partial: string | undefined;
  private readonly memories = new Map<string, Map<string, TreeFile>>();

  constructor(
    private readonly turns: Turns,
    private readonly files: SimFiles,
  ) {}

  now(): number {
    return this.files.touch();
  }

  passed(): Promise<void> {
    return Promise.resolve();
  }

  async look(runId: string, { signal }: LookOptions): Promise<TreeLook> {
    await this.onLook?.();
    await this.turns.take();
    signal.throwIfAborted();
    const before = this.memories.get(runId);
    if (before && this.partial !== undefined)
      return { first: false, partial: this.partial, changes: [], loose: [], before: () => Promise.resolve(new Map()) };
    const now = new Map<string, TreeFile>();
    for (const path of this.files.paths()) {
      const { size, ctimeMs } = await this.files.stat(path);
      now.set(path, { path, size, ctimeMs });
    }
    this.memories.set(runId, now);
    const changes: TreeChange[] = [];
    for (const [path, file] of before ? now : []) {
      const old = before?.get(path);
      if (!old || old.ctimeMs !== file.ctimeMs) changes.push({ ...file, kind: old ? 'changed' : 'created' });
    }
    this.afterLook?.();
    for (const path of before?.keys() ?? []) if (!now.has(path)) changes.push({ path, kind: 'deleted', size: 0 });
    return {
      first: before === undefined,
      changes: changes.sort((a, b) => (a.path < b.path ? -1 : 1)),
      loose: [...now.values()].sort((a, b) => b.ctimeMs - a.ctimeMs),
      before: () => Promise.resolve(new Map()),
    };
  }

  forget(runId: string): Promise<void> {
    this.memories.delete(runId);
    return Promise.resolve();
  }
}
