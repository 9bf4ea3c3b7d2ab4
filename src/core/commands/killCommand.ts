/** Kill This Command: ends one running, frozen or background command and keeps the run. */
import type { KillResult } from '../api';
import type { Refusal } from '../errors';
import { refuse } from '../refusals';
import type { RunRegistry } from '../registry';
import { livingCommands } from '../run/kill';
import { stepOf } from '../run/update';

/** Settles when the command's whole tree is dead, or what could not be ended is named. */
export async function killCommand(
  runs: RunRegistry,
  target: { runId?: string; stepId?: string } | undefined,
): Promise<KillResult | Refusal> {
  const given: unknown = target?.stepId;
  if (given !== undefined && typeof given !== 'string')
    return refuse('badArgument', 'A command is named by the id of its step.');
  const runId = target?.runId ?? given?.slice(0, given.lastIndexOf('/s'));
  const run = await runs.target(runId === undefined ? undefined : { runId });
  if ('refused' in run) return run;
  const living = livingCommands(run.state);
  // Without a name the one the run waits for is meant, else the last one in the background.
  const step = given === undefined ? living.at(-1) : living.find((one) => one.id === given);
  if (!step) return refuse('noCommand', 'No such command runs now; nothing was ended.');
  const { id: stepId } = step;
  await run.dispatch({ type: 'killRequested', stepId });
  const after = await runs.until(run, (s) => !livingCommands(s).some((one) => one.id === stepId));
  const { outcome, effect } = stepOf(after, stepId) ?? step;
  return { runId: after.runId, stepId, outcome, effect, survivors: after.survivors };
}
