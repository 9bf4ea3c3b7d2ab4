/** Diff editors: a proposed change, and a file against what the run last saw of it. */
import { commands, workspace } from 'vscode';
import type { Refusal } from '../../core/errors';
import type { Decision, FileRecord, RunState } from '../../core/run/state';
import { uriOf } from '../../vscode/roots';
import { refusal } from '../messages';
import { blobUri } from './blobs';

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
  const { change, path } = decision;
  if (!change) return;
  const name = path ?? 'text';
  const words = decision.kind === 'conflict' ? 'now ↔ the agent’s proposal' : 'now ↔ proposed';
  await commands.executeCommand(
    'vscode.diff',
    blobUri(name, change.before),
    blobUri(name, change.after),
    `${nameOf(name)} (${words})`,
  );
}

export async function compareWithCheckpoint(
  state: RunState | undefined,
  path: string,
  checkpoint: 'start' | 'last' = 'last',
): Promise<Refusal | undefined> {
  const file = state?.files.find((one) => one.path === path);
  if (!file) return refusal('badArgument', `The run has not touched ${path}: there is nothing to compare it with.`);
  const hash = checkpointOf(file, checkpoint);
  if (file.noBlob || hash === undefined) {
    return refusal(
      'badArgument',
      `The content of ${path} is not stored (too large, or it looks secret): open the file itself.`,
    );
  }
  const uri = uriOf(path);
  if (!uri) return refusal('badArgument', `The folder of ${path} is not open: open it, then compare.`);
  const there = await workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
  const from = checkpoint === 'start' ? 'before the run' : 'checkpoint';
  const title = `${nameOf(path)} (${from} ↔ ${there ? 'now' : 'deleted'})`;
  await commands.executeCommand('vscode.diff', blobUri(path, hash), there ? uri : blobUri(path, null), title);
  return undefined;
}
