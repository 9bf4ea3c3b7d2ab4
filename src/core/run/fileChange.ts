/** What a step did to a file, what it saw of one, and the record of each file a run knows. */
import type { Hash, Path } from '../ports';
import type { LineRange, Owned } from '../reconcile/owned';

/** The bytes of one file before and after a write of the run; null: nothing was there. */
export interface FileChange {
  path: Path;
  before: Hash | null;
  /** When `before` had last been touched, in the file system's time: the same bytes put back later are told apart. */
  touchedMs?: number;
  after: Hash | null;
  /** Bytes after; 0 when gone. */
  size: number;
  /** No content is stored: too large, or secret-looking. */
  noBlob?: boolean;
  /** Made by a command of the run: nothing of it was read. `contested`: it went over something of the human's. */
  command?: 'only' | 'contested';
  /** What was there is a link: `before` is what it held, and it was never followed. */
  link?: 'before';
  /** Folders that were made for it. */
  folders?: Path[];
  /** Made on another machine, as the file the run came in says. */
  elsewhere?: true;
  /** It went into the unsaved buffer of an open editor; the disk still has `before`. */
  unsaved?: boolean;
  /** Permission bits of a file that is gone by it, to make it again with. */
  mode?: number;
  /** Parts of the file that are still known where it was read in part only. */
  seen?: { from: number; to: number }[];
  /**
   * Of an intent, where the editor's formatter goes over it: what the write itself has made. It is what is there where the
   * formatter's change did not come to pass.
   */
  unformatted?: Pick<FileChange, 'after' | 'size' | 'owned'>;
  /** A move: what the run knew of the file goes along from there. */
  from?: Path;
  /** The human's lines in what is there afterwards; null: none. Absent: not told, the marks of before stay. */
  owned?: Owned | null;
  /** Lines of the human (counted in `before`) that it deletes or alters: they agreed, or `holdfast.humanLines` lets it. */
  lost?: LineRange[];
}

/** What the run has seen of a file by a step. */
export interface FileSeen {
  path: Path;
  /** null: it was not there. */
  hash: Hash | null;
  size: number;
  /** Lines read, 1-based and inclusive; absent: the whole file. */
  lines?: { from: number; to: number; of: number };
  /** No content is stored: too large, or secret-looking. */
  noBlob?: boolean;
  /** The human's lines in it. */
  owned?: Owned;
  /** git leaves it out: no line of it is ever marked. */
  ignored?: boolean;
}

/** A file the run has read or written. */
export interface FileRecord {
  path: Path;
  /** Content last read or written by the run; null: it was not there (deleted by the run). undefined: never read. */
  base?: Hash | null;
  /** Content at the last look of ours (read, write or report): what the next report compares with. */
  known: Hash | null;
  knownSize: number;
  knownType: 'file' | 'missing' | 'directory' | 'link' | 'other' | 'unreadable';
  /** Lines seen where only part of the file was read (merged ranges); absent: all of it. */
  seen?: { from: number; to: number }[];
  /** Content before the first write of the run; undefined: never written. */
  original?: Hash | null;
  /** Content of the last write of the run. */
  written?: Hash | null;
  /** The human deleted it: it is not made again without an approval. */
  deletedByHuman?: boolean;
  renamedTo?: Path;
  /** The human wants it kept unsaved: the agent may not write it. */
  keptUnsaved?: boolean;
  noBlob?: boolean;
  /** `write_file` overlaps in a row: the second becomes a conflict decision. */
  overlaps?: number;
  by: 'agent' | 'human' | 'read';
  /** The human changed it since the run first saw it, whoever was last. */
  human?: boolean;
  /** Lines that the human typed or changed since the run first saw the file; absent: none. */
  owned?: Owned;
  ignored?: boolean;
}
