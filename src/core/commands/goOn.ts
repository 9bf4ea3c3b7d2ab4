/** Resume and Hand Back. */
import type { ResumeResult } from '../api';
import type { Refusal } from '../errors';
import { FINAL_WORDS, isTextOrNone, NO_RUN, NOT_STORED, refuse, UNDOING } from '../refusals';
import type { Preparing, RunRegistry, Target } from '../registry';
import type { RunController } from '../run/controller';
import { isFinal, type RunState, isResting, isWaiting } from '../run/state';
import { pendingDecisions } from '../run/update';

export async function goOn(
  runs: RunRegistry,
  target: Target,
  via: 'resume' | 'handBack',
  note?: string,
): Promise<ResumeResult | Refusal> {
  if (!isTextOrNone(note)) return refuse('badArgument', 'A note is a text.');
  const preparing = runs.prepare(target);
  try {
    const run = await runs.target(target);
    if ('refused' in run) return run;
    const refusal = await runs.inTurn(() => ask(runs, run, preparing.mark, { via, ...(note ? { note } : {}) }));
    if (refusal) return refusal;
    const settled = await runs.until(run, (s) => s.status !== 'reconciling' && s.status !== 'stopping');
    const waiting = isWaiting(settled.status) || settled.status === 'paused';
    return {
      runId: settled.runId,
      reconcile: settled.report,
      waitsFor: waiting ? pendingDecisions(settled).map((d) => d.id) : [],
    };
  } finally {
    preparing.done();
  }
}

/** In turn, and folded before the next one's: that one sees this run at work. */
async function ask(
  runs: RunRegistry,
  run: RunController,
  mark: Preparing,
  how: { via: 'resume' | 'handBack'; note?: string },
): Promise<Refusal | undefined> {
  // A stop of the same breath is folded by now.
  await run.idle();
  if (run.closed) return refuse('noRun', NO_RUN);
  const { state } = run;
  const cannot = cannotGoOn(state, how.via);
  if (cannot) return cannot;
  if (mark.overtaken || (how.note !== undefined && state.status !== 'humanControl')) {
    // A stop has the last word, or it goes on already: what the human said is kept all the same.
    if (how.note === undefined) return undefined;
    const kept = await run.offer({ type: 'noteAdded', text: how.note, now: false });
    return kept ? undefined : refuse('storage', NOT_STORED);
  }
  const busy = isResting(state.status) ? runs.busy(state.runId) : undefined;
  if (busy) return busy;
  return (await run.offer({ type: 'resumeRequested', ...how })) ? undefined : refuse('storage', NOT_STORED);
}

function cannotGoOn({ status, compensating }: RunState, via: 'resume' | 'handBack'): Refusal | undefined {
  if (isFinal(status)) return refuse('final', FINAL_WORDS[status] ?? '');
  if (compensating) return refuse('busy', UNDOING);
  if (status === 'stopping')
    return refuse('notYet', 'The run is still stopping. Wait for its receipt, or use Force Stop.');
  if (via === 'resume' && status === 'humanControl')
    return refuse('humanControl', 'You have control. Hand Back gives it to the agent.');
  if (via === 'handBack' && status === 'paused')
    return refuse('notHumanControl', 'The run is paused. Resume lets it go on.');
  return undefined;
}
