/** Lines of files, read and written in pieces: no more than one line, or one chunk, is held at a time. */
import { constants, type Stats } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { ArchiveError } from '../../core/transfer/archive';
import { errnoOf, type FsCalls } from '../fs';

const CHUNK = 256 * 1024;
const NEWLINE = 10;
const GZIP = [0x1f, 0x8b];

/** Opening a pipe would wait for whoever writes into it; there is no such flag on Windows. */
const NOW = (constants as Partial<typeof constants>).O_NONBLOCK ?? 0;

/** A device, a pipe or a socket has no end, or waits. */
function plain(stat: Stats): void {
  if (stat.isDirectory()) throw new ArchiveError('isDirectory');
  if (!stat.isFile()) throw new ArchiveError('notAFile');
}

/** The bytes of a plain file, or of the one a link leads to, in order. Throws `ArchiveError`: `isDirectory`, `notAFile`. */
export async function* chunksOf(fs: FsCalls, file: string): AsyncGenerator<Buffer> {
  // Before it is opened, which can do something to a device; and again, as it may be another one by then.
  plain(await fs.stat(file));
  const handle = await fs.open(file, { flags: constants.O_RDONLY | NOW });
  try {
    plain(await handle.stat());
    for (let at = 0; ;) {
      const buffer = Buffer.allocUnsafe(CHUNK);
      const length = await handle.read(buffer, 0, CHUNK, at);
      if (length === 0) return;
      at += length;
      yield buffer.subarray(0, length);
    }
  } finally {
    await handle.close();
  }
}

/** Whole lines without their newline; what follows the last newline is given only with `rest`. Longer ones than `max` throw. */
export async function* linesOf(
  chunks: AsyncIterable<Buffer>,
  { max, rest }: { max: number; rest: boolean },
): AsyncGenerator<Buffer> {
  let open: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const part = chunk.subarray(from, end);
      yield open.length === 0 ? part : Buffer.concat([...open, part]);
      open = [];
      length = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    open.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > max) throw new ArchiveError('damaged', 'a line that is too long');
  }
  if (rest && length > 0) yield Buffer.concat(open);
}

/** Of a gzipped file. Throws `ArchiveError`: `notAnArchive`, `torn`, `damaged`; or the system's error. */
export async function* unzipped(fs: FsCalls, file: string): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  // what fails on the way is told by reading
  void pipeline(Readable.from(zipped(chunksOf(fs, file))), gunzip).catch(() => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'Z_BUF_ERROR') throw new ArchiveError('torn');
    if (code.startsWith('Z_')) throw new ArchiveError('damaged', 'it cannot be unpacked');
    throw error;
  }
}

async function* zipped(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let first = true;
  for await (const chunk of chunks) {
    if (first && GZIP.some((byte, n) => chunk[n] !== byte)) throw new ArchiveError('notAnArchive');
    first = false;
    yield chunk;
  }
  if (first) throw new ArchiveError('notAnArchive');
}

/** The texts, gzipped. Rejects with what making them threw. */
export async function* gzipped(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  const gzip = createGzip();
  void pipeline(Readable.from(inBatches(texts)), gzip).catch(() => undefined);
  for await (const chunk of gzip) yield chunk as Buffer;
}

async function* inBatches(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let batch = '';
  for await (const text of texts) {
    batch += text;
    if (batch.length < CHUNK) continue;
    yield Buffer.from(batch);
    batch = '';
  }
  if (batch !== '') yield Buffer.from(batch);
}
