/** Reading contents out of packs. */
import { constants } from 'node:fs';
import type { FsCalls, OpenFile } from '../fs';
import { readAt } from './packScan';
import { HEAD, inflate, type Place } from './packText';

/** Neighbours are read in one go up to this many bytes. */
const MOST_AT_ONCE = 1024 * 1024;

interface Range {
  from: number;
  to: number;
}

/** The contents as of `readPlaces`. */
export async function readPacked(
  fs: FsCalls,
  file: string,
  places: readonly Place[],
): Promise<(Uint8Array | undefined)[] | undefined> {
  const handle = await fs.open(file, { flags: constants.O_RDONLY });
  try {
    return await readPlaces(handle, places);
  } finally {
    await handle.close();
  }
}

/**
 * The contents, their hashes not checked; of each undefined: it is not there, or no content. undefined as a whole: the file
 * was removed under our hands, nobody else would find anything in it. Rejects with the system's error.
 */
export async function readPlaces(
  handle: OpenFile,
  places: readonly Place[],
): Promise<(Uint8Array | undefined)[] | undefined> {
  const ranges = rangesOf(places);
  const read = ({ from, to }: Range): Promise<Buffer> => readAt(handle, from, to - from);
  const [{ nlink }, ...parts] = await Promise.all([handle.stat(), ...ranges.map(read)]);
  if (nlink === 0) return undefined;
  const contentAt = async (place: Place): Promise<Uint8Array | undefined> => {
    const n = ranges.findIndex(({ from, to }) => from <= place.start && place.start + place.stored <= to);
    const start = place.start - (ranges[n]?.from ?? 0);
    const stored = parts[n]?.subarray(start, start + place.stored);
    if (stored === undefined || stored.length < place.stored) return undefined;
    return place.deflated ? inflate(stored, place.size).catch(() => undefined) : stored;
  };
  return Promise.all(places.map(contentAt));
}

/** What is read: those that stand side by side together. */
function rangesOf(places: readonly Place[]): Range[] {
  const ranges: Range[] = [];
  for (const { start, stored } of [...places].sort((a, b) => a.start - b.start)) {
    const last = ranges.at(-1);
    const to = start + stored;
    if (last && start <= last.to + HEAD && to - last.from <= MOST_AT_ONCE) last.to = Math.max(last.to, to);
    else ranges.push({ from: start, to });
  }
  return ranges;
}
