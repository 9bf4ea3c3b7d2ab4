/** Finding what a pack holds, damaged places skipped. */
import { constants } from 'node:fs';
import { errnoOf, type FsCalls, isMissing, type OpenFile } from '../fs';
import { HEAD, nextMagic, PACK_HEAD, PACK_VERSION, packVersion, type Place, readHead } from './packText';

const CHUNK = 1024 * 1024;

export interface Scanned {
  places: Place[];
  /** Up to here everything was looked at: the next scan may go on there. */
  end: number;
  /** Of a newer version of the extension, or with a damaged head: never removed or written anew. */
  foreign: boolean;
}

/** Looks at a pack from `from` on. A pack that is not there holds nothing. */
export async function scanPack(fs: FsCalls, file: string, from = 0): Promise<Scanned> {
  let handle: OpenFile;
  try {
    handle = await fs.open(file, { flags: constants.O_RDONLY });
  } catch (error) {
    if (isMissing(error) || errnoOf(error) === 'EISDIR') return { places: [], end: from, foreign: false };
    throw error;
  }
  try {
    return await scan(handle, from);
  } finally {
    await handle.close();
  }
}

async function scan(handle: OpenFile, from: number): Promise<Scanned> {
  const { size } = await handle.stat();
  const places: Place[] = [];
  let at = from;
  let foreign = false;
  if (at === 0) {
    if (size < PACK_HEAD) return { places, end: 0, foreign: false };
    // whatever its head says: what can be found in it is checked by its hash when it is read
    const version = packVersion(await readAt(handle, 0, PACK_HEAD));
    foreign = version === undefined || version > PACK_VERSION;
    at = PACK_HEAD;
  }
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(0, size - at)));
  while (at + HEAD <= size) {
    const chunk = await readAt(handle, at, Math.min(CHUNK, size - at), buffer);
    if (chunk.length < HEAD) break;
    let inside = 0;
    while (inside + HEAD <= chunk.length) {
      const head = readHead(chunk, inside);
      // still being written, or cut off
      if (head !== undefined && at + inside + HEAD + head.stored > size) return { places, end: at + inside, foreign };
      if (head === undefined) {
        inside = nextMagic(chunk, inside + 1);
        continue;
      }
      places.push({ ...head, start: at + inside + HEAD });
      inside += HEAD + head.stored;
    }
    at += inside;
  }
  return { places, end: Math.min(at, size), foreign };
}

/** As many bytes as there are, at most `length`. `bytes`: where to; its content of before is gone. */
export async function readAt(
  handle: OpenFile,
  position: number,
  length: number,
  bytes = Buffer.allocUnsafe(length),
): Promise<Buffer> {
  let done = 0;
  while (done < length) {
    const count = await handle.read(bytes, done, length - done, position + done);
    if (count === 0) break;
    done += count;
  }
  return bytes.subarray(0, done);
}
