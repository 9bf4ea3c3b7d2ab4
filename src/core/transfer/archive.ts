/** The one file a run travels in, as the core sees it: what goes into it, and the port that writes and reads it. */
import type { Hash, JournalRecord } from '../ports';
import type { RunState } from '../run/state';

/** Of the file itself; what is in it has the schema version of the state. */
export const ARCHIVE_VERSION = 1;
export const ARCHIVE_EXTENSION = 'holdfast-run';

/** Where a workspace stands: what can be told of it without its files. */
export interface Base {
  branch: string | null;
  /** Id of the commit; null: none yet. */
  head: string | null;
}

export interface ArchiveHead {
  runId: string;
  schemaVersion: number;
  /** ms since 1970. */
  exportedAt: number;
  /** Names of the workspace folders, in order. */
  folders: string[];
  /** null: no repository. */
  base: Base | null;
}

/** What is written. Its pieces are made one by one, so that no second copy of a long run is held. */
export interface Outgoing {
  head: ArchiveHead;
  /** Written list by list, element by element. */
  state: RunState;
  /** What of a piece of the state may travel. */
  piece: (value: unknown) => unknown;
  /** What of a record may travel; undefined: nothing. */
  record: (record: JournalRecord) => JournalRecord | undefined;
  /** Contents that the pieces and records made so far name. */
  named: () => ReadonlySet<Hash>;
}

export interface ArchiveCounts {
  records: number;
  contents: number;
  /** Named, and not stored on the machine it comes from. */
  missing: number;
}

export interface Written extends ArchiveCounts {
  bytes: number;
}

/** A file that was read to its end and is whole. */
export interface Incoming {
  head: ArchiveHead;
  /** As it stands in the file, of the schema version of the head: not looked at further. */
  state: Record<string, unknown>;
  counts: ArchiveCounts;
  /** SHA-256 of all that was read: it must be the same file when its contents are taken over. */
  sum: Hash;
}

export type ArchiveErrorCode =
  /** Something stands where the file was to be written. */
  | 'exists'
  | 'notFound'
  | 'isDirectory'
  /** A device, a pipe, a socket. */
  | 'notAFile'
  | 'tooLarge'
  | 'badName'
  | 'notAnArchive'
  /** It ends in the middle. */
  | 'torn'
  | 'damaged'
  | 'newer'
  /** Another file stands there since it was checked. */
  | 'changed'
  /** The storage has a run of that id. */
  | 'taken'
  | 'noSpace'
  | 'permissionDenied'
  | 'other';

/** Thrown by `RunArchives` only; `detail`: the system's own word, or what is wrong with the file. */
export class ArchiveError extends Error {
  constructor(
    readonly code: ArchiveErrorCode,
    readonly detail = '',
  ) {
    super(detail === '' ? code : `${code}: ${detail}`);
    this.name = 'ArchiveError';
  }
}

/** In the place of a key; a word that no shell takes for anything else. */
export const NOT_KEPT_KEY = 'KEY-NOT-KEPT';

/** A text that means something on this machine alone (a folder, an address, a key), and what is written for it. */
export interface LocalWord {
  text: string;
  instead: string;
  /** A key: not even the agent's own words take it along. */
  always?: true;
}

export interface RunArchives {
  localWords(): Promise<readonly LocalWord[]>;
  /** Whole or not at all; what stands there is replaced only with `overwrite`. */
  write(target: string, outgoing: Outgoing, options: { overwrite: boolean }): Promise<Written>;
  /** Reads all of it and checks every sum; writes nothing. */
  read(source: string): Promise<Incoming>;
  /**
   * Takes over the contents and makes `state` the first record of a run of this storage; the records of before are kept beside
   * it. At once or not at all.
   */
  adopt(source: string, incoming: Incoming, state: RunState, at: number): Promise<void>;
}
