/** Restore Files and Undo Restore: acts of the human, previewed, journalled before any file is touched, undoable. */
import { perform } from '../checkpoints/perform';
import { skipWords } from '../checkpoints/plan';
import { boundaryNamed } from '../checkpoints/history';
import { newestRestore } from '../checkpoints/record';
import { surveyRestore, type Surveyed } from '../checkpoints/survey';
import { surveyUndo } from '../checkpoints/undo';
import type { RestoreFile, RestoreRecord, RestoreRequest, RestoreResult, UndoResult } from '../checkpoints/types';
import { StorageError, type Refusal } from '../errors';
import { refuse, UNDOING } from '../refusals';
import type { RunRegistry } from '../registry';
import type { RunController } from '../run/controller';
import { isActive, isWaiting, type RunState } from '../run/state';

/** In turn with resume and start: no run takes control while files go back. */
export const restoreCheckpoint = (runs: RunRegistry, request: RestoreRequest): Promise<RestoreResult | Refusal> =>
  runs.inTurn(() => restore(runs, request));

export const undoRestore = (runs: RunRegistry, request?: { undo?: string | null }): Promise<UndoResult | Refusal> =>
  runs.inTurn(() => undo(runs, request));

function cannot(runs: RunRegistry, { status, runId, compensating }: RunState): Refusal | undefined {
  if (compensating) return refuse('busy', UNDOING);
  if (isActive(status) || isWaiting(status))
    return refuse('busy', 'The run is at work. Pause or abort it first, then restore.');
  return runs.busy(runId);
}

const isPaths = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((path) => typeof path === 'string'));

type Picks = NonNullable<RestoreRequest['picks']>;
const isPicks = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) &&
    value.every((pick: unknown) => {
      const { path, before, hunks } = (pick ?? {}) as Partial<Picks[number]>;
      return typeof path === 'string' && (before === null || typeof before === 'string') && Array.isArray(hunks);
    }));

async function restore(runs: RunRegistry, request: RestoreRequest): Promise<RestoreResult | Refusal> {
  const { checkpoint, paths, picks, dryRun } = (request as Partial<RestoreRequest> | undefined) ?? {};
  const run = await runs.target(request);
  if ('refused' in run) return run;
  await run.idle();
  const n = boundaryNamed(run.state, checkpoint);
  if (n === undefined)
    return refuse('badArgument', `There is no checkpoint ${String(checkpoint)}. Use "start", or the number of a step.`);
  if (!isPaths(paths) || !isPicks(picks))
    return refuse('badArgument', 'Paths and picks are lists; nothing was restored.');
  const refused = dryRun ? undefined : cannot(runs, run.state);
  if (refused) return refused;
  const what = { ...(paths ? { paths } : {}), ...(picks ? { picks } : {}), dryRun: dryRun === true };
  const surveyed = await surveyRestore(runs.ports, run.state, n, what);
  const files = surveyed.map(({ plan }) => plan);
  const skipped = files
    .filter((plan) => plan.action === 'skip')
    .map(({ path, reason = 'failed', message = '' }) => ({ path, reason, message }));
  const jobs = surveyed.filter(({ plan }) => plan.action === 'restore' || plan.action === 'remove');
  const would = { restored: jobs.map(({ plan }) => plan.path), skipped, undo: null, files };
  if (dryRun) {
    const kept = await keep(
      runs,
      surveyed.filter((one) => one.plan.action === 'merge'),
    );
    return kept ?? would;
  }
  // All of it is there already: repeating it is success, and what would undo it is the restore there is.
  if (jobs.length === 0) return { ...would, undo: newestRestore(run.state)?.id ?? null };
  const ended = await carryOut(runs, run, jobs, {
    kind: 'restore',
    checkpoint: n,
    skipped: skipped.map(({ path, reason }) => ({ path, reason })),
  });
  if ('refused' in ended) return ended;
  const result = resultOf(ended);
  return { ...result, skipped: [...skipped, ...result.skipped], undo: ended.id, files };
}

async function undo(runs: RunRegistry, request: { undo?: string | null } | undefined): Promise<UndoResult | Refusal> {
  const id: unknown = request?.undo ?? undefined;
  if (id !== undefined && typeof id !== 'string') return refuse('badArgument', 'Undo needs what the restore gave.');
  const run = await runs.target(id === undefined ? undefined : { runId: id.slice(0, id.lastIndexOf('/u')) });
  if ('refused' in run) return run;
  await run.idle();
  const record = id === undefined ? newestRestore(run.state) : run.state.restores?.find((one) => one.id === id);
  if (!record)
    return refuse(
      'badArgument',
      id === undefined ? 'There is no restore to undo.' : 'That restore is not known: nothing was undone.',
    );
  if (record.elsewhere)
    return refuse(
      'badArgument',
      'That restore was made on another machine: nothing was undone. Restore Files shows what would change here.',
    );
  const refused = cannot(runs, run.state);
  if (refused) return refused;
  const surveyed = await surveyUndo(runs.ports, record, run.state.restores ?? []);
  const skipped = surveyed
    .filter(({ plan }) => plan.action === 'skip')
    .map(({ plan: { path, reason = 'failed', message = '' } }) => ({ path, reason, message }));
  const jobs = surveyed.filter(({ plan }) => plan.action !== 'skip');
  if (jobs.length === 0) return { restored: [], skipped };
  const ended = await carryOut(runs, run, jobs, {
    kind: 'undo',
    undoes: record.id,
    checkpoint: record.checkpoint,
    skipped: skipped.map(({ path, reason }) => ({ path, reason })),
  });
  if ('refused' in ended) return ended;
  const result = resultOf(ended);
  return { ...result, skipped: [...skipped, ...result.skipped] };
}

/** The checkpoint before it: both sides of each file are stored before the intent names them. */
async function keep(runs: RunRegistry, jobs: readonly Surveyed[]): Promise<Refusal | undefined> {
  const { blobs } = runs.ports.store;
  try {
    for (const { plan, now, bytes } of jobs) {
      if (plan.movedFrom !== undefined || plan.movedTo !== undefined) continue;
      if (now.bytes) await blobs.put(now.bytes);
      if (bytes) await blobs.put(bytes);
    }
    return undefined;
  } catch (error) {
    return storage(error);
  }
}

const storage = (error: unknown): Refusal =>
  refuse(
    'storage',
    `Nothing was restored: what is there now could not be kept first (${error instanceof Error ? error.message : String(error)}). Make room, then try again.`,
  );

async function carryOut(
  runs: RunRegistry,
  run: RunController,
  jobs: readonly Surveyed[],
  about: Pick<RestoreRecord, 'kind' | 'undoes' | 'checkpoint' | 'skipped'>,
): Promise<RestoreRecord | Refusal> {
  const failed = await keep(runs, jobs);
  if (failed) return failed;
  const id = `${run.state.runId}/u${(run.state.restores?.length ?? 0) + 1}`;
  const files = jobs.map(
    ({ plan: { path, before, after, mode, modeBefore, movedFrom, movedTo, unsaved, link, folders } }): RestoreFile => ({
      ...{ path, before, after },
      ...(mode === undefined ? {} : { mode }),
      ...(modeBefore === undefined ? {} : { modeBefore }),
      ...(movedFrom === undefined ? {} : { movedFrom }),
      ...(movedTo === undefined ? {} : { movedTo }),
      ...(unsaved ? { unsaved } : {}),
      ...(link ? { link } : {}),
      ...(folders ? { folders } : {}),
    }),
  );
  const record: RestoreRecord = { ...about, id, at: runs.ports.clock.now(), state: 'requested', files };
  try {
    await run.dispatch({ type: 'restoreRequested', restore: record });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return storage(error);
  }
  const find = (): RestoreRecord | undefined => run.state.restores?.find((one) => one.id === id);
  if (!find()) return refuse('noRun', 'Holdfast is closing: nothing was restored.');
  // A start after a kill looks only at runs whose entry says that something is under way.
  await runs.indexWritten();
  await run.dispatch({ type: 'restoreEnded', id, files: await perform(runs.ports, files) });
  return find() ?? record;
}

const resultOf = ({ files }: RestoreRecord): UndoResult => ({
  restored: files.filter((file) => file.done).map((file) => file.path),
  skipped: files
    .filter((file) => !file.done)
    .map(({ path, reason = 'failed' }) => ({ path, reason, message: skipWords(path, reason) })),
});
