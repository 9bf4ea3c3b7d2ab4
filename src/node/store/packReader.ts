/** Reading contents out of packs. */
import { constants } from 'node:fs';
import type { FsCalls, OpenFile } from '../fs';
import { readAt } from './packScan';
import { inflate, type Place } from './packText';

/** The content, its hash not checked; undefined: it is not there. Rejects with the system's error, or zlib's. */
export async function readPacked(fs: FsCalls, file: string, place: Place): Promise<Uint8Array | undefined> {
  const handle = await fs.open(file, { flags: constants.O_RDONLY });
  try {
    return await readPlace(handle, place);
  } finally {
    await handle.close();
  }
}

export async function readPlace(handle: OpenFile, place: Place): Promise<Uint8Array | undefined> {
  const [{ nlink }, stored] = await Promise.all([handle.stat(), readAt(handle, place.start, place.stored)]);
  // removed under our hands: nobody else would find it any more
  if (nlink === 0 || stored.length < place.stored) return undefined;
  return place.deflated ? inflate(stored, place.size) : stored;
}
