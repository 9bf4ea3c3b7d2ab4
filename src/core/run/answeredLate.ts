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

/** The answers that are about tries before the last one. */
const formerOf = (step: Step): readonly LateAnswer[] => {
  const { late, lateBefore = [] } = step;
  return late && !ofThisTry(step) ? [...lateBefore, late] : lateBefore;
};

const evidence = (step: Step, answer: LateAnswer): string =>
  formerOf(step).includes(answer) ? `Of a try before this one: ${lateWords(answer)}` : lateWords(answer);

/** `detail` of a question whether the step happened, with what its server has said since. */
export function withLate(step: Step | undefined, detail: string): string {
  const answers = step ? [...(step.lateBefore ?? []), ...(step.late ? [step.late] : [])] : [];
  return [detail, ...answers.flatMap((one) => (step ? [evidence(step, one)] : []))].join('\n\n');
}

/** What the answers say that the step is not taken for. */
function corrections(step: Step): string[] {
  const { late, n, title, outcome } = step;
  const which = `Step ${n} (${title})`;
  const former = formerOf(step)
    .filter(({ isError }) => !isError)
    .map((one) => `${which}: the call that was cut before it was run again did happen. ${lateWords(one)}`);
  if (!late || !ofThisTry(step)) return former;
  if (!late.isError && outcome === 'failedBeforeEffect')
    former.push(`${which} was taken not to have happened. It did happen. ${lateWords(late)}`);
  if (late.isError && outcome === 'done')
    former.push(`${which} was taken to have happened. How much of it was done is not known. ${lateWords(late)}`);
  return former;
}

/** Has the run told of it before its next request, where it contradicts what the step is taken for. */
export function noteLate(s: RunState, stepId: string): void {
  const step = stepOf(s, stepId);
  if (step && corrections(step).length > 0 && !s.untold?.includes(stepId)) s.untold = [...(s.untold ?? []), stepId];
}

/** Of several tries each has its answer, whichever comes first. */
function withAnswer({ late, lateBefore = [] }: Step, answer: LateAnswer): Pick<Step, 'late' | 'lateBefore'> {
  const others = [...lateBefore, ...(late ? [late] : [])].filter(({ since }) => since !== answer.since);
  const all = [...others, answer].sort((a, b) => a.since - b.since);
  const last = all.pop() ?? answer;
  return { late: last, ...(all.length > 0 ? { lateBefore: all } : {}) };
}

/** A playbook cannot read, and a run that is over asks no more: there it is for the human alone. */
export function tellLate(s: RunState, at: number): void {
  const kind = s.model.fixed || isFinal(s.status) ? 'remark' : 'report';
  for (const id of s.untold ?? []) {
    const step = stepOf(s, id);
    for (const text of step ? corrections(step) : []) {
      // A fork may have it from before, and of an earlier try it was told in its time.
      const known = s.transcript.some((e) => (e.kind === 'report' || e.kind === kind) && e.text === text);
      if (!known) say(s, { kind, text, at });
    }
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
  setStep(s, stepId, withAnswer(step, answer));
  const now = stepOf(s, stepId);
  const open = pendingDecisions(s).find((d) => d.kind === 'unknownEffect' && d.stepId === stepId);
  if (open && now) setDecision(s, open.id, { detail: `${open.detail}\n\n${evidence(now, answer)}` });
  noteLate(s, stepId);
  if (isFinal(s.status)) tellLate(s, at);
  return [];
}
