/** A file line by line, without a copy of the whole in memory. */
import { openPlain } from '../files/content';
import { type FsCalls, unlessMissing } from '../fs';

const CHUNK = 256 * 1024;
const NEWLINE = 10;

/**
 * Hears each line with its newline; the last one may have none. The bytes are only there during the call. `true`: it wants no more.
 */
export type TakeLine = (line: Buffer) => boolean | undefined;

/** Hands all lines to `take`. false: there is no such file. Rejects with the system's error. */
export async function eachLine(fs: FsCalls, file: string, take: TakeLine): Promise<boolean> {
  const opened = await unlessMissing(openPlain(fs, file, file));
  if (opened === undefined) return false;
  const handle = opened.file;
  try {
    let buffer = Buffer.allocUnsafe(Math.min(CHUNK, opened.stat.size + 1));
    let [held, position] = [0, 0];
    for (;;) {
      if (held === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
      const count = await handle.read(buffer, held, buffer.length - held, position);
      if (count === 0) break;
      position += count;
      const filled = buffer.subarray(0, held + count);
      const { rest, enough } = takeLines(filled, take, held);
      if (enough) return true;
      filled.copyWithin(0, rest);
      held = filled.length - rest;
    }
    if (held > 0) take(buffer.subarray(0, held));
    return true;
  } finally {
    await handle.close();
  }
}

/** All whole lines in `bytes`, of which the first `known` hold no newline; `rest`: where the beginning of another one stands. */
export function takeLines(bytes: Buffer, take: TakeLine, known = 0): { rest: number; enough: boolean } {
  let rest = 0;
  for (let end = bytes.indexOf(NEWLINE, known); end !== -1; end = bytes.indexOf(NEWLINE, rest)) {
    const line = bytes.subarray(rest, end + 1);
    rest = end + 1;
    if (take(line) === true) return { rest, enough: true };
  }
  return { rest, enough: false };
}
