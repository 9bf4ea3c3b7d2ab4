/** One file of a restore on the disk or in its editor, with the last check directly before the write. */
import { FileError, type FileErrorCode } from '../errors';
import type { Ports } from '../ports';
import { toLf } from '../reconcile/lines';
import { charsetAt } from '../reconcile/charset';
import { decode } from '../reconcile/text';
import { look, shown } from '../world';
import { applyLink, removeEmpty } from './links';
import type { RestoreFile, SkipReason } from './types';

const REASON: Partial<Record<FileErrorCode, SkipReason>> = {
  changed: 'changed',
  exists: 'changed',
  notFound: 'changed',
  readOnly: 'readOnly',
  permissionDenied: 'readOnly',
  noSpace: 'noSpace',
  outside: 'outside',
  reserved: 'outside',
  isDirectory: 'typeChanged',
  notDirectory: 'typeChanged',
};

async function intoBuffer(ports: Ports, file: RestoreFile, bytes: Uint8Array): Promise<void> {
  const now = await look(ports, file.path);
  const text = decode(bytes, now.view?.encoding)?.text;
  if (!now.dirty || now.hash !== file.before || text === undefined) throw new FileError('changed', file.path);
  const shown = toLf(text).replaceAll('\n', now.dirty.eol);
  if (!(await ports.buffers.edit(file.path, now.dirty, shown))) throw new FileError('changed', file.path);
}

async function toDisk(ports: Ports, file: RestoreFile, bytes: Uint8Array): Promise<void> {
  const { files, buffers } = ports;
  const { path, before, mode } = file;
  // Typed since it was looked at: what is there now is the buffer.
  if (buffers.get(path)?.dirty && (await look(ports, path)).dirty) throw new FileError('changed', path);
  await files.write(path, bytes, { expect: before, ...(mode === undefined ? {} : { mode, giveMode: true }) });
  const text = decode(bytes, await charsetAt(buffers, path))?.text;
  if (text !== undefined) await shown(ports, path, text);
}

async function apply(ports: Ports, file: RestoreFile): Promise<void> {
  const { path, before, after } = file;
  if (file.movedFrom !== undefined) {
    const source = await look(ports, file.movedFrom);
    if (source.hash !== after || source.dirty) throw new FileError('changed', path);
    return ports.files.move(file.movedFrom, path, { expect: source.stat?.isLink ? null : after });
  }
  if (file.link) {
    const held = after === null ? undefined : await ports.store.blobs.get(after);
    if (after !== null && !held) throw new FileError('other', path, 'blobMissing');
    return applyLink(ports, file, held);
  }
  if (after === null) {
    if (ports.buffers.get(path)?.dirty && (await look(ports, path)).dirty) throw new FileError('changed', path);
    return ports.files.remove(path, { expect: before });
  }
  const bytes = await ports.store.blobs.get(after);
  if (!bytes) throw new FileError('other', path, 'blobMissing');
  return file.unsaved ? intoBuffer(ports, file, bytes) : toDisk(ports, file, bytes);
}

/**
 * Does all of it, file after file; what cannot be done is left as it is, with its reason, and keeps no other from its turn.
 * Moves and removals come first: they make room, and names that differ only in case are free again.
 */
export async function perform(ports: Ports, files: readonly RestoreFile[]): Promise<RestoreFile[]> {
  const rank = (file: RestoreFile): number => (file.movedFrom !== undefined ? 0 : file.after === null ? 1 : 2);
  const ended = new Map<string, RestoreFile>();
  for (const file of [...files].sort((a, b) => rank(a) - rank(b))) {
    if (file.movedTo !== undefined) continue;
    await ports.probe.at('tool:beforeWrite', 0);
    let end: RestoreFile;
    try {
      await apply(ports, file);
      end = { ...file, done: true };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      ports.log.info(`not restored: ${error.code} (${error.detail})`);
      const reason = error.detail === 'blobMissing' ? 'blobMissing' : (REASON[error.code] ?? 'failed');
      end = { ...file, done: false, reason };
    }
    await ports.probe.at('tool:afterEffect', 0);
    ended.set(file.path, end);
    // The other side of a move fares as its first.
    const { done, reason } = end;
    const source = files.find((one) => one.movedTo === file.path);
    if (source) ended.set(source.path, { ...source, done: done === true, ...(reason ? { reason } : {}) });
  }
  const gone = [...ended.values()].filter((file) => file.done && file.after === null);
  await removeEmpty(
    ports,
    gone.flatMap((file) => file.folders ?? []),
  );
  return files.map((file) => ended.get(file.path) ?? { ...file, done: false, reason: 'failed' });
}
