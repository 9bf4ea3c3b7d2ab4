/** What is there now: the disk, and over it the unsaved text of open editors. */
import { FileError } from './errors';
import type { BufferState, FileStat, Hash, Path, Ports } from './ports';
import { charsetAt, utf16Charset } from './reconcile/charset';
import { concat, decode, encode, type TextView } from './reconcile/text';
import { eolStyle, toLf } from './reconcile/lines';

/** Files above are only hashed, never kept. */
export const BLOB_LIMIT = 10 * 1024 * 1024;

export type LookType = 'file' | 'missing' | 'directory' | 'link' | 'other' | 'unreadable';

/** One look at a path. `bytes` and `text` are those of the unsaved buffer where there is one. */
export interface Look {
  path: Path;
  type: LookType;
  /** Of the bytes an editor would save, else of those on disk; null when nothing is there. */
  hash: Hash | null;
  size: number;
  /** Absent for what is too large or not a readable file, and for unsaved text that bytes of its encoding would not bring back. */
  bytes?: Uint8Array;
  /** Absent for binary content. */
  view?: TextView;
  /** The open document whose unsaved text differs from the disk. */
  dirty?: BufferState;
  /** What the disk holds, whatever the buffer says. */
  diskHash: Hash | null;
  stat?: FileStat;
  error?: FileError;
}

type Needs = Pick<Ports, 'files' | 'buffers' | 'hash'>;

/** Before the text of an editor that is only hashed; no text file begins so. */
const UNKEPT = new TextEncoder().encode('unsaved text\0');

/** Longer than any editor takes: it waits a second itself. */
const SHOW_MS = 1500;

/** After a write to disk: waits until an open editor shows the text or has become dirty, not longer than the clock lets it. */
export async function shown(
  { buffers, clock }: Pick<Ports, 'buffers' | 'clock'>,
  path: Path,
  text: string,
): ReturnType<Ports['buffers']['settle']> {
  const late = new AbortController();
  const over = new AbortController();
  const waited = clock.sleep(SHOW_MS, over.signal).then(
    () => {
      late.abort();
      return 'late' as const;
    },
    () => 'late' as const,
  );
  try {
    return await Promise.race([buffers.settle(path, text, late.signal), waited]);
  } finally {
    over.abort();
  }
}

/** The same text but for line ends that the editor had to make uniform. */
function sameText(buffer: BufferState, disk: TextView): boolean {
  if (toLf(buffer.text) !== toLf(disk.text)) return false;
  const style = eolStyle(disk.text);
  return style === 'mixed' || style === 'none' || style === (buffer.eol === '\n' ? 'LF' : 'CRLF');
}

export async function look(ports: Needs, path: Path): Promise<Look> {
  const missing: Look = { path, type: 'missing', hash: null, size: 0, diskHash: null };
  let stat: FileStat;
  try {
    stat = await ports.files.stat(path);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const type = error.code === 'notFound' ? 'missing' : error.code === 'outside' ? 'link' : 'unreadable';
    return { ...missing, type, error };
  }
  if (stat.leadsOutside) return { ...missing, type: 'link', stat };
  if (stat.type === 'missing') return withBuffer(ports, { ...missing, stat });
  if (stat.type !== 'file') return { ...missing, type: stat.type, stat };
  try {
    if (stat.size > BLOB_LIMIT) {
      const { hash, size } = await ports.files.hash(path);
      return { path, type: 'file', hash, size, diskHash: hash, stat };
    }
    const bytes = await ports.files.read(path);
    const hash = ports.hash(bytes);
    const view = decode(bytes, await charsetAt(ports.buffers, path));
    const found: Look = {
      path,
      type: 'file',
      hash,
      size: bytes.length,
      bytes,
      diskHash: hash,
      stat,
      ...(view ? { view } : {}),
    };
    return withBuffer(ports, found);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code === 'notFound') return missing;
    return { ...missing, type: 'unreadable', stat, error };
  }
}

function withBuffer(ports: Needs, disk: Look): Look {
  const buffer = ports.buffers.get(disk.path);
  if (!buffer?.dirty) return disk;
  if (disk.type === 'file' && (!disk.view || sameText(buffer, disk.view))) return disk;
  const encoding = disk.view?.encoding ?? 'utf8';
  const bytes = encode(buffer.text, encoding);
  const view: TextView = { text: buffer.text, encoding, foreign: disk.view?.foreign ?? false };
  const { bytes: _, ...rest } = disk;
  const found = { ...rest, type: 'file' as const, size: bytes.length, view, dirty: buffer };
  if (decode(bytes, encoding)?.text === buffer.text) return { ...found, hash: ports.hash(bytes), bytes };
  // Not the hash of the lossy bytes: that would be another text. Nothing is ever stored under this one.
  return { ...found, hash: ports.hash(concat([UNKEPT, utf16Charset('utf16le').encode(buffer.text)])) };
}

/** In words, for the model and for people; never "not found" for what could not be looked at. */
export function whyNot(error: FileError): string {
  const { path, detail } = error;
  switch (error.code) {
    case 'notFound':
      return `${path} does not exist.`;
    case 'permissionDenied':
      return `${path} cannot be opened: permission denied.`;
    case 'isDirectory':
      return `${path} is a folder, not a file.`;
    case 'notDirectory':
      return `A part of ${path} is a file, not a folder.`;
    case 'readOnly':
      return `${path} is read-only (it has no write permission at all); it was not written.`;
    case 'outside':
      return `${path} lies outside the workspace; only files of the workspace folders can be used.`;
    case 'reserved':
      return `${path} belongs to git or to Holdfast itself and cannot be used.`;
    case 'ambiguous':
      return `${path} could mean several files: ${detail}. Start the path with the folder's name.`;
    case 'badName':
      return `"${path}" is not a file name that can be used here.`;
    case 'noSpace':
      return `${path} was not written: no space left (${detail || 'ENOSPC'}).`;
    case 'changed':
      return `${path} was changed in the very moment of writing.`;
    case 'exists':
      return detail
        ? `${path} is not there under this spelling; the file is named ${detail}.`
        : `${path} is there already.`;
    case 'tooLarge':
      return `${path} is too large to be read whole.`;
    case 'loop':
      return `${path} is a link that leads in circles.`;
    case 'other':
      return `${path}: ${detail || 'the system refused'}.`;
  }
}
