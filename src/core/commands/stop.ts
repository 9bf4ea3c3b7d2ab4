/** Pause, Abort, Take Over, and Force Stop where one of them does not settle. */
import type { Refusal } from '../errors';
import { FINAL_WORDS, refuse } from '../refusals';
import type { RunRegistry, Target } from '../registry';
import type { RunController } from '../run/controller';
import { lastStop } from '../run/stops';
import { survivorWords } from '../run/survivors';
import { isActive, isWaiting, isFinal, type Receipt, type StopIntent } from '../run/state';

export async function stop(runs: RunRegistry, target: Target, intent: StopIntent): Promise<Receipt | Refusal> {
  runs.overtake(target);
  const making = runs.inTheMaking(target);
  if (making) await making;
  const run = await runs.target(target);
  if ('refused' in run) return run;
  const { state } = run;
  if (state.compensating) return waitForUndo(runs, run, intent);
  if (isFinal(state.status) && !(state.status === 'aborted' && intent === 'abort')) {
    const ended = intent === 'abort' ? await endBackground(runs, run) : '';
    return refuse('final', `${FINAL_WORDS[state.status] ?? ''}${ended}`);
  }
  await run.dispatch({ type: 'stopRequested', intent });
  const settled = await runs.until(run, (s) => !isActive(s.status) && !isWaiting(s.status));
  if (isFinal(settled.status) && settled.status !== 'aborted')
    return refuse('final', FINAL_WORDS[settled.status] ?? '');
  // Repeating an intent is success: the receipt there is, whichever press made it.
  const receipt = lastStop(settled);
  return receipt ?? refuse('final', FINAL_WORDS[settled.status] ?? 'The run had already ended.');
}

/** A compensation is not cut in the middle: the stop waits for it, and the receipt says so. */
async function waitForUndo(runs: RunRegistry, run: RunController, intent: StopIntent): Promise<Receipt | Refusal> {
  await run.dispatch({ type: 'stopRequested', intent });
  const settled = await runs.until(run, (s) => !s.compensating && !isActive(s.status));
  return settled.receipts.at(-1) ?? refuse('final', FINAL_WORDS[settled.status] ?? 'The run had already ended.');
}

/** A run that is over may have left commands in the background: an abort ends those, and says so. */
async function endBackground(runs: RunRegistry, run: RunController): Promise<string> {
  const ids = run.state.background;
  if (ids.length === 0) return '';
  await run.dispatch(...ids.map((stepId) => ({ type: 'killRequested' as const, stepId })));
  const { survivors } = await runs.until(run, (s) => !s.background.some((id) => ids.includes(id)));
  return ` What it had left in the background was ended.${survivorWords(survivors)}`;
}

/** Kills at once what a stop still waits for. */
export async function forceStop(runs: RunRegistry, target: Target): Promise<Receipt | Refusal> {
  const run = await runs.target(target);
  if ('refused' in run) return run;
  // The stop it follows may have come in the same breath.
  await run.idle();
  if (run.state.status !== 'stopping' && !run.state.compensating?.waits)
    return refuse('notStopping', 'Nothing is being stopped. Use Pause or Abort first.');
  await run.dispatch({ type: 'forceRequested' });
  const settled = await runs.until(run, (s) => !isActive(s.status) && !s.compensating);
  return settled.receipts.at(-1) ?? refuse('final', 'The run had already ended.');
}
