/** The answer of the human to an open question. */
import type { Refusal } from '../errors';
import { isTextOrNone, NOT_STORED, refuse, SETTLED } from '../refusals';
import type { RunRegistry } from '../registry';
import type { Ports } from '../ports';
import { charsetAt } from '../reconcile/charset';
import { decode } from '../reconcile/text';
import { textsOf, typedNow } from '../reconcile/unsaved';
import type { RunController } from '../run/controller';
import type { RunEvent } from '../run/events';
import { isFinal, type Decision, type DecisionState, type InFlight, type RunState } from '../run/state';
import { outlivesStop } from '../run/update';
import { byHand } from '../tools/write';

/** Said before the answer counts: the question stays open, and with it the human's text. */
async function cannotBeWritten(ports: Ports, { change, path }: Decision, text: string): Promise<string | undefined> {
  const bytes = change?.before && path !== undefined ? await ports.store.blobs.get(change.before) : undefined;
  const view = bytes && decode(bytes, await charsetAt(ports.buffers, path ?? ''));
  const mine = byHand(text, view);
  return 'why' in mine ? mine.why : undefined;
}

export async function decide(
  runs: RunRegistry,
  answer: { decisionId: string; choice: string; text?: string },
): Promise<{ state: string } | Refusal> {
  const { decisionId, choice, text } = (answer as Partial<typeof answer> | undefined) ?? {};
  if (typeof decisionId !== 'string' || typeof choice !== 'string')
    return refuse('badArgument', 'A decision needs its id and a choice.');
  if (!isTextOrNone(text)) return refuse('badArgument', 'What goes with an answer is a text; nothing was answered.');
  // Before anything is waited for: what is typed after the answer is not what it was about.
  const typed = typedNow(runs.ports);
  const run = await runs.target({ runId: decisionId.slice(0, decisionId.lastIndexOf('/d')) });
  if ('refused' in run)
    return refuse('noDecision', 'That question is not known: look at the run for what is open now.');
  const decision = run.state.decisions.find((d) => d.id === decisionId);
  if (!decision) return refuse('noDecision', 'That question is not known: look at the run for what is open now.');
  if (decision.state !== 'pending') return refuse('noDecision', SETTLED[decision.state]);
  if (choice === 'runAgain' && decision.kind === 'unknownEffect' && isFinal(run.state.status))
    return refuse('badChoice', 'The run is over: nothing of it runs again. Say whether it happened.');
  if (run.state.stopping && run.state.stopping.intent !== 'steer' && !outlivesStop(decision))
    return refuse('noDecision', SETTLED.withdrawn);
  const step = run.state.steps.find((s) => s.id === decision.stepId);
  const isText = step?.tool === 'write_file' || step?.tool === 'edit_file';
  const named =
    decision.choices.some((c) => c.id === choice) ||
    // Not offered where nothing can be compared; asked for all the same it answers that.
    (decision.kind === 'unknownEffect' && choice === 'check') ||
    (decision.kind === 'approval' && choice === 'edit' && isText && text !== undefined);
  if (!named && !(decision.kind === 'question' && decision.freeText)) {
    return refuse(
      'badChoice',
      `"${choice}" is no answer to that; use one of: ${decision.choices.map((c) => c.id).join(', ')}.`,
    );
  }
  if (choice === 'edit' && text !== undefined) {
    const why = await cannotBeWritten(runs.ports, decision, text);
    if (why !== undefined) return refuse('badArgument', `${why} Nothing was answered.`);
  }
  const words = text === undefined ? {} : { text };
  const seen = decision.kind === 'unsaved' ? { seen: textsOf(runs.ports, typed, decision.paths ?? []) } : {};
  const event = { type: 'decisionAnswered', decisionId, choice, ...words, ...seen } as const;
  const takesTime = decision.source === 'command' || (decision.kind === 'unknownEffect' && choice === 'check');
  return takesTime ? offerInTurn(runs, run, event) : offer(run, event);
}

type Answered = Extract<RunEvent, { type: 'decisionAnswered' }>;

async function offer(run: RunController, event: Answered): Promise<{ state: string } | Refusal> {
  const folded = await run.offer(event);
  if (!folded) return refuse('storage', NOT_STORED);
  const { state: before } = stateIn(folded.before, event.decisionId);
  const { state } = stateIn(folded.after, event.decisionId);
  // Another answer, or a stop, was quicker by a breath.
  if (before !== 'pending') return refuse('noDecision', SETTLED[before]);
  return state === 'pending' ? refuse('noDecision', SETTLED.withdrawn) : { state };
}

const BUSY = 'Something of the run is in flight: answer again when that is over.';

/** Something is looked up, or put in place, before the answer counts: one at a time, and none is dropped for another. */
async function offerInTurn(
  runs: RunRegistry,
  run: RunController,
  event: Answered,
): Promise<{ state: string } | Refusal> {
  for (;;) {
    const now = run.state;
    if (isLooking(now) && now.inFlight.decisionId === event.decisionId)
      return isOther(now.inFlight, event)
        ? refuse('busy', 'Another answer to that is just being put in place: nothing was done with this one.')
        : stateIn(now, event.decisionId);
    const { inFlight, decisions } = await runs.until(run, (s) => !isLooking(s));
    const decision = decisions.find((d) => d.id === event.decisionId);
    if (decision && decision.state !== 'pending') return refuse('noDecision', SETTLED[decision.state]);
    if (inFlight) return refuse('busy', BUSY);
    const folded = await run.offer(event);
    if (!folded) return refuse('storage', NOT_STORED);
    // Where another answer was quicker, this one has its turn after it.
    if (isLooking(folded.before)) continue;
    return folded.before.inFlight ? refuse('busy', BUSY) : stateIn(folded.after, event.decisionId);
  }
}

/** Not the same answer said twice. */
const isOther = (inFlight: Looking['inFlight'], { choice }: Answered): boolean =>
  inFlight.kind === 'takeSide' && (choice === 'edit' || choice !== inFlight.choice);

type Looking = RunState & { inFlight: Extract<InFlight, { kind: 'check' | 'takeSide' }> };

const isLooking = (s: RunState): s is Looking => s.inFlight?.kind === 'check' || s.inFlight?.kind === 'takeSide';

const stateIn = (s: RunState, decisionId: string): { state: DecisionState } => ({
  state: s.decisions.find((d) => d.id === decisionId)?.state ?? 'pending',
});
