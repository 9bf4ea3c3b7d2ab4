/** An older encoding as a table of characters, made by whoever knows it (the editor). Pure. */
import type { Buffers, Path } from '../ports';

export interface Charset {
  /** As the editor names it: `windows1252`, `shiftjis`, `utf16le` (without a mark). */
  readonly id: string;
  /** undefined: these bytes are no text of it. A byte it does not know becomes a lone surrogate U+DC80…U+DCFF, as in `text.ts`. */
  decode(bytes: Uint8Array): string | undefined;
  /** The inverse of `decode`. A character it lacks becomes `?`, as the editor saves it; see `lacks`. */
  encode(text: string): Uint8Array;
  /** The first character of `text` that it cannot hold; a byte it does not know is none. */
  lacks(text: string): string | undefined;
}

const UNKNOWN = '\uFFFD';
const LF = 0x0a;
const escaped = (byte: number): string => String.fromCharCode(0xdc00 + byte);
const isEscape = (unit: number): boolean => unit >= 0xdc80 && unit <= 0xdcff;
const isOne = (text: string | undefined): text is string =>
  text !== undefined && text !== UNKNOWN && [...text].length === 1 && text.isWellFormed();

/**
 * Asks `decode` for every byte and pair of bytes there is, in two questions. undefined: not a superset of ASCII. Longer
 * sequences (GB 18030, the second plane of EUC-JP) stay bytes: kept, and not editable as text.
 */
export async function tableCharset(
  id: string,
  decode: (bytes: Uint8Array) => PromiseLike<string>,
): Promise<Charset | undefined> {
  const answer = async (rows: readonly number[][]): Promise<string[]> => {
    const bytes = rows.flatMap((row) => [...row, LF]);
    return bytes.length === 0 ? [] : (await decode(Uint8Array.from(bytes))).split('\n');
  };
  const ascii = Array.from({ length: 0x5f }, (_, i) => 0x20 + i);
  const high = Array.from({ length: 0x80 }, (_, i) => 0x80 + i);
  const [plain = '', ...singles] = await answer([ascii, ...high.map((byte) => [byte])]);
  if (plain !== String.fromCharCode(...ascii)) return undefined;
  const known = new Map<number, string>();
  high.forEach((byte, i) => {
    const char = singles[i];
    if (isOne(char)) known.set(byte, char);
  });
  const pairs = high
    .filter((lead) => !known.has(lead))
    .flatMap((lead) => Array.from({ length: 0xff - 0x30 }, (_, i) => [lead, 0x30 + i]));
  const doubles = await answer(pairs);
  const trails = new Map<number, string>();
  pairs.forEach(([lead = 0, trail = 0], i) => {
    const char = doubles[i];
    if (isOne(char)) trails.set(lead * 256 + trail, char);
  });
  return fromTables(id, known, trails);
}

function fromTables(id: string, singles: ReadonlyMap<number, string>, pairs: ReadonlyMap<number, string>): Charset {
  const bytesOf = new Map<string, readonly number[]>();
  // The first of several spellings is the one that is written.
  for (const [pair, char] of pairs) if (!bytesOf.has(char)) bytesOf.set(char, [pair >> 8, pair & 0xff]);
  for (const [byte, char] of singles) bytesOf.set(char, [byte]);

  const read = (bytes: Uint8Array): string[] => {
    const out: string[] = [];
    for (let i = 0; i < bytes.length; i += 1) {
      const byte = bytes[i] ?? 0;
      const pair = pairs.get(byte * 256 + (bytes[i + 1] ?? 0));
      const single = byte < 0x80 ? String.fromCharCode(byte) : singles.get(byte);
      if (single !== undefined) out.push(single);
      // A spelling that would come back as another one stays bytes.
      else if (pair !== undefined && bytesOf.get(pair)?.[1] === bytes[i + 1] && bytesOf.get(pair)?.[0] === byte) {
        out.push(pair);
        i += 1;
      } else out.push(escaped(byte));
    }
    return out;
  };
  return {
    id,
    decode: (bytes) => (bytes.includes(0) ? undefined : read(bytes).join('')),
    encode(text) {
      const out: number[] = [];
      for (const char of text) {
        const unit = char.charCodeAt(0);
        if (unit < 0x80) out.push(unit);
        else if (char.length === 1 && isEscape(unit)) out.push(unit - 0xdc00);
        else for (const byte of bytesOf.get(char) ?? [0x3f]) out.push(byte);
      }
      return Uint8Array.from(out);
    },
    lacks: (text) => {
      for (const char of text) {
        const unit = char.charCodeAt(0);
        const byte = char.length === 1 && isEscape(unit);
        if (unit >= 0x80 && !byte && !bytesOf.has(char)) return char;
      }
      return undefined;
    },
  };
}

/** UTF-16 that says so by no mark. */
export function utf16Charset(id: 'utf16le' | 'utf16be'): Charset {
  const little = id === 'utf16le';
  return {
    id,
    decode(bytes) {
      if (bytes.length % 2 !== 0) return undefined;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let text = '';
      for (let i = 0; i < bytes.length; i += 2) text += String.fromCharCode(view.getUint16(i, little));
      return text.includes('\0') ? undefined : text;
    },
    encode(text) {
      const bytes = new Uint8Array(text.length * 2);
      const view = new DataView(bytes.buffer);
      for (let i = 0; i < text.length; i += 1) view.setUint16(i * 2, text.charCodeAt(i), little);
      return bytes;
    },
    lacks: () => undefined,
  };
}

const made = new WeakMap<object, Map<string, Promise<Charset | undefined>>>();

/** Of the document that is open at `path`. undefined: none is, or UTF-8, whose bytes tell all there is to know. */
export function charsetAt(buffers: Pick<Buffers, 'encoding'>, path: Path): Promise<Charset | undefined> {
  const encoding = buffers.encoding?.(path);
  if (!encoding || encoding.id === 'utf8' || encoding.id === 'utf8bom') return Promise.resolve(undefined);
  const { id, decode } = encoding;
  const all = made.get(buffers) ?? new Map<string, Promise<Charset | undefined>>();
  made.set(buffers, all);
  const utf16 = id === 'utf16le' || id === 'utf16be';
  const one =
    all.get(id) ?? (utf16 ? Promise.resolve(utf16Charset(id)) : tableCharset(id, decode).catch(() => undefined));
  all.set(id, one);
  return one;
}
