/** Everything that can happen to a run, as it stands in the journal, and what is to be done about it. */
import type { ModelError } from '../errors';
import type { GitState } from '../git';
import type { CallRequest, EngineRef, Hash, Path, ProcessId, Usage } from '../ports';
import type { RestoreFile, RestoreRecord } from '../checkpoints/types';
import type { Report } from '../reconcile/report';
import type { GuardRequest } from './guards';
import type { Contract } from '../tools/kinds';
import type { CallProgress, LateAnswer, ServerProcess } from '../tools/toolServers';
import type {
  CommandFound,
  DecisionRequest,
  EffectStatus,
  Elsewhere,
  FileChange,
  FileSeen,
  PlanItem,
  ReasonCode,
  RunState,
  StepOutcome,
  StopIntent,
  Theirs,
} from './state';

export interface StepEnd {
  stepId: string;
  outcome: StepOutcome;
  effect: EffectStatus;
  /** What the model is told. */
  text: string;
  reason?: string;
  changes?: FileChange[];
  seen?: FileSeen[];
  exit?: { code: number | null; signal: string | null; timedOut?: boolean };
  plan?: PlanItem[];
  /** `finish` was called: the run ends with this summary. */
  summary?: string;
  /** Path of a `write_file` that overlapped: counted. */
  overlap?: Path;
  /** What of a command could not be ended. */
  survivors?: ProcessId[];
  /** What a command changed, what others changed meanwhile, and what it did to text of the human's. */
  found?: CommandFound;
  elsewhere?: Elsewhere[];
  asks?: DecisionRequest[];
}

/** One of two versions of a file was put in its place; `failed`: it could not be, and the question stays. */
export interface SideTaken {
  type: 'sideTaken';
  decisionId: string;
  choice: string;
  text?: string;
  /** What is there now; with `failed`: what the question is about from now on. */
  now?: { hash: Hash | null; size: number };
  said: string;
  failed?: boolean;
}

export type RunEvent =
  | {
      type: 'runStarted';
      runId: string;
      goal: string;
      engine: EngineRef;
      model: { provider: string; label: string; fixed: boolean };
      outline: string[];
      files: Path[];
    }
  /** The first record of a fork: its whole state, made by `forkOf`. */
  | { type: 'runForked'; state: RunState }
  /** The first record of a run that came from another machine: its whole state, made by `arrivedState`. */
  | { type: 'runImported'; state: RunState }
  | { type: 'prepared'; seen: FileSeen[]; git: RunState['git'] }
  /** A stop came in the middle of the first look: it is made when the run goes on. */
  | { type: 'prepareCut' }
  /** Repositories inside the workspace that the run has come to know a file of. */
  | { type: 'repositoriesSeen'; others: NonNullable<GitState['others']> }
  | { type: 'modelText'; requestId: string; text: string }
  | { type: 'modelReplied'; requestId: string; calls: CallRequest[]; usage?: Usage }
  | { type: 'modelFailed'; requestId: string; error: ModelError; /** absent: no further try. */ retryInMs?: number }
  | { type: 'modelCut'; requestId: string }
  | { type: 'retryDue' }
  | { type: 'retryCut' }
  /** `contract`: of a tool of a server, as it was when the call began. */
  | { type: 'stepStarted'; stepId: string; contract?: Contract }
  | { type: 'stepProgress'; stepId: string; progress: CallProgress }
  | { type: 'stepNotStarted'; stepId: string }
  | { type: 'stepProcess'; stepId: string; id: ProcessId; marker: string; background: boolean }
  | { type: 'effectRequested'; stepId: string; changes: FileChange[]; elsewhere?: Elsewhere[]; theirs?: Theirs[] }
  | { type: 'stepEnded'; end: StepEnd }
  /** `loose`: those of its tree that neither group nor marker tells any more. `stoodAt`: in the file system's time. */
  | { type: 'stepFrozen'; stepId: string; loose?: ProcessId[]; stoodAt?: number }
  | { type: 'stepThawed'; stepId: string }
  | { type: 'stepAbandoned'; stepId: string; text: string }
  | { type: 'decisionOpened'; request: DecisionRequest }
  /** `seen`: of an answer about unsaved text, what the editors held. */
  | { type: 'decisionAnswered'; decisionId: string; choice: string; text?: string; seen?: Record<Path, Hash> }
  | { type: 'decisionStale'; decisionId: string }
  | { type: 'decisionExpired'; decisionId: string }
  /** `changes`: as they were found, where files told. */
  | {
      type: 'effectChecked';
      decisionId: string;
      verdict: 'happened' | 'didNotHappen' | 'unknown';
      proof: string;
      changes?: FileChange[];
    }
  /** The server of a call that was cut or lost has answered it after all. */
  | { type: 'answeredLate'; stepId: string; answer: LateAnswer }
  | SideTaken
  | { type: 'noteAdded'; text: string; now: boolean }
  | { type: 'noteWithdrawn'; noteId: string }
  /** Other words in the same place of the queue. */
  | { type: 'noteEdited'; noteId: string; text: string }
  | { type: 'guardAdded'; guard: GuardRequest }
  | { type: 'guardRemoved'; guardId: string }
  /** The human wants the effect of a step taken back. */
  | { type: 'compensateRequested'; stepId: string }
  | { type: 'stopRequested'; intent: StopIntent }
  | { type: 'forceRequested' }
  | { type: 'resumeRequested'; via: 'resume' | 'handBack'; note?: string }
  | { type: 'reconciled'; report: Report; asks: DecisionRequest[]; keptUnsaved: Path[]; git: RunState['git'] }
  | { type: 'reconcileCut' }
  /** Found at start-up without its process; `settled`: what could be told of the step in flight. */
  | { type: 'interrupted'; settled: StepEnd[]; survivors: ProcessId[] }
  /** Found at start-up, at rest; `settled`: frozen commands that died with their host. */
  | { type: 'reopened'; settled: StepEnd[]; survivors?: ProcessId[] }
  | { type: 'backgroundEnded'; stepIds: string[]; survivors: ProcessId[]; by?: 'human' }
  /** The human ends one command and keeps the run. */
  | { type: 'killRequested'; stepId: string }
  /** Durable before any file is touched. */
  | { type: 'restoreRequested'; restore: RestoreRecord }
  | { type: 'restoreEnded'; id: string; files: RestoreFile[] }
  /** A server of tools runs as a child of ours. */
  | { type: 'serverStarted'; process: ServerProcess }
  | { type: 'serversEnded'; servers: ServerProcess[]; survivors: ProcessId[] }
  /** The state cannot be written since; `text`: the system's words. What follows is on disk only with `stored`. */
  | { type: 'unstored'; text: string }
  | { type: 'stored' }
  | { type: 'halted'; code: ReasonCode; text: string }
  | { type: 'failed'; text: string };

/** A first record that is a whole state: of a run that began elsewhere. */
export const isWhole = (event: RunEvent): event is Extract<RunEvent, { type: 'runForked' | 'runImported' }> =>
  event.type === 'runForked' || event.type === 'runImported';

/** What the controller has to do now. Each names what it is about; results come back as events. */
export type Effect =
  | { type: 'prepare'; files: Path[] }
  | { type: 'askModel'; requestId: string }
  | { type: 'waitRetry'; until: number }
  | { type: 'runStep'; stepId: string }
  /** As `runStep`, for the step of a compensation: no limit of the run is in its way. */
  | { type: 'compensate'; stepId: string }
  /** Signals what is in flight. `pause` obeys `holdfast.pauseCommands`; `end` ends a command; `force` kills and gives up. */
  | { type: 'interrupt'; how: 'pause' | 'end' | 'force' }
  | { type: 'reconcile' }
  | { type: 'thaw'; stepId: string }
  | { type: 'endFrozen'; stepId: string; force: boolean }
  | { type: 'checkEffect'; decisionId: string; stepId: string }
  | { type: 'takeSide'; decisionId: string; choice: string; text?: string }
  | { type: 'endBackground' }
  | { type: 'killCommand'; stepId: string };
