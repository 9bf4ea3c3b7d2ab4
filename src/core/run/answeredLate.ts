/**
 * The answer of a server to a call that had been cut or given up. It settles nothing by itself and has no effect: it is evidence
 * for a question that is open, and told where it contradicts what the step was taken for. Pure.
 */
import type { LateAnswer } from '../tools/toolServers';
import type { Effect, RunEvent } from './events';
import { isFinal, type RunState, type Step } from './state';
import { pendingDecisions, say, setDecision, setStep, stepOf } from './update';

const ofThisTry = ({ late, startedAt = 0, outcome }: Step): boolean =>
  late !== undefined && outcome !== 'notStarted' && late.since >= startedAt;

const lateWords = ({ isError, text }: LateAnswer): string =>
  `Its server answered after all, ${isError ? 'with an error' : 'and without an error'}: ${text}`;

/** `detail` of a question whether the step happened, with what its server has said since. */
export const withLate = (step: Step | undefined, detail: string): string =>
  step?.late && ofThisTry(step) ? `${detail}\n\n${lateWords(step.late)}` : detail;

/** undefined: the answer says nothing that the step is not taken for. */
function correction(step: Step): string | undefined {
  const { late, n, title, outcome } = step;
  if (!late) return undefined;
  const which = `Step ${n} (${title})`;
  if (!ofThisTry(step))
    return late.isError
      ? undefined
      : `${which}: the call that was cut before it was run again did happen. ${lateWords(late)}`;
  if (!late.isError && outcome === 'failedBeforeEffect')
    return `${which} was taken not to have happened. It did happen. ${lateWords(late)}`;
  if (late.isError && outcome === 'done')
    return `${which} was taken to have happened. How much of it was done is not known. ${lateWords(late)}`;
  return undefined;
}

/** Has the run told of it before its next request, where it contradicts what the step is taken for. */
export function noteLate(s: RunState, stepId: string): void {
  const step = stepOf(s, stepId);
  if (step && correction(step) !== undefined && !s.untold?.includes(stepId)) s.untold = [...(s.untold ?? []), stepId];
}

/** A playbook cannot read, and a run that is over asks no more: there it is for the human alone. */
export function tellLate(s: RunState, at: number): void {
  const kind = s.model.fixed || isFinal(s.status) ? 'remark' : 'report';
  for (const id of s.untold ?? []) {
    const step = stepOf(s, id);
    const text = step && correction(step);
    // A fork may have it from before.
    const known = s.transcript.some((entry) => entry.kind === 'report' && entry.text === text);
    if (text !== undefined && !known) say(s, { kind, text, at });
  }
  delete s.untold;
}

export function onAnsweredLate(
  s: RunState,
  { stepId, answer }: Extract<RunEvent, { type: 'answeredLate' }>,
  at: number,
): Effect[] {
  const step = stepOf(s, stepId);
  if (!step || step.effectKind === 'none') return [];
  setStep(s, stepId, { late: answer });
  const open = pendingDecisions(s).find((d) => d.kind === 'unknownEffect' && d.stepId === stepId);
  if (open) setDecision(s, open.id, { detail: withLate(stepOf(s, stepId), open.detail) });
  noteLate(s, stepId);
  if (isFinal(s.status)) tellLate(s, at);
  return [];
}
