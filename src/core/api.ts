/** The face of the core: commands in, snapshots out. Both composition roots and the exported API stand on it. */
import type { LineRange } from './lineRanges';
import type { ForkRequest } from './checkpoints/fork';
import type { RestoreRequest, RestoreResult, UndoResult } from './checkpoints/types';
import type { ExportRequest, ExportResult } from './commands/exportRun';
import type { ImportRequest, ImportResult } from './commands/importRun';
import type { Refusal } from './errors';
import type { Holder } from './lease';
import type { EngineRef, ProcessId } from './ports';
import type { Report } from './reconcile/report';
import type { Decision, EffectStatus, NoteState, Receipt, RunState, RunSummary, StepOutcome } from './run/state';
import type { Guard, GuardRequest } from './run/guards';

export interface StartOptions {
  /** Required unless the playbook brings one. */
  goal?: string;
  /** Default: `Models.defaultRef()`. */
  engine?: EngineRef;
}

export interface ResumeResult {
  runId: string;
  reconcile: Report | null;
  /** Ids of open decisions that the run waits for; empty: it goes on. */
  waitsFor: string[];
}

export interface SteerResult {
  noteId: string;
  state: NoteState;
  /** Guards that the text seems to ask for: nothing is enforced until the human says so (`addGuard`). */
  offers?: GuardRequest[];
}

export interface GuardResult {
  guardId: string;
  state: Guard['state'];
}

export interface KillResult {
  runId: string;
  stepId: string;
  outcome: StepOutcome;
  effect: EffectStatus;
  /** What could not be ended; normally nothing. */
  survivors: ProcessId[];
}

/**
 * Every command answers; none throws at the caller. Without `runId` the current run is meant: the one that is not final,
 * else the newest. A command that does not apply answers with a `Refusal`.
 */
export interface HoldfastCore {
  startRun(options: StartOptions): Promise<{ runId: string } | Refusal>;
  pause(target?: { runId?: string }): Promise<Receipt | Refusal>;
  abort(target?: { runId?: string }): Promise<Receipt | Refusal>;
  takeOver(target?: { runId?: string }): Promise<Receipt | Refusal>;
  /** Kills at once what a stop still waits for. */
  forceStop(target?: { runId?: string }): Promise<Receipt | Refusal>;
  /** Ends one command with all it started, and keeps the run. Default: the one the run waits for, else the last in the background. */
  killCommand(target?: { runId?: string; stepId?: string }): Promise<KillResult | Refusal>;
  /** Settles when the first step may start, or at once with the decisions it waits for. */
  resume(target?: { runId?: string }): Promise<ResumeResult | Refusal>;
  handBack(target?: { runId?: string; note?: string }): Promise<ResumeResult | Refusal>;
  steer(note: { runId?: string; text: string; now?: boolean }): Promise<SteerResult | Refusal>;
  withdrawNote(target: { runId?: string; noteId: string }): Promise<SteerResult | Refusal>;
  /** Other words for a queued note, in its place; one that was delivered meanwhile stays as it was, and its state says so. */
  editNote(note: { runId?: string; noteId: string; text: string }): Promise<SteerResult | Refusal>;
  /** The runtime enforces it from the next call on. */
  addGuard(guard: GuardRequest & { runId?: string }): Promise<GuardResult | Refusal>;
  removeGuard(target: { runId?: string; guardId: string }): Promise<GuardResult | Refusal>;
  decide(answer: { decisionId: string; choice: string; text?: string }): Promise<{ state: string } | Refusal>;
  deleteRun(target: { runId: string }): Promise<{ deleted: true } | Refusal>;
  /** Another window has the runs: they are shown here, and nothing of them can be changed. Listeners hear when that one is gone. */
  heldBy(): Holder | undefined;
  /** Goes on in this window with the runs of one that is gone; refused while that lives. */
  takeControlHere(): Promise<{ taken: true } | Refusal>;
  /** A pinned run is not removed to make room. */
  pinRun(target: { runId?: string; pinned: boolean }): Promise<{ pinned: boolean } | Refusal>;
  /** Brings files the run wrote back to a checkpoint; `dryRun` answers with the preview alone. Refused while the run is at work. */
  restoreCheckpoint(request: RestoreRequest): Promise<RestoreResult | Refusal>;
  /** Without a name: the newest restore that was not undone. */
  undoRestore(request?: { undo?: string | null }): Promise<UndoResult | Refusal>;
  /**
   * Takes the effect of a step back by the compensation named for it, as a step of its own with its own receipt. Refused while
   * the run is at work. With a question open (an approval) it settles at once. Default: the last step that can be undone.
   */
  compensate(target?: { runId?: string; stepId?: string }): Promise<Receipt | { waitsFor: string[] } | Refusal>;
  /** A new run with the transcript up to the checkpoint (default: the last), paused; files are not touched. `note` comes first. */
  forkRun(request: ForkRequest): Promise<{ runId: string } | Refusal>;
  /** Writes a run that stands still into one file, without rights, keys and addresses; the run is not changed. */
  exportRun(request: ExportRequest): Promise<ExportResult | Refusal>;
  /** Makes an exported run one of this storage: paused (or over, as it was), with what differs here. */
  importRun(request: ImportRequest): Promise<ImportResult | Refusal>;

  /** The run that is shown when nothing else was asked for; a frozen snapshot. */
  current(): RunState | undefined;
  /** A loaded run. */
  get(runId: string): RunState | undefined;
  /** Loads a run from storage (its journal is read). */
  load(runId: string): Promise<RunState | undefined>;
  /** From the small index, newest first. */
  runs(): readonly RunSummary[];
  /** Called after each stored change, with the new snapshot. Answers with the function that ends it. */
  onDidChange(listener: (state: RunState) => void): () => void;
  /** The next time the run is not running, stopping or reconciling. */
  settled(runId: string): Promise<RunState>;
  /** Content of a blob (for diffs and documents); undefined when it is not stored. */
  content(hash: string): Promise<Uint8Array | undefined>;
  /** The same as text to look at, read as the file at `path` is read now; '' for null (nothing was there). */
  text(stored: { path: string; hash: string | null }): Promise<string | undefined>;
  /** What an open approval is about where none of it is stored (it looks secret): to look at, kept nowhere. */
  proposed(decisionId: string): Promise<{ before: string; after: string } | undefined>;
  /** Both sides of a conflict in one text, marks around what only the human can decide; undefined where there is none. */
  conflictText(decision: Decision): Promise<string | undefined>;
  /** The human's lines of a text that stands at `path` in an editor, for the current run. */
  humanLines(shown: { path: string; text: string }): Promise<LineRange[]>;
  /** Ends what runs as a pause would and closes the store; for hosts that close. Never the place where state is saved. */
  dispose(): Promise<void>;
}
