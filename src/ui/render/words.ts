/** The words of the product as they stand on screen. Pure. */
import type {
  Decision,
  DecisionState,
  EffectStatus,
  Note,
  Phase,
  ReceiptIntent,
  Recovery,
  RunState,
  RunStatus,
  Step,
} from '../../core/run/state';
import { allSteps, finishedSteps } from '../../core/run/counts';
import { actSince } from './standing';
import type { Guard } from '../../core/run/guards';
import type { Verdict } from '../../core/reconcile/report';

export { allSteps, finishedSteps };

export const STATUS: Readonly<Record<RunStatus, string>> = {
  running: 'Running',
  stopping: 'Stopping',
  paused: 'Paused',
  awaitingApproval: 'Waiting for approval',
  humanControl: 'You have control',
  reconciling: 'Reconciling',
  needsHuman: 'Needs you',
  aborted: 'Aborted',
  completed: 'Completed',
  failed: 'Failed',
};

export const PHASE: Readonly<Record<Phase, string>> = {
  thinking: 'thinking',
  reading: 'reading',
  awaitingApproval: 'waiting for approval',
  callingExternal: 'waiting for a command',
  committing: 'writing',
  waitingForCallback: 'waiting',
  handingOff: 'handing over',
  finalizing: 'finishing',
};

export const EFFECT: Readonly<Record<EffectStatus, string>> = {
  notStarted: 'not started',
  requested: 'requested, not confirmed',
  committed: 'committed',
  failedBeforeCommit: 'failed before it took effect',
  unknown: 'unknown',
};

export const INTENT: Readonly<Record<ReceiptIntent, string>> = {
  pause: 'Pause',
  steer: 'Steer Now',
  takeOver: 'Take Over',
  abort: 'Abort',
  interrupted: 'Interrupted',
  compensate: 'Undo',
  restore: 'Restore Files',
  undoRestore: 'Undo Restore',
};

export const RECOVERY: Readonly<Record<Recovery, string>> = {
  none: 'nothing to do',
  resume: 'resume',
  verify: 'verify what happened',
  compensate: 'undo what was done, step by step, if you want it',
  humanReview: 'human review',
};

export const VERDICT: Readonly<Record<Verdict, string>> = {
  unchanged: 'unchanged',
  humanEdited: 'you edited it',
  humanCreated: 'you created it',
  humanDeleted: 'you deleted it',
  humanRenamed: 'you renamed it',
  typeChanged: 'it is something else now',
  unreadable: 'it cannot be read',
};

export const GUARD: Readonly<Record<Guard['state'], string>> = {
  active: 'enforced',
  met: 'done its work',
  removed: 'removed',
};

export const NOTE: Readonly<Record<Note['state'], string>> = {
  queued: 'queued',
  delivered: 'delivered',
  undelivered: 'not delivered',
  withdrawn: 'withdrawn',
};

export const DECISION: Readonly<Record<Decision['kind'], string>> = {
  approval: 'approval',
  unsaved: 'unsaved files',
  conflict: 'conflict',
  unknownEffect: 'unknown effect',
  question: 'question',
  worldChanged: 'the workspace changed',
};

export const FATE: Readonly<Record<DecisionState, string>> = {
  pending: 'open',
  granted: 'granted',
  rejected: 'rejected',
  expired: 'expired',
  withdrawn: 'withdrawn',
  stale: 'out of date',
  answered: 'answered',
};

const OUTCOME: Readonly<Record<Step['outcome'], string>> = {
  notStarted: 'not started',
  running: 'running',
  done: 'done',
  failed: 'failed',
  failedBeforeEffect: 'failed before any effect',
  cancelledBeforeEffect: 'cancelled before any effect',
  skipped: 'skipped',
  unknown: 'unknown',
};

const REASON: Readonly<Record<string, string>> = {
  rejected: 'rejected by you',
  expired: 'approval expired',
  steered: 'your note came first',
  worldChanged: 'the workspace changed',
  runEnded: 'the run ended',
  forced: 'force stop',
  human: 'you stopped it',
  killed: 'ended by you',
};

/** The guard that refused it stands in what the model was told. */
function refusedWords(text: string): string {
  const [, deed, value] = / \("(protect|forbid command) (.*?)"\)/s.exec(text) ?? [];
  if (value === undefined) return 'refused: protected by your settings';
  return `refused: you ${deed === 'protect' ? 'protected' : 'forbade'} ${oneLine(value, 80)}`;
}

/** How a step ended, with the reason where it has one that people know. A frozen step is not just running. */
export function outcomeOf(step: Pick<Step, 'id' | 'outcome' | 'reason' | 'text'>, frozen: string | null): string {
  if (step.id === frozen) return 'frozen';
  if (step.outcome === 'failedBeforeEffect' && (step.reason === 'protected' || step.reason === 'guard'))
    return refusedWords(step.text ?? '');
  if (step.outcome === 'skipped' && step.reason === 'rejected') return REASON['rejected'] ?? OUTCOME.skipped;
  const reason = step.reason === undefined ? undefined : REASON[step.reason];
  return reason === undefined ? OUTCOME[step.outcome] : `${OUTCOME[step.outcome]} (${reason})`;
}

/** The words of a verdict, as the report to the model begins each line with it. */
const VERDICT_LINE = /^(- .*?: )(\w+)(?=$| \()/gm;
const VERDICT_IN_DETAIL = /(: )(\w+)(?=, |$)/g;
/** How the runtime begins what the model is told of a call that did nothing. */
const TOLD =
  /^(?:notStarted|failedBeforeEffect|cancelledBeforeEffect)(?: \(reason: \w+\))?: |^skipped: (?=the run ended)/;

const UNDO_REMARK = new RegExp(
  `^(The developer asked to undo step .*) by [\\w.-]+\\. (${Object.keys(OUTCOME).join('|')}): `,
  's',
);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const verdictOf = (whole: string, before: string, word: string): string =>
  Object.hasOwn(VERDICT, word) ? before + VERDICT[word as Verdict] : whole;

/** What the model was told of a step, for people: the outcome stands beside it in words already. */
export const told = (text: string): string => (TOLD.test(text) ? capital(text.replace(TOLD, '')) : text);

/** A remark of the runtime: what the model reads there as words of the state, for people; further lines belong to it. */
export const remarkWords = (text: string): string =>
  text
    .replace(UNDO_REMARK, (_, head: string, outcome: string) => `${head}: ${OUTCOME[outcome as Step['outcome']]}. `)
    .replaceAll('\n', '\n    ');

/** The report to the model, for people: its verdicts in words; file content stays as it is. */
export const reportWords = (text: string): string => text.replace(VERDICT_LINE, verdictOf);

/** The facts of a question, in words. What is asked about a file's text or a command stays as it is. */
export const detailOf = (d: Pick<Decision, 'kind' | 'detail'>): string =>
  d.kind === 'worldChanged' ? d.detail.replace(VERDICT_IN_DETAIL, verdictOf) : told(d.detail);

export const PLAN: Readonly<Record<RunState['plan'][number]['status'], string>> = {
  pending: 'to do',
  running: 'in work',
  done: 'done',
};

/** Paused by the playbook itself: somebody has to do something before it goes on. Who has taken something back since has done it. */
export const isYourTurn = (s: RunState): boolean =>
  s.status === 'paused' && s.reason?.code === 'playbook' && !s.compensating && !actSince(s);

/** Status in words, of a run as a whole. A step that is being undone comes first: the status is that of before. */
export function statusOf(s: RunState): string {
  if (s.compensating) return s.inFlight ? 'Undoing' : 'Undo waits for you';
  return isYourTurn(s) ? 'Your turn' : STATUS[s.status];
}

export const plural = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

const MEGA = 1024 * 1024;
/** Bytes as a human reads them: `312 KB`, `2.9 MB`. */
export const sizeWords = (bytes: number): string =>
  bytes < MEGA ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / MEGA).toFixed(bytes < 10 * MEGA ? 1 : 0)} MB`;

/** Which run a document is about, below its heading. */
export const runLine = (s: Pick<RunState, 'goal' | 'createdAt'>): string =>
  `${oneLine(s.goal, 160)} · started ${stamp(s.createdAt)}`;

/** A run in a message: `“goal” (started …, imported, pinned)`. */
export const runNamed = (
  s: Pick<RunState, 'goal' | 'createdAt' | 'importedFrom'>,
  facts: readonly string[] = [],
): string =>
  `“${oneLine(s.goal)}” (${[`started ${stamp(s.createdAt)}`, ...(s.importedFrom ? ['imported'] : []), ...facts].join(', ')})`;

/** One line, cut to `max` characters. */
export function oneLine(text: string, max = 80): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const letters = Array.from(line);
  return letters.length > max ? `${letters.slice(0, max - 1).join('')}…` : line;
}

/** `8 s`, `1:05`, `1:02:03`. */
export function duration(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000));
  if (s < 60) return `${s} s`;
  const two = (n: number): string => String(n).padStart(2, '0');
  const h = Math.floor(s / 3600);
  const m = Math.floor(s / 60) % 60;
  return h > 0 ? `${h}:${two(m)}:${two(s % 60)}` : `${m}:${two(s % 60)}`;
}

/** How long ago, coarse: `just now`, `5 min ago`, `3 h ago`, `2 days ago`. */
export function ago(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}

/** Local time of day: `14:05:09`. */
export const clock = (at: number): string => stamp(at).slice(11);

/** Local time of day and, for documents, the day: `2026-03-01 14:05:09`. */
export function stamp(at: number): string {
  const d = new Date(at);
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${d.getFullYear()}-${two(d.getMonth() + 1)}-${two(d.getDate())} ${two(d.getHours())}:${two(d.getMinutes())}:${two(d.getSeconds())}`;
}

/** `3 of 10: copying`; `40 %` of a whole that is counted in hundredths; '' where nothing was heard. */
export function progressWords({ progress, outcome }: Pick<Step, 'progress' | 'outcome'>): string {
  if (!progress || outcome !== 'running') return '';
  const { done, total, message } = progress;
  const round = (n: number): number => Math.round(n * 100) / 100;
  const far =
    total === undefined
      ? String(round(done))
      : total === 100
        ? `${Math.round(done)} %`
        : `${round(done)} of ${round(total)}`;
  return message ? `${far}: ${oneLine(message, 60)}` : far;
}

/** What was rejected, skipped or refused was not done. */
export function completedAfter(s: RunState): string {
  const [done, all] = [finishedSteps(s), allSteps(s)];
  return done === all
    ? `Completed after ${plural(all, 'step')}`
    : `Completed; ${done} of ${plural(all, 'step')} finished`;
}

/** Text of a run inside a message of VS Code: those read `[text](https:…)` and the like as links, which nothing escapes. */
export const inMessage = (text: string, max = 200): string =>
  oneLine(text, max).replace(/\]\((?=(?:https?|file|command):)/gi, '] (');

/** Text of a run in a list to pick from: there `$(name)` is an icon unless it is escaped, and any other `$(…)` is itself. */
export const inPick = (text: string, max = 200): string =>
  oneLine(text, max).replace(/\\?\$\([a-z0-9-]+(?:~[a-z]+)?\)/gi, '\\$&');
