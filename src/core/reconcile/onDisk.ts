/** What the disk holds at a path, whatever an editor shows: what commands read and write. */
import { FileError, StorageError } from '../errors';
import type { Hash, Path, Ports } from '../ports';
import { isSecret } from '../tools/policy';
import { putBlob } from '../tools/reading';
import { BLOB_LIMIT } from '../world';

export interface OnDisk {
  /** null: nothing is there. undefined: it cannot be read, or is no file. */
  hash: Hash | null | undefined;
  size: number;
  ctimeMs?: number;
  /** It is reached through a link. */
  isLink?: true;
  /** Absent above `BLOB_LIMIT`. */
  bytes?: Uint8Array;
}

export async function onDisk(ports: Pick<Ports, 'files' | 'hash'>, path: Path): Promise<OnDisk> {
  try {
    const stat = await ports.files.stat(path);
    if (stat.type === 'missing' && !stat.isLink) return { hash: null, size: 0 };
    if (stat.type !== 'file' || stat.leadsOutside) return { hash: undefined, size: 0 };
    const more = { ctimeMs: stat.ctimeMs, ...(stat.isLink ? { isLink: true as const } : {}) };
    if (stat.size > BLOB_LIMIT) return { ...(await ports.files.hash(path)), ...more };
    const bytes = await ports.files.read(path);
    return { hash: ports.hash(bytes), size: bytes.length, ...more, bytes };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return error.code === 'notFound' ? { hash: null, size: 0 } : { hash: undefined, size: 0 };
  }
}

/** Keeps copies where that can be done: a full disk keeps no question from being asked. */
export class Keeper {
  /** The first reason why one could not be kept. */
  lost: StorageError | undefined;

  constructor(private readonly ports: Ports) {}

  /** true: it is stored. */
  async bytes(path: Path, bytes: Uint8Array | undefined): Promise<boolean> {
    try {
      return await keepBytes(this.ports, path, bytes);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      this.lost ??= error;
      return false;
    }
  }
}

/** Stores content unless it is secret-looking or too large; true when it is stored. */
export async function keepBytes(ports: Ports, path: Path, bytes: Uint8Array | undefined): Promise<boolean> {
  if (!bytes || bytes.length > BLOB_LIMIT || isSecret(path, ports.settings)) return false;
  await putBlob({ ports }, bytes);
  return true;
}
