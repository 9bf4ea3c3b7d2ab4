/** Start Run. */
import type { StartOptions } from '../api';
import type { Refusal } from '../errors';
import { isObjectOrNone, isTextOrNone, NO_FOLDER, refuse } from '../refusals';
import type { RunRegistry } from '../registry';
import { RunController } from '../run/controller';
import type { RunEvent } from '../run/events';

export function startRun(runs: RunRegistry, options: StartOptions): Promise<{ runId: string } | Refusal> {
  const work = runs.inTurn(() => start(runs, options));
  runs.started(work);
  return work;
}

async function start(runs: RunRegistry, options: StartOptions): Promise<{ runId: string } | Refusal> {
  const { files, models, ids, store } = runs.ports;
  if (files.roots().length === 0) return refuse('noFolder', NO_FOLDER);
  if (runs.closed) return refuse('noRun', 'Holdfast is closing.');
  const elsewhere = await runs.takeHere();
  if (elsewhere) return elsewhere;
  const given: unknown = options;
  if (typeof given !== 'object' || given === null || !isTextOrNone(options.goal) || !isObjectOrNone(options.engine))
    return refuse('badArgument', 'A run needs a goal, as text. Say what is to be done.');
  const busy = runs.busy();
  if (busy) return busy;
  const engine = options.engine ?? (await models.defaultRef());
  if ('error' in engine) return refuse('badArgument', engine.error.message);
  const model = await models.open(engine);
  if ('error' in model) return refuse('badArgument', model.error.message);
  const { info } = model;
  const goal = options.goal?.trim() || info.goal?.trim();
  if (!goal) return refuse('badArgument', 'A run needs a goal. Say what is to be done.');
  const runId = ids.run();
  const event: Extract<RunEvent, { type: 'runStarted' }> = {
    type: 'runStarted',
    runId,
    goal,
    engine,
    model: { provider: info.provider, label: info.label, fixed: info.fixed },
    outline: [...info.outline],
    files: [...info.files],
  };
  try {
    await RunController.begin(runs.ports, await store.open(runId), event, runs);
  } catch (error) {
    runs.ports.log.error('a run could not be started', error);
    return refuse(
      'storage',
      `The run's state cannot be written (${error instanceof Error ? error.message : String(error)}). Make room, then start again.`,
    );
  }
  return { runId };
}
