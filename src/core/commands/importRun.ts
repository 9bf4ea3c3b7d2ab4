/** Import Run: a run of another machine becomes one of this storage, paused. Nothing of it runs before it is resumed. */
import type { Refusal } from '../errors';
import { NO_FOLDER, NO_RUN, refuse } from '../refusals';
import type { RunRegistry } from '../registry';
import { migrateState } from '../checkpoints/migrate';
import { SCHEMA_VERSION, type RunState, type RunStatus } from '../run/state';
import { ArchiveError, type Incoming, type RunArchives } from '../transfer/archive';
import { arrivedState } from '../transfer/arrive';
import { compareWorkspaces } from '../transfer/compare';
import type { ImportedFrom } from '../transfer/differences';
import { isRunId, stateProblem } from '../transfer/shape';
import { importRefused } from '../transfer/words';

export interface ImportRequest {
  /** Full path of the file to read. */
  target: string;
}

export interface ImportResult {
  /** As it is called here: a new one where the storage has a run of its old id. */
  runId: string;
  status: RunStatus;
  /** Where it comes from, and what differs here. */
  from: ImportedFrom;
}

/** The state in the file, as this version knows it. */
function stateIn({ head, state }: Incoming): RunState {
  if (!isRunId(head.runId)) throw new ArchiveError('damaged', 'its run has no proper id');
  if (head.schemaVersion > SCHEMA_VERSION) throw new ArchiveError('newer', `state of schema ${head.schemaVersion}`);
  const migrated = migrateState(state, head.schemaVersion);
  const problem = migrated.runId === head.runId ? stateProblem({ ...migrated }) : 'it holds another run than it says';
  if (problem !== undefined) throw new ArchiveError('damaged', problem);
  return migrated;
}

/** A folder that holds no run counts too: nothing is put into it. */
const isTaken = async (runs: RunRegistry, runId: string): Promise<boolean> =>
  runs.summaries().some((run) => run.runId === runId) || (await runs.ports.store.load(runId)) !== undefined;

/** Its state is let go before the run is opened: a long one is not held twice. */
async function adopt(
  runs: RunRegistry,
  archives: RunArchives,
  source: string,
): Promise<{ runId: string; from: ImportedFrom }> {
  const incoming = await archives.read(source);
  const state = stateIn(incoming);
  const runId = (await isTaken(runs, state.runId)) ? runs.ports.ids.run() : state.runId;
  const { head, counts } = incoming;
  const { from, git } = await compareWorkspaces(runs.ports, { head, missing: counts.missing }, state);
  await archives.adopt(source, incoming, arrivedState(state, runId, from, git), from.at);
  return { runId, from };
}

export async function importRun(runs: RunRegistry, request: ImportRequest): Promise<ImportResult | Refusal> {
  const { archives, files, log } = runs.ports;
  const given: unknown = (request as ImportRequest | undefined)?.target;
  if (typeof given !== 'string' || given === '')
    return refuse('badArgument', 'Importing needs the full path of the file to read.');
  if (!archives) return refuse('badArgument', 'Runs cannot be imported here.');
  if (files.roots().length === 0) return refuse('noFolder', NO_FOLDER);
  if (runs.closed) return refuse('noRun', 'Holdfast is closing.');
  const elsewhere = await runs.takeHere();
  if (elsewhere) return elsewhere;
  try {
    const { runId, from } = await adopt(runs, archives, given);
    const run = await runs.controller(runId);
    if (!run) return refuse('noRun', NO_RUN);
    return { runId, status: run.state.status, from };
  } catch (error) {
    log.error(`no run was imported from ${given}`, error);
    return importRefused(error instanceof ArchiveError ? error : new ArchiveError('other', String(error)));
  }
}
