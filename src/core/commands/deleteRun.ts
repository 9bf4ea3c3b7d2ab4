/** Delete Run: its storage goes, the files of the workspace stay. */
import { isActive, isWaiting } from '../run/state';
import type { Refusal } from '../errors';
import { NO_RUN, refuse } from '../refusals';
import type { RunRegistry, Target } from '../registry';
import type { RunController } from '../run/controller';

/** `freed` is called when it is gone: contents may be nobody's now. */
export async function deleteRun(
  runs: RunRegistry,
  target: { runId: string },
  freed: () => void,
): Promise<{ deleted: true } | Refusal> {
  if (typeof (target as unknown as Target)?.runId !== 'string')
    return refuse('badArgument', 'Deleting needs the id of a run.');
  const run = await runs.target(target);
  if ('refused' in run) return run;
  const answer = await runs.inTurn(() => remove(runs, run));
  if ('deleted' in answer) freed();
  return answer;
}

/** In turn: a resume that came before has the run at work, one that comes after finds none. */
async function remove(runs: RunRegistry, run: RunController): Promise<{ deleted: true } | Refusal> {
  await run.idle();
  if (run.closed) return refuse('noRun', NO_RUN);
  if (
    isActive(run.state.status) ||
    isWaiting(run.state.status) ||
    run.state.frozen !== null ||
    run.state.compensating
  ) {
    return refuse('busy', 'The run is at work. Abort it first.');
  }
  await runs.remove(run);
  return { deleted: true };
}
