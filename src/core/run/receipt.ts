/** Receipts: the structured end of a stop, and the one line that says which of the realities holds. */
import type { RestoreFile } from '../checkpoints/types';
import { compensable } from './compensable';
import { finishedSteps } from './counts';
import { whyNotUndone } from './notUndone';
import type { Authority, Evidence, Phase, Receipt, ReceiptIntent, Recovery, RunState, Step, StopIntent } from './state';
import { isFinal } from './state';
import { survivorWords } from './survivors';
import { stepOf } from './update';

const STOPPED: Record<Exclude<ReceiptIntent, 'restore' | 'undoRestore'>, string> = {
  pause: 'Paused',
  steer: 'Stopped for your note',
  takeOver: 'You have control',
  abort: 'Aborted',
  interrupted: 'Interrupted: the process that ran it ended',
  compensate: 'Undo',
};

const AUTHORITY: Record<StopIntent | 'interrupted', Authority> = {
  pause: 'full',
  steer: 'full',
  takeOver: 'closing',
  abort: 'revoked',
  interrupted: 'full',
};

/** What the human does with a run at rest changes nothing about what it may do. */
function authorityOf(s: RunState, intent: ReceiptIntent): Authority {
  if (intent !== 'compensate' && intent !== 'restore' && intent !== 'undoRestore') return AUTHORITY[intent];
  return isFinal(s.status) ? 'revoked' : s.status === 'humanControl' ? 'closing' : 'full';
}

/** Number of the last step that has an outcome and no successor without one: the checkpoint. 0: the start. */
export function boundaryOf(s: RunState): number {
  for (let i = s.steps.length - 1; i >= 0; i -= 1) {
    const step = s.steps[i];
    if (step && step.compensates === undefined && !['notStarted', 'running', 'unknown'].includes(step.outcome))
      return step.n;
  }
  return 0;
}

const fileEvidence = ({ path, before, after, link }: RestoreFacts['files'][number]): Evidence => ({
  ...{ kind: 'file', path, before, after },
  ...(link ? { link } : {}),
});

function evidenceOf(s: RunState, step: Step): Evidence[] {
  const files: Evidence[] = step.changes.map(fileEvidence);
  const exit = step.exit ? (step.exit.signal ?? `exit code ${step.exit.code}`) : 'no exit seen';
  const process: Evidence[] = step.process ? [{ kind: 'process', pid: step.process.id.pid, exit }] : [];
  const approvals = s.decisions
    .filter((d) => d.kind === 'approval' && d.stepId === step.id)
    .map((d): Evidence => ({ kind: 'approval', decisionId: d.id }));
  return [{ kind: 'step', stepId: step.id }, ...files, ...process, ...approvals];
}

const inWords = (step: Step): string =>
  step.changes.length > 0
    ? `${step.changes.map((c) => c.path).join(', ')}: ${step.effect}`
    : step.process
      ? `process ${step.process.id.pid}: ${step.effect}`
      : step.effect;

const isVerifiable = (step: Step): boolean => step.contract?.verifiable === true;

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

/** How the taking back of an effect ended. "Cancelled" is said of none: where nothing was done, that is said. */
function undoWords(s: RunState, own: Step): string {
  const undone = own.compensates === undefined ? undefined : stepOf(s, own.compensates);
  const what = `step ${undone?.n} "${undone?.title}"`;
  const waits = s.compensating?.waits;
  const waited = waits
    ? ` ${ASKED[waits.intent]} that came meanwhile waited for it${waits.forced ? ', until it was killed' : ''}.`
    : '';
  switch (own.outcome) {
    case 'done':
      return `Undone: ${what}, by step ${own.n}.${waited}`;
    case 'failed':
      return `Undoing ${what} was tried by step ${own.n} and failed: look at what is there now.${waited}`;
    case 'unknown':
      return `Undoing ${what} had been requested and what it did is unknown; human review needed.${waited}`;
    default: {
      const why = whyNotUndone(own);
      return `Not undone: ${what} stands, nothing was done${why === '' ? '' : `: ${why}`}.${waited}`;
    }
  }
}

const ASKED = { pause: 'The pause', steer: 'The stop', takeOver: 'The take over', abort: 'The abort' } as const;

/** What lives on, and what is not on disk: it is named wherever the run says how it stands. */
export function livesOn(s: RunState): string {
  const background = s.background.length
    ? ` In the background: ${s.background
        .map((id) => stepOf(s, id))
        .map((x) => (x ? `"${x.title}" (process ${x.process?.id.pid ?? '?'})` : ''))
        .join(', ')}.`
    : '';
  const servers = s.servers?.length
    ? ` Connected: ${s.servers.map(({ server, id }) => `MCP server ${server} (process ${id.pid})`).join(', ')}.`
    : '';
  const unstored = s.unstored === undefined ? '' : ` Not on disk yet (${s.unstored}).`;
  return `${survivorWords(s.survivors)}${background}${servers}${unstored}`;
}

/** `2 steps`; where not all of them ran, the last one and what became of them: `step 3 (1 done, 2 rejected)`. */
function stepsWords(s: RunState, done: number): string {
  const boundary = boundaryOf(s);
  const own = s.steps.filter((step) => step.n <= boundary && step.compensates === undefined);
  if (own.length === done) return plural(done, 'step');
  const counts = new Map<string, number>([['done', done]]);
  for (const step of own) {
    if (step.outcome === 'done' || step.outcome === 'failed') continue;
    const word = step.reason === 'rejected' ? 'rejected' : (NOT_DONE[step.outcome] ?? 'not done');
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return `step ${boundary} (${[...counts].map(([word, n]) => `${n} ${word}`).join(', ')})`;
}

const NOT_DONE: Readonly<Partial<Record<Step['outcome'], string>>> = {
  failedBeforeEffect: 'refused or failed before any effect',
  // A receipt says "cancelled" nowhere: beside a requested effect it would be misread.
  cancelledBeforeEffect: 'not run',
  skipped: 'skipped',
};

function message(s: RunState, intent: keyof typeof STOPPED, inFlight: Step | undefined, forced: boolean): string {
  const done = finishedSteps(s);
  const head = STOPPED[intent];
  const tail = livesOn(s);
  if (intent === 'compensate' && inFlight) return `${undoWords(s, inFlight)}${tail}`;
  if (s.frozen !== null) {
    const frozen = stepOf(s, s.frozen);
    return `${head}: step ${frozen?.n} "${frozen?.title}" is frozen in the middle, ${boundaryOf(s) === 0 ? 'before any other step' : `after ${stepsWords(s, done).replace(/^(\d+) step/, '$1 finished step')}`}.${tail}`;
  }
  const unknown = s.steps.filter((x) => x.outcome === 'unknown');
  const last = unknown.at(-1);
  if (last && s.inFlight?.kind === 'check')
    return `${head}: step ${last.n} "${last.title}" may have completed; it is being verified.${tail}`;
  if (last) {
    return `${head}: step ${last.n} "${last.title}" had been requested and what it did is unknown; human review needed.${forced ? ' It was killed.' : ''}${tail}`;
  }
  if (inFlight?.effect === 'committed') {
    return `${head}: step ${inFlight.n} "${inFlight.title}" had already completed.${tail}`;
  }
  const again = s.steps.find((x) => x.outcome === 'notStarted' && x.repeatOf !== undefined);
  if (again)
    return `${head} before step ${again.n} "${again.title}" ran again; what its first try did is not known.${tail}`;
  if (done === 0) return `${head} before any effect.${tail}`;
  return `${head} at a boundary after ${stepsWords(s, done)}.${tail}`;
}

/**
 * How a run that still rests in a stop stands now, in the words of a receipt: those of the stop itself as far as they are true
 * yet. The receipt stays true of its own moment.
 */
export function standsNow(s: RunState, { intent, effects, forced, message: then }: Receipt): string {
  if (intent === 'restore' || intent === 'undoRestore') return then;
  const flights = [undefined, ...effects.map((e) => stepOf(s, e.stepId))];
  return flights.some((step) => message(s, intent, step, forced) === then)
    ? then
    : message(s, intent, undefined, false);
}

/** Whether something that a receipt told of as alive is over by now. */
export const outlived = (s: RunState, { effects }: Receipt): boolean =>
  effects.some(({ stepId, outcome }) => {
    const inBackground = stepOf(s, stepId)?.process?.background === true;
    return inBackground ? !s.background.includes(stepId) : outcome === 'running' && s.frozen !== stepId;
  });

/** Whether the run can go on after it. */
const resumes = (s: RunState, intent: keyof typeof STOPPED): boolean => intent !== 'abort' && !isFinal(s.status);

/** What a restore did, in one line and file by file. */
export interface RestoreFacts {
  message: string;
  files: readonly Pick<RestoreFile, 'path' | 'before' | 'after' | 'link'>[];
}

/**
 * The receipt of a restore or of its undo: the stop the run rests in is told by its own. What is unknown of a step, and what
 * lives on, stays so.
 */
export function restoreReceipt(
  s: RunState,
  intent: 'restore' | 'undoRestore',
  { message: said, files }: RestoreFacts,
  at: number,
): Receipt {
  const { effects, evidence, ...rest } = makeReceipt(s, 'compensate', {
    at,
    phase: null,
    inFlight: undefined,
    forced: false,
  });
  const open = effects.filter(
    (e) => e.outcome === 'unknown' || e.stepId === s.frozen || s.background.includes(e.stepId),
  );
  const steps = evidence.filter((e) => e.kind === 'step' && open.some(({ stepId }) => stepId === e.stepId));
  return {
    ...{ ...rest, intent, effects: open, message: `${said}${livesOn(s)}` },
    evidence: [...files.map(fileEvidence), ...steps],
  };
}

/**
 * The receipt of a stop that has settled; pure. `inFlight`: the step that was in flight when the stop came; `phase`: what
 * the run was doing then. Recovery is the one furthest right of none, resume, verify, compensate, humanReview.
 */
export function makeReceipt(
  s: RunState,
  intent: keyof typeof STOPPED,
  facts: { at: number; phase: Phase | null; inFlight: Step | undefined; forced: boolean },
): Receipt {
  const boundary = boundaryOf(s);
  const undoable = resumes(s, intent) ? [] : compensable(s).map(({ step }) => step.id);
  const reported = s.steps.filter(
    (x) =>
      undoable.includes(x.id) ||
      (facts.inFlight?.compensates !== undefined && x.id === facts.inFlight.compensates) ||
      x.id === facts.inFlight?.id ||
      x.outcome === 'unknown' ||
      x.id === s.frozen ||
      (x.n === boundary && x.outcome !== 'notStarted') ||
      s.background.includes(x.id),
  );
  const unknown = reported.filter((x) => x.outcome === 'unknown');
  const resumable = resumes(s, intent);
  const review: Recovery = resumable && unknown.every(isVerifiable) ? 'verify' : 'humanReview';
  // While the run can go on, that is the plan; once it has ended, what it did can still be taken back.
  const ended: Recovery = undoable.length > 0 ? 'compensate' : 'none';
  const recovery: Recovery = unknown.length > 0 ? review : resumable ? 'resume' : ended;
  const expired = s.decisions.filter((d) => d.state === 'expired').map((d) => d.id);
  return {
    id: `${s.runId}/r${s.receipts.length + 1}`,
    intent,
    forced: facts.forced,
    at: facts.at,
    phase: facts.phase,
    boundary,
    effects: reported.map((x) => ({
      stepId: x.id,
      n: x.n,
      tool: x.tool,
      title: x.title,
      outcome: x.outcome,
      effect: x.effect,
      evidence: inWords(x),
    })),
    authority: authorityOf(s, intent),
    evidence: reported.flatMap((x) => evidenceOf(s, x)),
    recovery,
    resume: { allowed: resumable, checkpoint: boundary, expiredApprovals: expired },
    message: message(s, intent, facts.inFlight, facts.forced),
  };
}
