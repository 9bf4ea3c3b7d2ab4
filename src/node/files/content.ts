/** Reading the bytes of a real file, whole or as a hash. */
import { createHash } from 'node:crypto';
import { constants, type Stats } from 'node:fs';
import { FileError } from '../../core/errors';
import type { Hash } from '../../core/ports';
import type { FsCalls, OpenFile } from '../fs';

const CHUNK = 1024 * 1024;

/**
 * Opens a plain file for reading. `path` is for errors. Throws `FileError` `isDirectory`, or `other` for pipes, sockets
 * and devices, whose reading could wait for ever.
 */
export async function openPlain(fs: FsCalls, real: string, path: string): Promise<{ file: OpenFile; stat: Stats }> {
  refuseOdd(await fs.lstat(real), path);
  // the checks were made on this real path: should a link or a pipe stand there by now, the open fails or returns at once
  const guard = process.platform === 'win32' ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await fs.open(real, { flags: constants.O_RDONLY | guard });
  try {
    const stat = await file.stat();
    refuseOdd(stat, path);
    return { file, stat };
  } catch (error) {
    await file.close();
    throw error;
  }
}

function refuseOdd(stat: Stats, path: string): void {
  if (stat.isDirectory()) throw new FileError('isDirectory', path);
  if (!stat.isFile()) throw new FileError('other', path, 'not a plain file');
}

/** All bytes; `tooLarge` above `maxBytes`, also when the file grows meanwhile. */
export async function readBytes(fs: FsCalls, real: string, path: string, maxBytes: number): Promise<Uint8Array> {
  const { file, stat } = await openPlain(fs, real, path);
  try {
    if (stat.size > maxBytes) throw new FileError('tooLarge', path, `${stat.size} bytes`);
    const parts: Uint8Array[] = [];
    let total = 0;
    // one byte more than expected, so that the end is seen by the same call
    for (let size = Math.min(stat.size + 1, maxBytes + 1); ; size = Math.min(CHUNK, maxBytes + 1 - total)) {
      const part = Buffer.allocUnsafe(Math.max(size, 1));
      const count = await file.read(part, 0, part.length, total);
      if (count === 0) break;
      total += count;
      if (total > maxBytes) throw new FileError('tooLarge', path, `more than ${maxBytes} bytes`);
      parts.push(part.subarray(0, count));
    }
    const only = parts.length === 1 ? parts[0] : undefined;
    return only ?? Buffer.concat(parts, total);
  } finally {
    await file.close();
  }
}

/** SHA-256 of the bytes, read in chunks. */
export async function hashBytes(fs: FsCalls, real: string, path: string): Promise<{ hash: Hash; size: number }> {
  const { file, stat } = await openPlain(fs, real, path);
  try {
    const sum = createHash('sha256');
    const part = Buffer.allocUnsafe(Math.min(CHUNK, stat.size + 1));
    let size = 0;
    for (;;) {
      const count = await file.read(part, 0, part.length, size);
      if (count === 0) return { hash: sum.digest('hex'), size };
      sum.update(part.subarray(0, count));
      size += count;
    }
  } finally {
    await file.close();
  }
}
