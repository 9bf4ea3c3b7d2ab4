/** How much of a file is taken in: a small one can unpack to more than any memory or disk holds, and be a file of nobody. */
import { ArchiveError } from '../../core/transfer/archive';

export interface Limits {
  /** Bytes of the whole, unpacked. */
  unpacked: number;
  /** Bytes of the head and the state, which are held in memory as a whole. */
  state: number;
  /** Values (numbers, texts, lists …) of the state, and of any one line: each takes memory, however short it is written. */
  values: number;
}

const MB = 1024 * 1024;
/** Far more than a run of 10,000 steps with all its contents. */
export const LIMITS: Limits = { unpacked: 2048 * MB, state: 256 * MB, values: 4_000_000 };

/** Deeper ones are no state of a run, and walking them would be the end of the stack. */
const MAX_DEPTH = 200;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = [0x5b, 0x7b, 0x5d, 0x7d];

const size = (bytes: number): string => (bytes >= MB ? `${Math.floor(bytes / MB)} MB` : `${bytes} bytes`);

const tooLarge = (what: string): ArchiveError => new ArchiveError('tooLarge', what);

/** Index after the text whose first character is at `from`. */
function afterText(json: Uint8Array, from: number): number {
  for (let end = json.indexOf(QUOTE, from); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === BACKSLASH && end - 1 - escapes >= from) escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return json.length;
}

/** How many values the JSON has at most, without making any. Throws where it has more than `most`, or nests too deeply. */
export function countValues(json: Uint8Array, most: number): number {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < json.length;) {
    const byte = json[at];
    at += 1;
    if (byte === QUOTE) at = afterText(json, at);
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth -= 1;
    else if (byte === COMMA || byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values += 1;
      if (values > most) throw tooLarge(`a line of more than ${most} values`);
      if (byte === COMMA) continue;
      depth += 1;
      if (depth > MAX_DEPTH) throw new ArchiveError('damaged', 'values in values without end');
    }
  }
  return values;
}

/** Counts along; throws `tooLarge` where it is too much. */
export class Meter {
  private unpacked = 0;
  private state = 0;
  private values = 0;

  constructor(private readonly limits: Limits) {}

  /** Bytes that were unpacked, or are to be packed. */
  passed(bytes: number): void {
    this.unpacked += bytes;
    if (this.unpacked > this.limits.unpacked) throw tooLarge(`unpacked more than ${size(this.limits.unpacked)}`);
  }

  /** A line before it is read; answers with how many values it has at most. */
  line(bytes: Uint8Array): number {
    return countValues(bytes, this.limits.values);
  }

  /** A line that is kept. */
  kept(bytes: number, values: number): void {
    this.state += bytes;
    this.values += values;
    if (this.state > this.limits.state) throw tooLarge(`a state of more than ${size(this.limits.state)}`);
    if (this.values > this.limits.values) throw tooLarge(`a state of more than ${this.limits.values} values`);
  }
}

/** The chunks, as long as they are not too many. */
export async function* metered(chunks: AsyncIterable<Buffer>, meter: Meter): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    meter.passed(chunk.length);
    yield chunk;
  }
}
