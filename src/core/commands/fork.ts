/** Fork Run: a new run that goes on from a checkpoint of another. */
import { forkOf, type ForkRequest } from '../checkpoints/fork';
import { boundaryNamed, lastBoundary } from '../checkpoints/history';
import type { Refusal } from '../errors';
import { isTextOrNone, refuse } from '../refusals';
import type { RunRegistry } from '../registry';
import { RunController } from '../run/controller';

export async function forkRun(runs: RunRegistry, request: ForkRequest): Promise<{ runId: string } | Refusal> {
  const { checkpoint, note } = (request as ForkRequest | undefined) ?? {};
  const source = await runs.target(request);
  if ('refused' in source) return source;
  const { state } = source;
  const n = checkpoint === undefined ? lastBoundary(state) : boundaryNamed(state, checkpoint);
  if (n === undefined)
    return refuse('badArgument', `There is no checkpoint ${String(checkpoint)}. Use "start", or the number of a step.`);
  if (!isTextOrNone(note)) return refuse('badArgument', 'A note is text; nothing was forked.');
  const { clock, ids, log, store } = runs.ports;
  const runId = ids.run();
  const words = note?.trim();
  const fork = forkOf(state, n, runId, clock.now(), words === '' ? undefined : words);
  try {
    const begun = { type: 'runForked', state: fork } as const;
    await RunController.begin(runs.ports, await store.open(runId), begun, runs);
  } catch (error) {
    log.error('a run could not be forked', error);
    return refuse(
      'storage',
      `The fork cannot be written (${error instanceof Error ? error.message : String(error)}). Make room, then try again.`,
    );
  }
  return { runId };
}
