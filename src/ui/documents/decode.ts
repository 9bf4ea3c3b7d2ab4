/** Bytes of a stored file as text to look at. Pure. */
const BINARY = /[\u0000-\u0008\u000E-\u001A]/;

/** UTF-8, or UTF-16 by its mark; what is no text is said to be none. */
export function decodeText(bytes: Uint8Array): string {
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? 'utf-16le'
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? 'utf-16be'
        : undefined;
  const text = new TextDecoder(utf16 ?? 'utf-8').decode(bytes);
  return BINARY.test(text.slice(0, 8000)) ? `(binary content, ${bytes.length} bytes)\n` : text;
}
