/**
 * Text as a view on bytes. A byte that is no UTF-8 becomes a lone surrogate U+DC80…U+DCFF (the way of Python's PEP 383), so
 * that decode and encode are inverse for every sequence of bytes and an edit elsewhere cannot harm it.
 */

import type { Charset } from './charset';

/** What the bytes themselves tell, or what the editor says of its document. */
export type Encoding = 'utf8' | 'utf8bom' | 'utf16le' | 'utf16be' | Charset;

/** For people. */
export const encodingName = (encoding: Encoding): string => (typeof encoding === 'object' ? encoding.id : encoding);

export interface TextView {
  text: string;
  encoding: Encoding;
  /** Some bytes are no UTF-8 (or a half UTF-16 unit): an older 8-bit encoding, or damage. */
  foreign: boolean;
}

const BOM = [0xef, 0xbb, 0xbf];

/** Container and image files: never edited or written as text, whatever their bytes look like. */
const BINARY_NAMES =
  /\.(png|jpe?g|gif|webp|bmp|ico|tiff?|pdf|zip|gz|tgz|bz2|xz|7z|rar|jar|war|docx?|xlsx?|pptx?|odt|ods|odp|woff2?|ttf|otf|eot|mp[34]|m4a|ogg|wav|avi|mov|webm|wasm|exe|dll|so|dylib|o|a|class|pyc|sqlite3?|db)$/i;

export const isBinaryName = (path: string): boolean => BINARY_NAMES.test(path);

export const isForeign = (text: string): boolean => !text.isWellFormed();

/** For people and models: foreign bytes as U+FFFD. */
export const display = (text: string): string => text.toWellFormed();

function escapeBytes(bytes: Uint8Array, from: number): string {
  let out = '';
  let i = from;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let goodFrom = from;
  const flush = (): void => {
    if (i > goodFrom) out += decoder.decode(bytes.subarray(goodFrom, i));
  };
  while (i < bytes.length) {
    const length = sequenceLength(bytes, i);
    if (length > 0) {
      i += length;
      continue;
    }
    flush();
    out += String.fromCharCode(0xdc00 + (bytes[i] ?? 0));
    i += 1;
    goodFrom = i;
  }
  flush();
  return out;
}

/** Bytes of the well-formed UTF-8 sequence at `i`, 0 when there is none (table 3-7 of the Unicode standard). */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const first = bytes[i] ?? 0;
  if (first < 0x80) return 1;
  const length =
    first >= 0xc2 && first <= 0xdf ? 2 : first >= 0xe0 && first <= 0xef ? 3 : first >= 0xf0 && first <= 0xf4 ? 4 : 0;
  if (length === 0 || i + length > bytes.length) return 0;
  const second = bytes[i + 1] ?? 0;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < low || second > high) return 0;
  for (let k = 2; k < length; k += 1) {
    const next = bytes[i + k] ?? 0;
    if (next < 0x80 || next > 0xbf) return 0;
  }
  return length;
}

function decodeUtf8(bytes: Uint8Array, from: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(from));
  } catch {
    return escapeBytes(bytes, from);
  }
}

function decodeUtf16(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: string[] = [];
  for (let i = 2; i + 1 < bytes.length; i += 2) parts.push(String.fromCharCode(view.getUint16(i, littleEndian)));
  return parts.join('');
}

function decodeAs(bytes: Uint8Array, charset: Charset): TextView | undefined {
  const text = charset.decode(bytes);
  return text === undefined ? undefined : { text, encoding: charset, foreign: isForeign(text) };
}

/**
 * undefined: not text (NUL bytes, or half a UTF-16 unit at the end). `as`: what the editor says, or the encoding of another
 * version of the same file; one that the bytes themselves tell has no say over other bytes.
 */
export function decode(bytes: Uint8Array, as?: Encoding): TextView | undefined {
  const utf16 = typeof as === 'object' && as.id.startsWith('utf16');
  if (typeof as === 'object' && !utf16) return decodeAs(bytes, as);
  if (bytes.length >= 2 && bytes.length % 2 === 0) {
    const little = bytes[0] === 0xff && bytes[1] === 0xfe;
    if (little || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
      const text = decodeUtf16(bytes, little);
      if (text.includes('\0')) return undefined;
      return { text, encoding: little ? 'utf16le' : 'utf16be', foreign: isForeign(text) };
    }
  }
  if (typeof as === 'object') return decodeAs(bytes, as);
  if (bytes.includes(0)) return undefined;
  const bom = BOM.every((byte, i) => bytes[i] === byte);
  const text = decodeUtf8(bytes, bom ? 3 : 0);
  return { text, encoding: bom ? 'utf8bom' : 'utf8', foreign: isForeign(text) };
}

function encodeUtf8(text: string): Uint8Array {
  if (text.isWellFormed()) return new TextEncoder().encode(text);
  const chunks: Uint8Array[] = [];
  const encoder = new TextEncoder();
  let good = '';
  for (const char of text) {
    const code = char.charCodeAt(0);
    if (char.length === 1 && code >= 0xdc80 && code <= 0xdcff) {
      chunks.push(encoder.encode(good), Uint8Array.of(code - 0xdc00));
      good = '';
    } else {
      good += char;
    }
  }
  chunks.push(encoder.encode(good));
  return concat(chunks);
}

export function concat(chunks: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(chunks.reduce((n, chunk) => n + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    out.set(chunk, at);
    at += chunk.length;
  }
  return out;
}

/** The inverse of `decode`. */
export function encode(text: string, encoding: Encoding): Uint8Array {
  if (typeof encoding === 'object') return encoding.encode(text);
  switch (encoding) {
    case 'utf8':
      return encodeUtf8(text);
    case 'utf8bom':
      return concat([Uint8Array.from(BOM), encodeUtf8(text)]);
    case 'utf16le':
    case 'utf16be': {
      const bytes = new Uint8Array(2 + text.length * 2);
      const view = new DataView(bytes.buffer);
      view.setUint16(0, 0xfeff, encoding === 'utf16le');
      for (let i = 0; i < text.length; i += 1) view.setUint16(2 + i * 2, text.charCodeAt(i), encoding === 'utf16le');
      return bytes;
    }
  }
}

/** Why lines cannot go into a file whose encoding the editor names; undefined: they can. Bytes it does not know are in it. */
export function lacks({ encoding }: TextView, lines: readonly string[]): string | undefined {
  if (typeof encoding !== 'object') return undefined;
  for (const line of lines) {
    const char = encoding.lacks(line);
    if (char !== undefined) return `The file is in the encoding ${encoding.id}, which has no "${char}".`;
  }
  return undefined;
}

/** What stops a text of the model from going into a file of this view, as a sentence; undefined: nothing. */
export function cannotHold(view: TextView | undefined, added: string): string | undefined {
  if (!added.isWellFormed()) return 'The new text holds half a surrogate pair, which is no text.';
  if (added.includes('\0')) return 'The new text holds a NUL, which is no text.';
  if (typeof view?.encoding === 'object') return lacks(view, [added]);
  if (view?.foreign && /[^\x00-\x7f]/.test(added)) {
    return 'The file is not UTF-8 (an older 8-bit encoding), so only ASCII text can be put into it without harm.';
  }
  return undefined;
}
