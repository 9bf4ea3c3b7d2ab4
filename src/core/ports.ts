/**
 * What the core needs from the world. Adapters live in `node/`, `vscode/` and `models/`; the core imports none of them.
 *
 * A *path* is relative to the workspace, with `/`: `src/a.ts`; in a multi-root workspace `web/src/a.ts` (`web`: the folder).
 */
import type * as z from 'zod/mini';
import type { ModelError } from './errors';
import type { Formatter } from './formatter';
import type { Git } from './git';
import type { Retention, RetentionLimits } from './checkpoints/retention';
import type { Lease } from './lease';
import type { Links } from './links';
import type { RunEvent } from './run/events';
import type { Patterns } from './patterns';
import type { Probe } from './probe';
import type { IgnoreRules, LineSettings } from './reconcile/owned';
import type { Processes } from './processes';
import type { RunState, RunSummary } from './run/state';
import type { Diagnostics } from './diagnostic';
import type { ToolServers } from './tools/toolServers';
import type { Tree } from './tree';
import type { RunArchives } from './transfer/archive';

export type { Diagnostic, Diagnostics } from './diagnostic';
export type { Git, GitState } from './git';

export type { ProcessExit, Processes, ProcessId, RunningProcess, SpawnOptions } from './processes';

export type Path = string;
/** SHA-256 of raw bytes, lower-case hex. */
export type Hash = string;

// ---------------------------------------------------------------- files

export type FileType = 'file' | 'directory' | 'link' | 'other';

/** What stands at a path now. A link is followed for everything but `isLink` and `linkTarget`. */
export interface FileStat {
  /** Type of what the path leads to; `missing`: nothing there, or a link that leads nowhere. */
  type: FileType | 'missing';
  isLink: boolean;
  /** The link leads out of the workspace folders: never read or written. */
  leadsOutside: boolean;
  size: number;
  /** Permission bits (0o777 part); 0 on Windows. */
  mode: number;
  /** No write bit is set at all: a statement of the owner, honoured for root too. */
  readOnly: boolean;
  hardLinks: number;
  mtimeMs: number;
  ctimeMs: number;
  /** Tells one file from another that takes its name; absent where the system has no such thing. */
  inode?: string;
}

export interface WalkEntry {
  path: Path;
  type: FileType;
  size: number;
  ctimeMs: number;
}

export interface WalkOptions {
  /** Start folder; '' is the workspace (all folders in a multi-root workspace). */
  from: Path;
  /** 1: only direct children. Default: no limit. */
  depth?: number;
  /** Leave out what .gitignore files (nested ones too) and `.git` exclude. */
  honourIgnore: boolean;
  /** The walk ends, `complete: false`, after so many entries. */
  maxEntries: number;
  signal: AbortSignal;
}

export interface WriteOptions {
  /**
   * What must be there directly before the write: the hash of the bytes, or null for "nothing".
   * Otherwise `FileError('changed')` and nothing is written.
   */
  expect: Hash | null;
  /** Permission bits for a new file; an existing file keeps its own, unless `giveMode`. */
  mode?: number;
  giveMode?: boolean;
}

/**
 * Files of the workspace as raw bytes. Every method rejects with `FileError`; names are taken literally, never decoded.
 * `outside` for whatever resolves (links included) out of the workspace folders; `reserved` for `.git` and for the
 * extension's own storage; a look-alike spelling (Unicode form, case on case-insensitive disks, U+00A0) is settled by `resolve`.
 */
export interface Files extends IgnoreRules, Links {
  /** Workspace folders in order; names are unique. Empty: no folder is open. */
  roots(): readonly { name: string }[];
  /**
   * The one true spelling of a path given by a model or a human: normalised, checked to stay inside. A path that does not
   * exist is fine. Throws `badName`, `outside`, `reserved`, `ambiguous` (multi-root without folder name, `detail` names the
   * candidates), or `exists` with the true name in `detail` where only a look-alike is there.
   */
  resolve(given: string): Promise<Path>;
  stat(path: Path): Promise<FileStat>;
  /** `tooLarge` above `maxBytes` (default 50 MB). */
  read(path: Path, maxBytes?: number): Promise<Uint8Array>;
  /** Hash without keeping the bytes. */
  hash(path: Path): Promise<{ hash: Hash; size: number }>;
  /**
   * Atomic (unique temporary name, fsync, rename), through symlinks, mode bits kept; in place where the file has several
   * hard links; refused (`readOnly`) where no write bit is set. Creates missing parent folders. Leaves no scraps.
   */
  write(path: Path, bytes: Uint8Array, options: WriteOptions): Promise<void>;
  /** Removes a file or a link (never what it points to), `changed` when the bytes are not `expect`ed. No folders. */
  remove(path: Path, options: { expect: Hash | null }): Promise<void>;
  /** `exists` when something is at `to`. A link is moved as a link. */
  move(from: Path, to: Path, options: { expect: Hash | null }): Promise<void>;
  walk(options: WalkOptions): Promise<{ entries: WalkEntry[]; complete: boolean }>;
  /** Removes what an earlier, killed process left beside the users' files (temporary names of ours). */
  sweepScraps(paths: readonly Path[]): Promise<void>;
}

/** An open document of the editor. */
export interface BufferState {
  path: Path;
  /** Text as the editor shows it (line ends as `eol` says). */
  text: string;
  dirty: boolean;
  version: number;
  eol: '\n' | '\r\n';
}

/** A document as it was looked at: what is done to it holds for that text, and no other. */
export type BufferSeen = Pick<BufferState, 'version' | 'text'>;

export interface DocumentEncoding {
  /** As the editor names it: `utf8`, `windows1252`, `shiftjis` … */
  id: string;
  readonly decode: (bytes: Uint8Array) => PromiseLike<string>;
  /** As it is saved. Absent: of several spellings of a character one is chosen. */
  readonly encode?: (text: string) => PromiseLike<Uint8Array>;
}

/** Open documents. On hosts without an editor: a `Buffers` with nothing in it. */
export interface Buffers {
  get(path: Path): BufferState | undefined;
  /** Paths of dirty documents in the workspace. */
  dirty(): readonly Path[];
  /**
   * Replaces the text by the least edit, only where the document is still the one `seen`; it stays unsaved. false: it is not. A
   * document that was closed and opened again counts its versions anew, so the text counts too.
   */
  edit(path: Path, seen: BufferSeen, text: string): Promise<boolean>;
  /** Saves as it is, without formatters. `seen`: only where the document is still that one; false: it is not. */
  save(path: Path, seen?: BufferSeen): Promise<boolean>;
  /** Back to what is on disk, only where the document is still the one `seen`; false: it is not. */
  discard(path: Path, seen: BufferSeen): Promise<boolean>;
  /** What an open document is read and written in; absent and undefined: what its bytes tell. */
  encoding?(path: Path): DocumentEncoding | undefined;
  /** After a write to disk: waits (at most 1 s) until an open document shows `text`, or has become dirty. */
  settle(path: Path, text: string, signal: AbortSignal): Promise<'shown' | 'dirty' | 'notOpen' | 'late'>;
}

// ---------------------------------------------------------------- models

export type PromptMessage =
  | { role: 'system'; text: string }
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: { callId: string; tool: string; args: unknown }[] }
  /** One per call of the assistant message before it, in the order of the calls. */
  | { role: 'tool'; callId: string; tool: string; text: string };

export interface ToolSpec {
  name: string;
  description: string;
  /** The arguments: as JSON Schema, or as the schema they are checked by (turned into JSON Schema where a wire needs it). */
  parameters: { json: Record<string, unknown> } | { zod: z.ZodMiniType };
}

export interface ModelRequest {
  requestId: string;
  messages: PromptMessage[];
  tools: ToolSpec[];
  /** How many whole replies the run has had so far, those whose only call was cancelled before its effect not counted. */
  replyIndex: number;
}

export interface CallRequest {
  tool: string;
  /** Raw JSON text as it came; the core parses it. */
  argsText: string;
  /** For playbooks: shown instead of the tool's name. */
  title?: string;
  /** For playbooks: wait before the step; pause before it; what an overlap becomes; compensation. */
  delayMs?: number;
  pauseBefore?: boolean;
  onConflict?: 'ask' | 'skip' | 'stop';
  undo?: { tool: string; args: unknown };
}

export interface Usage {
  inputTokens: number;
  outputTokens: number;
}

/** A reply streams `text` and ends with exactly one `end` or `error`. Calls come only with an `end`: none of a reply that was cut. */
export type ModelEvent =
  | { type: 'text'; delta: string }
  | { type: 'end'; calls: CallRequest[]; usage?: Usage }
  | { type: 'error'; error: ModelError };

export interface ModelInfo {
  /** As in `holdfast.model`: `playbook`, `openai` … */
  provider: string;
  /** Shown in the header: the model's id or the playbook's file name. */
  label: string;
  /** The goal a playbook brings along. */
  goal?: string;
  /** A playbook: it cannot adapt, it goes on with its next step. */
  fixed: boolean;
  /** Files a playbook names: read at the start of the run. */
  files: readonly Path[];
  /** Titles of the steps, where known ahead: shown as pending. */
  outline: readonly string[];
}

export interface Model {
  readonly info: ModelInfo;
  /** The iterator ends at once when the signal fires, whatever the other end does. */
  ask(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** What a run is driven by, in a form that can be stored in its state. No keys, no endpoints. */
export type EngineRef =
  | {
      kind: 'playbook';
      label: string;
      /** The file's text as it was at the start. */ source: string;
      format: 'json' | 'yaml';
    }
  | { kind: 'model'; provider: string; modelId?: string };

export interface Models {
  /** Opens the model a stored run needs; rejects never, answers with the reason. */
  open(ref: EngineRef): Promise<Model | { error: ModelError }>;
  /** What a new run uses when nothing was said; from `holdfast.model`. */
  defaultRef(): Promise<EngineRef | { error: ModelError }>;
}

// ---------------------------------------------------------------- store

export interface Blobs {
  /** Taken when it settles, and given by `get`; written with the next `append` of a run, durable when that has `sync`. The bytes stay as they are. */
  put(bytes: Uint8Array): Promise<Hash>;
  /** undefined: not there, or damaged. Rejects with `StorageError` where the system does not let it be read. */
  get(hash: Hash): Promise<Uint8Array | undefined>;
}

/** One line of the journal. */
export interface JournalRecord {
  seq: number;
  /** Wall clock, ms since 1970; never used for order. */
  at: number;
  event: RunEvent;
}

export interface LoadedRun {
  /** Last snapshot, or undefined where there is none yet. */
  snapshot: RunState | undefined;
  /** Records after the snapshot, in order, the torn end dropped. */
  tail: JournalRecord[];
  /** What could not be read, in words; empty when all is well. */
  damage: string[];
}

/** Hears a run while it is read. */
export interface HearLoaded {
  /** Before any record; again: all that was heard before is void. */
  begin(snapshot: RunState | undefined): void;
  /** The records after the snapshot, in order. */
  take(record: JournalRecord): void;
}

export interface RunStore {
  /** Appends whole lines. `sync`: on disk when it settles. Calls are answered in order. Rejects with Error (code ENOSPC …). */
  append(records: readonly JournalRecord[], options: { sync: boolean; boundary: boolean }): Promise<void>;
  /** Writes the state as the new snapshot; what is appended meanwhile stays. */
  snapshot(state: RunState): Promise<void>;
  /** Bytes appended since the last snapshot, and of that snapshot (0: none). */
  readonly journalBytes: number;
  readonly snapshotBytes: number;
  close(): Promise<void>;
}

export interface Store {
  readonly blobs: Blobs;
  /** The small index only. `fresh`: another window may have written it. */
  list(fresh?: boolean): Promise<RunSummary[]>;
  /** A store that hands the records to `hear` as they are read leaves `tail` empty. */
  load(runId: string, hear?: HearLoaded): Promise<LoadedRun | undefined>;
  /** Opens for writing; makes the run's folder where it is new. */
  open(runId: string): Promise<RunStore>;
  /** Index entry of a run; derived from its state, may be written late. */
  updateIndex(summary: RunSummary): Promise<void>;
  remove(runId: string): Promise<void>;
}

// ---------------------------------------------------------------- the rest
export interface Clock {
  now(): number;
  /** Settles after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface Ids {
  /** A new run id: unique, sorted by time where possible. */
  run(): string;
}

/** Settings the core reads, each time anew. */
export interface Settings extends LineSettings {
  approvals(): 'ask' | 'edits' | 'auto';
  approvalTtlMinutes(): number;
  pauseCommands(): 'freeze' | 'finish' | 'end';
  stopGraceMs(): number;
  unsavedOnResume(): 'ask' | 'save' | 'keep';
  protectedPaths(): readonly string[];
  sensitivePaths(): readonly string[];
  secretPaths(): readonly string[];
  /** Exact argument vectors that need no asking. */
  commandsAllow(): readonly (readonly string[])[];
  /** Exact argument vectors that are refused. */
  commandsDeny(): readonly (readonly string[])[];
  limits(): { steps?: number; minutes?: number; tokens?: number };
  /** What old runs may take; absent: everything is kept. */
  checkpoints?(): RetentionLimits;
}

/** Where the output of commands is shown (a read-only terminal); nothing of it is needed for the run. */
export interface Output {
  opened(stepId: string, command: string): void;
  data(stepId: string, chunk: string): void;
  closed(stepId: string, note: string): void;
}

/** For the log channel: code and facts, no content of files, no keys. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string, error?: unknown): void;
}

export interface Ports {
  files: Files;
  buffers: Buffers;
  models: Models;
  processes: Processes;
  store: Store;
  clock: Clock;
  ids: Ids;
  git: Git;
  diagnostics: Diagnostics;
  settings: Settings;
  output: Output;
  log: Log;
  probe: Probe;
  /** Absent: this host has no editor, and no formatter. */
  formatter?: Formatter;
  /** Absent: patterns are tried in the host's own loop. */
  patterns?: Patterns;
  /** Absent: this host knows no servers of tools. */
  toolServers?: ToolServers;
  /** Absent: only the files a run has read or written are looked at. */
  tree?: Tree;
  /** Absent: nothing limits the storage, nothing of it is freed. */
  retention?: Retention;
  /** Absent: nobody else can have this storage. */
  lease?: Lease;
  /** Absent: runs stay on this machine. */
  archives?: RunArchives;
  /** SHA-256; synchronous, from the host. */
  hash(bytes: Uint8Array): Hash;
}
