/** Shapes of checkpoints and restores; plain data, as it stands in the state and the journal. */
import type { Hash, Path } from '../ports';

export type { StoredFacts } from './retention';

/** `start`: before step 1. A number: the boundary after that step. */
export type CheckpointRef = 'start' | number;

/** A boundary one can go back to. */
export interface Checkpoint {
  /** 0 is the start. */
  n: number;
  title: string;
  /** ms since 1970. */
  at: number;
  /** Files the step changed. */
  files: Path[];
}

/** Why a file is left alone; `message` beside it is for reading. */
export type SkipReason =
  | 'secret'
  | 'blobMissing'
  | 'tooLarge'
  | 'unreadable'
  | 'readOnly'
  | 'protected'
  /** It can change how tools behave, and what the run did to it was done on another machine. */
  | 'elsewhere'
  | 'outside'
  | 'typeChanged'
  | 'unsaved'
  /** The human changed it since the run's last write: only hunks they pick are undone. */
  | 'changed'
  | 'humanDeleted'
  | 'humanRenamed'
  | 'humanCreated'
  | 'notPicked'
  | 'noSpace'
  /** The process ended before its turn came. */
  | 'interrupted'
  | 'failed';

/** What becomes of one file: its content now and after it; null: nothing is there. */
interface FileMove {
  path: Path;
  before: Hash | null;
  after: Hash | null;
  /** Permission bits of a file that is removed or was, to make it again with. */
  mode?: number;
  /** Bits that the present file has, where `mode` gives it others. */
  modeBefore?: number;
  /** It is moved back to here, bytes, mode and links as they are. */
  movedFrom?: Path;
  movedTo?: Path;
  /** This side of it is a link: the hash is that of what the link holds. */
  link?: 'before' | 'after';
  /** Folders that are made for it, or that the run had made and that go with it where they are empty then. */
  folders?: Path[];
  /** It goes into the unsaved text of an open editor. */
  unsaved?: boolean;
  reason?: SkipReason;
}

/** One file of a restore. `before` and `after` are stored as blobs before anything is touched; null: nothing is there. */
export interface RestoreFile extends FileMove {
  /** Absent: not settled yet. */
  done?: boolean;
}

/** A restore, or the undo of one: intent first, then what became of it. */
export interface RestoreRecord {
  /** `<runId>/u<k>`: what `undoRestore` is given. */
  id: string;
  kind: 'restore' | 'undo';
  /** The restore that is undone. */
  undoes?: string;
  /** Checkpoint gone back to, for `restore`. */
  checkpoint: number;
  at: number;
  state: 'requested' | 'settled';
  /** Number of the journal record that settled it. */
  seq?: number;
  /** Made on another machine: it is part of what was done to the files, and not undone here. */
  elsewhere?: true;
  files: RestoreFile[];
  /** Left alone from the first. */
  skipped: { path: Path; reason: SkipReason }[];
}

/** A change of lines, offered one by one. Lines count from 0, `to` exclusive, in the text that is there now. */
export interface UndoHunk {
  from: number;
  to: number;
  /** With their line ends. */
  lines: string[];
}

/** What a restore would do with one file. */
export interface FilePlan extends FileMove {
  /** `after` of a `merge`: with all of its hunks undone. */
  action: 'restore' | 'remove' | 'merge' | 'skip';
  /** One sentence, for every `skip` and `merge`. */
  message?: string;
  /** For text; those of `merge` are left out unless they are picked. */
  hunks?: UndoHunk[];
  /** Changes of the run that cannot be undone because the human changed the same lines. */
  conflicts?: number;
}

export interface RestoreRequest {
  runId?: string;
  checkpoint: CheckpointRef;
  /** Default: every file the run wrote since. */
  paths?: readonly Path[];
  /** Only the preview: nothing is changed, and `undo` is null. */
  dryRun?: boolean;
  /** Only these changes of a file, by their place in the preview's `hunks`; `before` as the preview gave it. */
  picks?: readonly { path: Path; before: Hash | null; hunks: readonly number[] }[];
}

export interface RestoreResult {
  restored: Path[];
  skipped: { path: Path; reason: SkipReason; message: string }[];
  /** For `undoRestore`; null: nothing was changed. */
  undo: string | null;
  /** The preview. */
  files: FilePlan[];
}

export interface UndoResult {
  restored: Path[];
  skipped: { path: Path; reason: SkipReason; message: string }[];
}
