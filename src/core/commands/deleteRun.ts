/** Delete Run: its storage goes, the files of the workspace stay. */
import type { Refusal } from '../errors';
import { refuse } from '../refusals';
import type { RunRegistry, Target } from '../registry';
import { isActive, isWaiting } from '../run/load';

export async function deleteRun(runs: RunRegistry, target: { runId: string }): Promise<{ deleted: true } | Refusal> {
  if (typeof (target as unknown as Target)?.runId !== 'string')
    return refuse('badArgument', 'Deleting needs the id of a run.');
  const run = await runs.target(target);
  if ('refused' in run) return run;
  if (isActive(run.state.status) || isWaiting(run.state.status) || run.state.frozen !== null) {
    return refuse('busy', 'The run is at work. Abort it first.');
  }
  await runs.remove(run);
  return { deleted: true };
}
