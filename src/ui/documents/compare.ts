/** Diff editors: a proposed change, and a file against what the run last saw of it. */
import { commands, workspace, type Uri } from 'vscode';
import type { Refusal } from '../../core/errors';
import type { Decision, FileRecord, RunState } from '../../core/run/state';
import { Disposable } from '../../vscode/disposable';
import { uriOf } from '../../vscode/roots';
import { closeDiffsOf } from '../../vscode/tabs';
import { refusal } from '../messages';
import type { Watch } from '../watch';
import { blobUri, proposedUri } from './blobs';
import type { changedSince, hashAt } from './hashAt';

/** What comes with the engine. */
interface Texts {
  changedSince: typeof changedSince;
  hashAt: typeof hashAt;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * What a checkpoint holds of a file. The last one: the run's last write, else what it read; a file the run has deleted is
 * shown as it was before. `start`: before the run's first write. undefined: its content was never stored.
 */
export function checkpointOf(file: FileRecord, checkpoint: 'start' | 'last'): string | null | undefined {
  const order = checkpoint === 'start' ? [file.original, file.base] : [file.written, file.base, file.original];
  const first = order.find((hash) => hash !== undefined);
  return checkpoint === 'start' ? first : (order.find((hash) => typeof hash === 'string') ?? first);
}

export async function showChange(decision: Decision): Promise<void> {
  const { change, path, id } = decision;
  const name = path ?? 'text';
  if (!change) {
    const [now, then] = [proposedUri(name, id, 'before'), proposedUri(name, id, 'after')];
    await commands.executeCommand('vscode.diff', now, then, `${nameOf(name)} (now ↔ proposed, not stored)`);
    return;
  }
  const proposed = decision.kind === 'conflict' ? 'now ↔ the agent’s proposal' : 'now ↔ proposed';
  const { command = change.after } = change;
  const made = command === change.after ? 'yours ↔ the command’s' : 'yours ↔ there since';
  const words = decision.source === 'command' ? made : proposed;
  await commands.executeCommand(
    'vscode.diff',
    blobUri(name, change.before),
    blobUri(name, change.after),
    `${nameOf(name)} (${words})`,
  );
}

/** What one step did to a file: both sides as they were stored, whatever is there now. */
export async function showFileChange(item: unknown): Promise<void> {
  if (typeof item !== 'object' || item === null) return;
  const { path, before, after } = item as { path?: unknown; before?: unknown; after?: unknown };
  if (typeof path !== 'string') return;
  const side = (hash: unknown): Uri => blobUri(path, typeof hash === 'string' ? hash : null);
  await commands.executeCommand('vscode.diff', side(before), side(after), `${nameOf(path)} (before ↔ after the step)`);
}

/** Nothing is proposed any more once the question is settled: its diff goes. */
export class SettledChanges extends Disposable {
  private open = new Map<string, Decision>();

  constructor(watch: Watch) {
    super();
    this._register(
      watch.onDidChange(() => {
        const pending = (watch.state?.decisions ?? []).filter((one) => one.state === 'pending');
        for (const { id, change, path = 'text' } of this.open.values())
          if (!pending.some((one) => one.id === id))
            void closeDiffsOf(change ? blobUri(path, change.after) : proposedUri(path, id, 'after'));
        this.open = new Map(pending.map((one) => [one.id, one]));
      }),
    );
  }
}

const isThere = (uri: Uri): Promise<boolean> =>
  Promise.resolve(workspace.fs.stat(uri)).then(
    () => true,
    () => false,
  );

/** A number: the boundary after that step. */
export async function compareWithCheckpoint(
  texts: Texts,
  state: RunState | undefined,
  path: string,
  checkpoint: 'start' | 'last' | number = 'last',
): Promise<Refusal | undefined> {
  const file = state?.files.find((one) => one.path === path);
  if (!state || !file)
    return refusal('badArgument', `The run has not touched ${path}: there is nothing to compare it with.`);
  const numbered = typeof checkpoint === 'number';
  const hash = numbered ? texts.hashAt(state, path, checkpoint) : checkpointOf(file, checkpoint);
  if (file.noBlob || hash === undefined) {
    return refusal(
      'badArgument',
      `The content of ${path} is not stored (too large, or it looks secret): open the file itself.`,
    );
  }
  const uri = uriOf(path);
  if (!uri) return refusal('badArgument', `The folder of ${path} is not open: open it, then compare.`);
  const there = await isThere(uri);
  const from =
    numbered && checkpoint > 0 ? `after step ${checkpoint}` : checkpoint === 'last' ? 'checkpoint' : 'before the run';
  const title = `${nameOf(path)} (${from} ↔ ${there ? 'now' : 'deleted'})`;
  await commands.executeCommand('vscode.diff', blobUri(path, hash), there ? uri : blobUri(path, null), title);
  return undefined;
}

/** All files that changed since a checkpoint, in one editor. */
export async function showSince(texts: Texts, state: RunState, checkpoint: number): Promise<Refusal | undefined> {
  const changed = texts.changedSince(state, checkpoint);
  if (changed.length === 0) return refusal('badArgument', 'No file has changed since that checkpoint.');
  const rows = await Promise.all(
    changed.map(async ({ path, then }) => {
      const uri = uriOf(path);
      // undefined: it was not there yet, or is not there any more.
      const now = uri && (await isThere(uri)) ? uri : undefined;
      return [uri ?? blobUri(path, null), then === null ? undefined : blobUri(path, then), now];
    }),
  );
  const title = checkpoint === 0 ? 'Since the start of the run' : `Since step ${checkpoint}`;
  await commands.executeCommand('vscode.changes', title, rows);
  return undefined;
}
