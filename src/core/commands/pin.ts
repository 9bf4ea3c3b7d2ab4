/** Pin and unpin: a pinned run is not removed to make room. */
import type { Refusal } from '../errors';
import { refuse } from '../refusals';
import type { RunRegistry } from '../registry';

export async function pinRun(
  runs: RunRegistry,
  target: { runId?: string; pinned: boolean },
): Promise<{ pinned: boolean } | Refusal> {
  if (typeof target?.pinned !== 'boolean')
    return refuse('badArgument', 'Pinning needs to know whether to pin or unpin.');
  const run = await runs.target(target);
  if ('refused' in run) return run;
  try {
    await runs.ports.retention?.pin(run.state.runId, target.pinned);
  } catch (error) {
    return refuse('storage', `The run was not ${target.pinned ? 'pinned' : 'unpinned'}: ${String(error)}`);
  }
  runs.pinned(run, target.pinned);
  return { pinned: target.pinned };
}
