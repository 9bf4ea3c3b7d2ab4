/** Undo a Step: an act of the human; its compensation runs as a step of its own. */
import { undoneWords } from '../checkpoints/undone';
import type { Refusal } from '../errors';
import { NOT_STORED, refuse, UNDOING } from '../refusals';
import type { RunRegistry } from '../registry';
import { compensable, mayCompensate } from '../run/compensable';
import type { RunController } from '../run/controller';
import { isActive, isWaiting, type Receipt, type RunState } from '../run/state';

/**
 * Settles with the receipt of the compensation, or at once where it waits for an answer (an approval): then with that
 * decision's id. Without `stepId`: the last step that can be undone.
 */
export async function compensate(
  runs: RunRegistry,
  target: { runId?: string; stepId?: string } | undefined,
): Promise<Receipt | { waitsFor: string[] } | Refusal> {
  const given: unknown = target?.stepId;
  if (given !== undefined && typeof given !== 'string')
    return refuse('badArgument', 'A step is named by its id; nothing was undone.');
  const runId = target?.runId ?? given?.slice(0, given.lastIndexOf('/s'));
  const run = await runs.target(runId === undefined ? undefined : { runId });
  if ('refused' in run) return run;
  const started = await runs.inTurn(() => begin(runs, run, given));
  if ('refused' in started) return started;
  const { stepId } = started;
  const open = (s: RunState): string[] =>
    s.decisions.flatMap((d) => (d.stepId === stepId && d.state === 'pending' ? [d.id] : []));
  const isUnder = (s: RunState): boolean => s.compensating?.stepId === stepId;
  const settled = await runs.until(run, (s) => !isUnder(s) || (s.inFlight === null && open(s).length > 0));
  const receipt = settled.receipts.findLast(
    (r) => r.intent === 'compensate' && r.evidence.some((e) => e.kind === 'step' && e.stepId === stepId),
  );
  return isUnder(settled) || !receipt ? { waitsFor: open(settled) } : receipt;
}

/** Of a run at rest. */
function whyNot({ frozen, inFlight }: RunState): string {
  if (frozen !== null) return 'A command of the run is frozen in the middle. Resume or abort it first, then undo.';
  if (inFlight?.kind === 'check') return 'What a step did is just being looked up. Undo when that is done.';
  if (inFlight?.kind === 'takeSide') return 'Your answer is just being put in place. Undo when that is done.';
  return 'Something of the run is in flight. Undo when that is over.';
}

/** In turn with resume, start and restore: nothing else takes hold of the workspace meanwhile. */
async function begin(
  runs: RunRegistry,
  run: RunController,
  wanted: string | undefined,
): Promise<{ stepId: string } | Refusal> {
  await run.idle();
  const { state } = run;
  if (state.compensating) return refuse('busy', UNDOING);
  if (isActive(state.status) || isWaiting(state.status))
    return refuse('busy', 'The run is at work. Pause or abort it first, then undo.');
  if (!mayCompensate(state)) return refuse('busy', whyNot(state));
  const busy = runs.busy(state.runId);
  if (busy) return busy;
  const all = compensable(state);
  const found = wanted === undefined ? all[0] : all.find(({ step }) => step.id === wanted);
  const undone = state.steps.find((step) => step.id === wanted && step.undone);
  if (!found && undone)
    return refuse('badArgument', `${undoneWords(undone, state.forkedFrom?.runId)} Nothing was undone again.`);
  if (!found)
    return refuse(
      'badArgument',
      'There is nothing to undo there: no effect, no compensation named for it, or it was undone already. Files go back with Restore Files.',
    );
  const folded = await run.offer({ type: 'compensateRequested', stepId: found.step.id });
  const own = folded?.after.compensating;
  return own ? { stepId: own.stepId } : refuse('storage', NOT_STORED);
}
