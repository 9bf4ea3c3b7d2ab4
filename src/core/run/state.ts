/** The state of a run: plain data, serialisable, everything that is shown is derived from it. Words: docs/words.md. */
import type { ModelError } from '../errors';
import type { GitState } from '../git';
import type { FileChange, FileRecord, FileSeen } from './fileChange';
import type { CommandFound, Elsewhere } from './found';
import type { EngineRef, Hash, Path, ProcessId, Usage } from '../ports';
import type { RestoreRecord, StoredFacts } from '../checkpoints/types';
import type { LineRange, Owned } from '../reconcile/owned';
import type { Report } from '../reconcile/report';
import type { Guard } from './guards';
import type { Used } from './limits';
import type { ReasonCode } from './reason';
import type { Contract } from '../tools/kinds';
import type { CallProgress, LateAnswer, ServerProcess } from '../tools/toolServers';
import type { ImportedFrom } from '../transfer/differences';

/** Of what is stored; what changed from version to version: `core/checkpoints/migrate.ts`. */
export type { CommandFound, Elsewhere } from './found';
export type { FileChange, FileRecord, FileSeen } from './fileChange';
export type { ReasonCode } from './reason';

export const SCHEMA_VERSION = 3;

export type RunStatus =
  | 'running'
  | 'stopping'
  | 'paused'
  | 'awaitingApproval'
  | 'humanControl'
  | 'reconciling'
  | 'needsHuman'
  | 'aborted'
  | 'completed'
  | 'failed';

export type Phase =
  | 'thinking'
  | 'reading'
  | 'awaitingApproval'
  | 'callingExternal'
  | 'committing'
  | 'waitingForCallback'
  | 'handingOff'
  | 'finalizing';

export type Control = 'agent' | 'human';

export type StepOutcome =
  'notStarted' | 'running' | 'done' | 'failed' | 'failedBeforeEffect' | 'cancelledBeforeEffect' | 'skipped' | 'unknown';

export type EffectStatus = 'notStarted' | 'requested' | 'committed' | 'failedBeforeCommit' | 'unknown';

export type EffectKind = 'none' | 'workspace' | 'process' | 'external';

/** A file that the run has not read, and the human made or changed: as a command found it. Absent `hash`: not known. */
export interface Theirs {
  path: Path;
  hash?: Hash | null;
  owned?: Owned;
  /** They changed it while the command stood, and no repository holds it. */
  standing?: true;
}

export interface Step {
  id: string;
  /** 1, 2, 3 … over the whole run. */
  n: number;
  callId: string;
  /** Index of the assistant entry in the transcript it belongs to. */
  reply: number;
  tool: string;
  /** Parsed arguments; undefined when they were no JSON. */
  args: unknown;
  /** The raw text where it could not be parsed. */
  badArgs?: string;
  title: string;
  outcome: StepOutcome;
  effect: EffectStatus;
  effectKind: EffectKind;
  /** Why it was cancelled, skipped, refused: a short code for code, `text` is for reading. */
  reason?: string;
  /** What the model was told. */
  text?: string;
  startedAt?: number;
  endedAt?: number;
  /** Number of the journal record that ended it: the checkpoint of boundary `n`. */
  seq?: number;
  /** Changes asked for (effect requested) or made. */
  changes: FileChange[];
  /** What it read: the base of later writes, for a fork from its boundary. */
  seen?: FileSeen[];
  /**
   * `loose`: those of its tree, when it was frozen, that only their own pid and start time tell. `stoodAt`: what changed since, in
   * the file system's time, it has not done.
   */
  process?: { id: ProcessId; marker: string; background: boolean; loose?: ProcessId[]; stoodAt?: number };
  exit?: { code: number | null; signal: string | null; timedOut?: boolean };
  /** Of a tool of a server: as it was when the call began. */
  contract?: Contract;
  /** The last word of the other end on how far it is. */
  progress?: CallProgress & { at: number };
  /** What the other end said when nobody waited for it any more. */
  late?: LateAnswer;
  /** What it said so of the tries before that one, in their order. */
  lateBefore?: LateAnswer[];
  /** For a command that has ended. */
  found?: CommandFound;
  /** For one that is at work: what a crash would else forget. */
  theirs?: Theirs[];
  delayMs?: number;
  pauseBefore?: boolean;
  onConflict?: 'ask' | 'skip' | 'stop';
  undo?: { tool: string; args: unknown };
  /** The human asked for a repeat of an unknown effect. */
  repeatOf?: number;
  /** Id of the step whose effect it takes back: asked for by the human, called by no reply. */
  compensates?: string;
  /** Of a fork: undone in the run it came from, after the boundary it begins at. `known` false: what the undo did is unknown. */
  undone?: { runId: string; n: number; tool: string; known: boolean };
}

/** Entries of the transcript, in order. `result` entries name their call; the prompt builder pairs them. */
export type Entry =
  | { kind: 'goal'; text: string; at: number }
  | { kind: 'assistant'; requestId: string; text: string; stepIds: string[]; interrupted: boolean; at: number }
  | { kind: 'result'; stepId: string; text: string; at: number }
  | { kind: 'note'; noteId: string; text: string; at: number }
  | { kind: 'report'; text: string; at: number }
  /** Words of the runtime for the reader, never sent to the model. */
  | { kind: 'remark'; text: string; at: number };

export interface PlanItem {
  title: string;
  status: 'pending' | 'running' | 'done';
}

export type NoteState = 'queued' | 'delivered' | 'undelivered' | 'withdrawn';

export interface Note {
  id: string;
  text: string;
  state: NoteState;
  now: boolean;
  at: number;
  /** Last step before it was delivered. */
  deliveredAfter?: number;
}

export type DecisionKind = 'approval' | 'unsaved' | 'conflict' | 'unknownEffect' | 'question' | 'worldChanged';
export type DecisionState = 'pending' | 'granted' | 'rejected' | 'expired' | 'withdrawn' | 'stale' | 'answered';

export interface DecisionChoice {
  id: string;
  label: string;
}

/** What is asked; `Decision` adds identity and fate. */
export interface DecisionRequest {
  kind: DecisionKind;
  stepId?: string;
  path?: Path;
  paths?: Path[];
  /** One line: the question. */
  title: string;
  /** Facts to decide by: the command, the reason, what is known. */
  detail: string;
  choices: DecisionChoice[];
  /** Free text is an answer too (question), or goes with a choice (reject, edit). */
  freeText: boolean;
  /** What the answer is bound to: a fingerprint of the content shown. */
  subject: string;
  /** The change shown, as blobs. `base` only for conflicts; `command`: what a command made, where the file moved on from there. */
  change?: {
    base?: Hash | null;
    before: Hash | null;
    after: Hash | null;
    command?: Hash | null;
    /** It was reached through a link when it was asked about. */
    throughLink?: true;
  };
  /** Lines of the human that it would delete or alter, counted in `change.before` (or in what is there where none is stored). */
  humanLines?: LineRange[];
  expiresAt?: number;
  /** About what a command did: it is settled by itself, and stays open through a stop. */
  source?: 'command';
}

export interface Decision extends DecisionRequest {
  id: string;
  state: DecisionState;
  openedAt: number;
  answer?: { choice: string; text?: string; at: number };
}

export type StopIntent = 'pause' | 'steer' | 'takeOver' | 'abort';
export type ReceiptIntent = StopIntent | 'interrupted' | 'compensate' | 'restore' | 'undoRestore';
export type Authority = 'full' | 'closing' | 'revoked';
export type Recovery = 'none' | 'resume' | 'verify' | 'compensate' | 'humanReview';

export type Evidence =
  | { kind: 'step'; stepId: string }
  /** `link`: that side is a link, told by what it holds. */
  | { kind: 'file'; path: Path; before: Hash | null; after: Hash | null; link?: 'before' | 'after' }
  | { kind: 'process'; pid: number; exit: string }
  | { kind: 'approval'; decisionId: string };

/** The structured end of a stop, or of an act of the human on a run at rest: what was promised and what is true. */
export interface Receipt {
  id: string;
  intent: ReceiptIntent;
  forced: boolean;
  at: number;
  /** What the run was doing when the stop came. */
  phase: Phase | null;
  /** Number of the last step with an outcome: the checkpoint; 0 is the start. */
  boundary: number;
  effects: {
    stepId: string;
    n: number;
    tool: string;
    title: string;
    outcome: StepOutcome;
    effect: EffectStatus;
    evidence: string;
  }[];
  authority: Authority;
  evidence: Evidence[];
  recovery: Recovery;
  resume: { allowed: boolean; checkpoint: number; expiredApprovals: string[] };
  /** Which of the realities holds, in one line. */
  message: string;
}

export type InFlight =
  | { kind: 'prepare' }
  | { kind: 'model'; requestId: string }
  | { kind: 'retry' }
  | { kind: 'step'; stepId: string }
  | { kind: 'reconcile' }
  | { kind: 'check'; decisionId: string; stepId: string }
  | { kind: 'takeSide'; decisionId: string; choice?: string }
  | { kind: 'endBackground' };

export interface UnsavedAnswer {
  choice: string;
  paths: Path[];
  /** What the editors held when it was given; absent: it holds for whatever they hold. */
  seen?: Record<Path, Hash>;
}

/** A resume in progress: what was asked and answered since it was pressed. */
export interface Resuming {
  via: 'resume' | 'handBack' | 'answer';
  note?: string;
  unsaved?: UnsavedAnswer[];
  /** Fingerprint of the changed world that the human accepted. */
  world?: string;
}

export interface RunState {
  schemaVersion: number;
  runId: string;
  goal: string;
  engine: EngineRef;
  model: { provider: string; label: string; fixed: boolean };
  outline: string[];
  /** Number of the last journal record folded in. */
  seq: number;
  createdAt: number;
  updatedAt: number;
  status: RunStatus;
  /** Why it stands where it stands, for every status but `running`. */
  reason: { code: ReasonCode; text: string } | null;
  control: Control;
  phase: Phase | null;
  phaseSince: number;
  inFlight: InFlight | null;
  /** A command stopped in the middle by a pause. */
  frozen: string | null;
  /** Steps whose declared background process still lives. */
  background: string[];
  /** Servers of tools that run as children of ours. */
  servers?: ServerProcess[];
  /** What a stop could not end; named wherever the run is shown. */
  survivors: ProcessId[];
  stopping: { intent: StopIntent; at: number; forced: boolean; phase: Phase | null; stepId: string | null } | null;
  /** A compensation under way: its step, and the stop that came meanwhile and waits for it. The status is that of before. */
  compensating?: { stepId: string; at: number; waits?: { intent: StopIntent; at: number; forced?: boolean } } | null;
  /** Waiting to ask the model again; in a run that lost its process meanwhile it stays, to be shown, until the resume. */
  retry: { attempt: number; until: number; error: ModelError } | null;
  /** What the model has said so far in the reply that streams now. */
  partial: { requestId: string; text: string } | null;
  resuming: Resuming | null;
  /** Restarted since an open decision was asked: an answer reconciles first. */
  stale: boolean;
  steps: Step[];
  transcript: Entry[];
  plan: PlanItem[];
  notes: Note[];
  /** Absent in runs stored before there were guards. */
  guards?: Guard[];
  decisions: Decision[];
  receipts: Receipt[];
  files: FileRecord[];
  /** What was read before step 1; `unprepared`: what is to be, before anything else. */
  prepared?: FileSeen[];
  unprepared?: Path[];
  /** Restores and their undos, in order. */
  restores?: RestoreRecord[];
  /** A fork: the run and the checkpoint it began with. */
  forkedFrom?: { runId: string; checkpoint: number };
  /** It came from another machine; how this workspace differed from that one then. */
  importedFrom?: ImportedFrom;
  report: Report | null;
  /** Steps whose late answer contradicts what they were taken for, not told yet. */
  untold?: string[];
  /** Seen to change and not told yet. */
  elsewhere?: Elsewhere[];
  /** Files of the human's own making since the run began, which the run has not read. */
  made?: Path[];
  git: GitState | null;
  /** Answers `grantForRun`: fingerprints that need no further asking. */
  grants: string[];
  replies: number;
  usage: Usage;
  /** When it was completed, failed or aborted; what is restored or undone afterwards does not move it. ms since 1970. */
  endedAt?: number;
  /** Milliseconds at work: running, stopping, reconciling. */
  activeMs?: number;
  /** Where the limits count from: set when one has paused the run. */
  limitBase?: Used;
  summary?: string;
  /** What is shown is not on disk: the system's words. Gone as soon as it is. */
  unstored?: string;
}

/** Entry of the small index. */
export interface RunSummary extends StoredFacts {
  runId: string;
  goal: string;
  status: RunStatus;
  control: Control;
  model: string;
  createdAt: number;
  updatedAt: number;
  stepsDone: number;
  steps: number;
  /** Something it started may still live: looked at when the host starts. */
  live: boolean;
  /** It came from another machine. */
  imported?: boolean;
}

export const FINAL: ReadonlySet<RunStatus> = new Set(['aborted', 'completed', 'failed']);
export const isFinal = (status: RunStatus): boolean => FINAL.has(status);

export const isActive = (status: RunStatus): boolean =>
  status === 'running' || status === 'stopping' || status === 'reconciling';

/** Stands still until the human lets it go on. */
export const isResting = (status: RunStatus): boolean => status === 'paused' || status === 'humanControl';

/** Waits for an answer of the human, in the middle of its work. */
export const isWaiting = (status: RunStatus): boolean => status === 'awaitingApproval' || status === 'needsHuman';
