/** What a step did to a file, and what it saw of one. */
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
  /** It went into the unsaved buffer of an open editor; the disk still has `before`. */
  unsaved?: boolean;
  /** Permission bits of a file that is gone by it, to make it again with. */
  mode?: number;
  /** Parts of the file that are still known where it was read in part only. */
  seen?: { from: number; to: number }[];
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
