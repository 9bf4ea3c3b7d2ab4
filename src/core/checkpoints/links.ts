/** Links in a restore: looked at, made and taken away as themselves. */
import { FileError } from '../errors';
import type { Hash, Path, Ports } from '../ports';
import type { Look } from '../world';
import type { RestoreFile } from './types';

/** What the link at the path holds; undefined: it is none. */
export async function heldBy(ports: Ports, now: Look): Promise<{ bytes: Uint8Array; hash: Hash } | undefined> {
  if (!now.stat?.isLink) return undefined;
  try {
    const bytes = await ports.files.readLink(now.path);
    return { bytes, hash: ports.hash(bytes) };
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

/** A look at the link itself instead of at what it leads to. */
export function atLink(now: Look, held: { bytes: Uint8Array; hash: Hash } | undefined): Look {
  const { view: _view, bytes: _bytes, ...rest } = now;
  return held ? { ...rest, bytes: held.bytes, hash: held.hash, diskHash: held.hash, size: held.bytes.length } : now;
}

/** One side of it is a link; `bytes`: what is to stand there afterwards, absent where nothing is. */
export async function applyLink(ports: Ports, file: RestoreFile, bytes: Uint8Array | undefined): Promise<void> {
  const { files } = ports;
  const { path, before, mode } = file;
  if (file.link === 'after') return files.makeLink(path, bytes ?? new Uint8Array(), { expect: before });
  if (ports.hash(await files.readLink(path)) !== before) throw new FileError('changed', path);
  await files.remove(path, { expect: null });
  if (bytes) await files.write(path, bytes, { expect: null, ...(mode === undefined ? {} : { mode }) });
}

/** Folders on the way to the path that are not there yet, the deepest first. */
export async function missingFolders({ files }: Pick<Ports, 'files'>, path: Path): Promise<Path[]> {
  const missing: Path[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    const folder = path.slice(0, at);
    const stat = await files.stat(folder).catch((error: unknown) => {
      if (error instanceof FileError) return undefined;
      throw error;
    });
    if (stat?.type !== 'missing' || stat.isLink) break;
    missing.push(folder);
  }
  return missing;
}

/** Takes folders away that nothing is in any more, the deepest first. */
export async function removeEmpty(
  { files, log }: Pick<Ports, 'files' | 'log'>,
  folders: readonly Path[],
): Promise<void> {
  for (const folder of [...new Set(folders)].sort((a, b) => b.length - a.length)) {
    try {
      await files.removeFolder(folder);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      log.info(`a folder stays: ${error.code} (${error.detail})`);
    }
  }
}
