/** Resume and Hand Back. */
import type { ResumeResult } from '../api';
import type { Refusal } from '../errors';
import { FINAL_WORDS, refuse } from '../refusals';
import type { RunRegistry, Target } from '../registry';
import { isResting, isWaiting } from '../run/load';
import { isFinal, type RunState } from '../run/state';
import { pendingDecisions } from '../run/update';

export async function goOn(
  runs: RunRegistry,
  target: Target,
  via: 'resume' | 'handBack',
  note?: string,
): Promise<ResumeResult | Refusal> {
  const run = await runs.target(target);
  if ('refused' in run) return run;
  const { runId } = run.state;
  const refusal = await runs.inTurn(async () => {
    const cannot = cannotGoOn(run.state, via) ?? (isResting(run.state.status) ? runs.busy(runId) : undefined);
    // Folded before the next one's turn: it sees this run at work.
    if (!cannot) await run.dispatch({ type: 'resumeRequested', via, ...(note ? { note } : {}) });
    return cannot;
  });
  if (refusal) return refusal;
  const settled = await runs.until(run, (s) => s.status !== 'reconciling' && s.status !== 'stopping');
  const waiting = isWaiting(settled.status) || settled.status === 'paused';
  return { runId, reconcile: settled.report, waitsFor: waiting ? pendingDecisions(settled).map((d) => d.id) : [] };
}

function cannotGoOn({ status }: RunState, via: 'resume' | 'handBack'): Refusal | undefined {
  if (isFinal(status)) return refuse('final', FINAL_WORDS[status] ?? '');
  if (status === 'stopping')
    return refuse('notYet', 'The run is still stopping. Wait for its receipt, or use Force Stop.');
  if (via === 'resume' && status === 'humanControl')
    return refuse('humanControl', 'You have control. Hand Back gives it to the agent.');
  if (via === 'handBack' && status === 'paused')
    return refuse('notHumanControl', 'The run is paused. Resume lets it go on.');
  return undefined;
}
