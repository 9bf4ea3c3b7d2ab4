/** Receipts: the structured end of a stop, and the one line that says which of the realities holds. */
import type { Authority, Evidence, Phase, Receipt, ReceiptIntent, Recovery, RunState, Step } from './state';
import { survivorWords } from './survivors';
import { stepOf } from './update';

const STOPPED: Record<ReceiptIntent, string> = {
  pause: 'Paused',
  steer: 'Stopped for your note',
  takeOver: 'You have control',
  abort: 'Aborted',
  interrupted: 'Interrupted: the process that ran it ended',
};

const AUTHORITY: Record<ReceiptIntent, Authority> = {
  pause: 'full',
  steer: 'full',
  takeOver: 'closing',
  abort: 'revoked',
  interrupted: 'full',
};

/** Number of the last step that has an outcome and no successor without one: the checkpoint. 0: the start. */
export function boundaryOf(s: RunState): number {
  for (let i = s.steps.length - 1; i >= 0; i -= 1) {
    const step = s.steps[i];
    if (step && !['notStarted', 'running', 'unknown'].includes(step.outcome)) return step.n;
  }
  return 0;
}

function evidenceOf(step: Step): Evidence[] {
  const files: Evidence[] = step.changes.map((c) => ({ kind: 'file', path: c.path, before: c.before, after: c.after }));
  const exit = step.exit ? (step.exit.signal ?? `exit code ${step.exit.code}`) : 'no exit seen';
  const process: Evidence[] = step.process ? [{ kind: 'process', pid: step.process.id.pid, exit }] : [];
  return [{ kind: 'step', stepId: step.id }, ...files, ...process];
}

const inWords = (step: Step): string =>
  step.changes.length > 0
    ? `${step.changes.map((c) => c.path).join(', ')}: ${step.effect}`
    : step.process
      ? `process ${step.process.id.pid}: ${step.effect}`
      : step.effect;

const isVerifiable = (step: Step): boolean => step.contract?.verifiable === true;

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;

function message(s: RunState, intent: ReceiptIntent, inFlight: Step | undefined, forced: boolean): string {
  const done = s.steps.filter((x) => x.outcome === 'done' || x.outcome === 'failed').length;
  const head = STOPPED[intent];
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
  const tail = `${survivorWords(s.survivors)}${background}${servers}${unstored}`;
  if (s.frozen !== null) {
    const frozen = stepOf(s, s.frozen);
    return `${head}: step ${frozen?.n} "${frozen?.title}" is frozen in the middle, after ${plural(done, 'finished step')}.${tail}`;
  }
  const unknown = s.steps.filter((x) => x.outcome === 'unknown');
  const last = unknown.at(-1);
  if (last && intent !== 'abort' && unknown.every(isVerifiable))
    return `${head}: step ${last.n} "${last.title}" may have completed; it is being verified.${tail}`;
  if (last) {
    return `${head}: step ${last.n} "${last.title}" had been requested and what it did is unknown; human review needed.${forced ? ' It was killed.' : ''}${tail}`;
  }
  if (inFlight?.effect === 'committed') {
    return `${head}: step ${inFlight.n} "${inFlight.title}" had already completed.${tail}`;
  }
  if (done === 0) return `${head} before any effect.${tail}`;
  return `${head} at a boundary after ${plural(done, 'step')}.${tail}`;
}

/**
 * The receipt of a stop that has settled; pure. `inFlight`: the step that was in flight when the stop came; `phase`: what
 * the run was doing then. Recovery is the one furthest right of none, resume, verify, compensate, humanReview.
 */
export function makeReceipt(
  s: RunState,
  intent: ReceiptIntent,
  facts: { at: number; phase: Phase | null; inFlight: Step | undefined; forced: boolean },
): Receipt {
  const boundary = boundaryOf(s);
  const reported = s.steps.filter(
    (x) =>
      x.id === facts.inFlight?.id ||
      x.outcome === 'unknown' ||
      x.id === s.frozen ||
      (x.n === boundary && x.outcome !== 'notStarted') ||
      s.background.includes(x.id),
  );
  const unknown = reported.filter((x) => x.outcome === 'unknown');
  const resumable = intent !== 'abort';
  const review: Recovery = resumable && unknown.every(isVerifiable) ? 'verify' : 'humanReview';
  const recovery: Recovery = unknown.length > 0 ? review : resumable ? 'resume' : 'none';
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
    authority: AUTHORITY[intent],
    evidence: reported.flatMap(evidenceOf),
    recovery,
    resume: { allowed: resumable, checkpoint: boundary, expiredApprovals: expired },
    message: message(s, intent, facts.inFlight, facts.forced),
  };
}
