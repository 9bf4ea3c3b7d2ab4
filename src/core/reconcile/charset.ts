/** An older encoding as a table of characters, made by whoever knows it (the editor). Pure. */
import type { Buffers, Path } from '../ports';

export interface Charset {
  /** As the editor names it: `windows1252`, `shiftjis`, `utf16le` (without a mark). */
  readonly id: string;
  /**
   * undefined: these bytes are no text of it. A byte it does not know becomes a lone surrogate U+DC80…U+DCFF, as in
   * `text.ts`; a byte of ASCII in a sequence it does not know one of U+DC30…U+DC7F, so that no edit takes it for a letter.
   */
  decode(bytes: Uint8Array): string | undefined;
  /** The inverse of `decode`. A character it lacks becomes `?`, as the editor saves it; see `lacks`. */
  encode(text: string): Uint8Array;
  /** The first character of `text` that it cannot hold; a byte it does not know is none. */
  lacks(text: string): string | undefined;
}

const UNKNOWN = '\uFFFD';
const LF = 0x0a;
/** Below 0x30 no byte is a part of a longer sequence. */
const escaped = (byte: number): string => String.fromCharCode(0xdc00 + byte);
const isEscape = (unit: number): boolean => unit >= 0xdc30 && unit <= 0xdcff;
/** One character, and none of ASCII: those are their own bytes. */
const isOne = (text: string | undefined): text is string =>
  text !== undefined && text >= '\x80' && text !== UNKNOWN && [...text].length === 1 && text.isWellFormed();
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const keyOf = (bytes: readonly number[]): number => bytes.reduce((key, byte) => key * 256 + byte, 0);

/** The characters of the basic plane that GB 18030 has in four bytes; its other planes follow in order from 90 30 81 30. */
const GB_BASIC = 39_420;
const gbBytes = (n: number): number[] => [
  0x81 + Math.floor(n / 12_600),
  0x30 + (Math.floor(n / 1260) % 10),
  0x81 + (Math.floor(n / 10) % 126),
  0x30 + (n % 10),
];

/** Every sequence of three or four bytes an encoding has, by the names editors give it. */
function longer(id: string): number[][] {
  if (id === 'gb18030') return Array.from({ length: GB_BASIC }, (_, n) => gbBytes(n));
  if (id !== 'eucjp') return [];
  const high = range(0xa1, 0xfe);
  return high.flatMap((second) => high.map((third) => [0x8f, second, third]));
}

interface Tables {
  /** Character of each sequence of bytes, keyed by the bytes as one number. */
  chars: ReadonlyMap<number, string>;
  /** Pairs that are read as one, whatever they mean. */
  pairs: ReadonlySet<number>;
  /** How the editor writes a character, where it was asked. */
  written: ReadonlyMap<string, number>;
}

/**
 * Asks `decode` for every sequence of bytes there is, and `encode` which of several spellings of a character is written; each
 * in one question. undefined: not a superset of ASCII. The further planes of GB 18030 stay bytes: kept, not editable as text.
 */
export async function tableCharset(
  id: string,
  decode: (bytes: Uint8Array) => PromiseLike<string>,
  encode?: (text: string) => PromiseLike<Uint8Array>,
): Promise<Charset | undefined> {
  const answer = async (rows: readonly number[][]): Promise<string[]> => {
    const bytes = rows.flatMap((row) => [...row, LF]);
    return bytes.length === 0 ? [] : (await decode(Uint8Array.from(bytes))).split('\n');
  };
  const ascii = range(0x20, 0x7e);
  const high = range(0x80, 0xff);
  const [plain = '', ...singles] = await answer([ascii, ...high.map((byte) => [byte])]);
  if (plain !== String.fromCharCode(...ascii)) return undefined;
  const chars = new Map<number, string>();
  high.forEach((byte, i) => {
    const char = singles[i];
    if (isOne(char)) chars.set(byte, char);
  });
  const rows = high
    .filter((lead) => !chars.has(lead))
    .flatMap((lead) => range(0x30, 0xfe).map((trail) => [lead, trail]));
  const doubles = await answer(rows);
  const pairs = new Set<number>();
  rows.forEach((row, i) => {
    const char = doubles[i];
    if (char === undefined || char === '' || char.includes(UNKNOWN)) return;
    pairs.add(keyOf(row));
    if (isOne(char)) chars.set(keyOf(row), char);
  });
  const long = longer(id);
  const ones = await answer(long);
  long.forEach((row, i) => {
    const char = ones[i];
    if (isOne(char)) chars.set(keyOf(row), char);
  });
  return fromTables(id, {
    chars,
    pairs,
    written: encode ? await spellings([...new Set(chars.values())], encode) : new Map(),
  });
}

/** Empty where there is no answer, or one that cannot be told apart. */
async function spellings(
  chars: readonly string[],
  encode: (text: string) => PromiseLike<Uint8Array>,
): Promise<Map<string, number>> {
  const rows: number[][] = [[]];
  for (const byte of await Promise.resolve(encode(chars.join('\n'))).catch(() => [])) {
    if (byte === LF) rows.push([]);
    else rows.at(-1)?.push(byte);
  }
  return new Map(rows.length === chars.length ? chars.map((char, i) => [char, keyOf(rows[i] ?? [])]) : []);
}

const bytesOfKey = (key: number): number[] => {
  const bytes: number[] = [];
  for (let rest = key; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes;
};

function fromTables(id: string, { chars, pairs, written }: Tables): Charset {
  const spelled = new Map<string, number>();
  for (const [key, char] of chars) {
    const had = spelled.get(char);
    // Not asked, the first of several spellings is written, of Shift JIS none that NEC only doubled (rows ED and EE).
    const first = had === undefined || (id === 'shiftjis' && had >= 0xed40 && had < 0xef00);
    // Asked, what the editor writes otherwise stays bytes.
    if (written.size > 0 ? written.get(char) === key : first) spelled.set(char, key);
  }
  const bytesOf = new Map([...spelled].map(([char, key]) => [char, bytesOfKey(key)] as const));
  const leads = new Set([...pairs].map((pair) => pair >> 8));
  const [first, last] = [Math.min(...leads), Math.max(...leads)];
  const trails = new Set([...pairs].map((pair) => pair & 0xff));
  const keyAt = (bytes: Uint8Array, from: number, to: number): number => {
    let key = 0;
    for (let i = from; i < to; i += 1) key = key * 256 + (bytes[i] ?? 0);
    return key;
  };
  const within = (byte: number | undefined, from: number, to: number): boolean =>
    byte !== undefined && byte >= from && byte <= to;

  /** Of the sequence at `i`; one that means nothing is taken as a whole, or is but its first byte. */
  const lengthAt = (bytes: Uint8Array, i: number, whole: boolean): number => {
    const lead = bytes[i] ?? 0;
    const second = bytes[i + 1];
    if (lead < 0x80 || second === undefined || chars.has(lead)) return 1;
    if (id === 'eucjp' && lead === 0x8f && within(second, 0xa1, 0xfe) && within(bytes[i + 2], 0xa1, 0xfe))
      return whole || chars.has(keyAt(bytes, i, i + 3)) ? 3 : 1;
    if (
      id === 'gb18030' &&
      within(lead, 0x81, 0xfe) &&
      within(second, 0x30, 0x39) &&
      within(bytes[i + 2], 0x81, 0xfe) &&
      within(bytes[i + 3], 0x30, 0x39)
    )
      return whole || lead >= 0x90 || chars.has(keyAt(bytes, i, i + 4)) ? 4 : 1;
    if (pairs.has(lead * 256 + second)) return 2;
    return whole && within(lead, first, last) && trails.has(second) ? 2 : 1;
  };
  const read = (bytes: Uint8Array): string => {
    let out = '';
    for (let i = 0, end = 0; i < bytes.length; i = end) {
      const byte = bytes[i] ?? 0;
      end = i + lengthAt(bytes, i, false);
      const key = keyAt(bytes, i, end);
      const char = byte < 0x80 ? String.fromCharCode(byte) : chars.get(key);
      // A spelling that would come back as another one stays bytes, all of them.
      if (char !== undefined && (byte < 0x80 || spelled.get(char) === key)) {
        out += char;
        continue;
      }
      // Readers go on after the first byte of what means nothing, or after all of it: text again is where both agree.
      let other = i + lengthAt(bytes, i, true);
      while (end !== other) {
        if (end < other) end += lengthAt(bytes, end, false);
        else other += lengthAt(bytes, other, true);
      }
      for (const one of bytes.subarray(i, end)) out += escaped(one);
    }
    return out;
  };
  return {
    id,
    decode: (bytes) => (bytes.includes(0) ? undefined : read(bytes)),
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
  const { id, decode, encode } = encoding;
  const all = made.get(buffers) ?? new Map<string, Promise<Charset | undefined>>();
  made.set(buffers, all);
  const utf16 = id === 'utf16le' || id === 'utf16be';
  const one =
    all.get(id) ??
    (utf16 ? Promise.resolve(utf16Charset(id)) : tableCharset(id, decode, encode).catch(() => undefined));
  all.set(id, one);
  return one;
}
