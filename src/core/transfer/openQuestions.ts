/**
 * Open questions of a run that comes from elsewhere. An answer lets something happen, and what is asked there was written there:
 * so only what lets nothing happen unseen stays, in the words of this machine. All else is asked anew when its turn comes. Pure.
 */
import { unknownRequest } from '../run/flow';
import type { Decision, DecisionRequest, RunState, Step } from '../run/state';
import { pendingDecisions, say, stepOf } from '../run/update';
import { titleOf } from '../titles';
import { questionOf } from '../tools/others';
import { ARGS } from '../tools/args';

/** A call that is longer is not shown whole; and what is not shown whole is not repeated at a click. */
const SHOWN = 8_000;

const call = ({ tool, args }: Step): string => {
  const { command, cwd } = (args ?? {}) as { command?: unknown; cwd?: unknown };
  if (tool !== 'run_command' || typeof command !== 'string') return `${tool} ${JSON.stringify(args ?? null)}`;
  return typeof cwd === 'string' && cwd !== '' ? `${command}\nin ${cwd}` : command;
};

const ELSEWHERE = 'This step was made on another machine; what it did there is not known here. It was called with:';

function askedUnknown(step: Step): DecisionRequest {
  const { choices, ...asked } = unknownRequest({ ...step, title: titleOf(step.tool, step.args) });
  const text = call(step);
  const whole = text.length <= SHOWN;
  return {
    ...asked,
    detail: `${ELSEWHERE}\n${whole ? text : `${text.slice(0, SHOWN)}…`}`,
    choices: whole ? choices : choices.filter(({ id }) => id !== 'runAgain'),
  };
}

/** As this machine asks it; undefined: it is not asked, or not before its step has its turn. */
function askedHere(decision: Decision, step: Step | undefined): DecisionRequest | undefined {
  if (!step || decision.source !== undefined) return undefined;
  if (decision.kind === 'unknownEffect')
    return step.outcome === 'unknown' && step.effect === 'unknown' ? askedUnknown(step) : undefined;
  if (decision.kind !== 'question' || step.tool !== 'ask_human' || step.outcome !== 'notStarted') return undefined;
  const args = ARGS.ask_human.safeParse(step.args);
  return args.success ? questionOf(step, args.data) : undefined;
}

/** Questions keep their ids: a list of them stands for what was asked when. */
export function askAnew(s: RunState, at: number): void {
  let withdrawn = 0;
  const open = new Set(pendingDecisions(s));
  s.decisions = s.decisions.map((decision): Decision => {
    if (!open.has(decision)) return decision;
    const { id, openedAt } = decision;
    const asked = askedHere(decision, stepOf(s, decision.stepId ?? ''));
    if (asked) return { ...asked, id, openedAt, state: 'pending' };
    withdrawn += 1;
    return { ...decision, state: 'withdrawn' };
  });
  if (withdrawn === 0) return;
  const what = withdrawn === 1 ? 'A question that was' : `${withdrawn} questions that were`;
  const text = `${what} open on the other machine cannot be answered here: what still needs an answer is asked anew when its step has its turn.`;
  say(s, { kind: 'remark', text, at });
}
