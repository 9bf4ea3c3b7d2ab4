/** Export Run: one file that another machine can go on from. The run itself is not changed. */
import type { Refusal } from '../errors';
import { NOT_STORED, refuse } from '../refusals';
import type { RunRegistry } from '../registry';
import { isRestoring } from '../run/load';
import { isActive, SCHEMA_VERSION, type RunState } from '../run/state';
import { secretTest } from '../tools/policy';
import { ArchiveError, NOT_KEPT_KEY, type Outgoing, type Written } from '../transfer/archive';
import { Carrier } from '../transfer/carry';
import { credentialsOf } from '../transfer/credentials';
import { baseOf } from '../transfer/compare';
import { recordWithoutRights, withoutRights } from '../transfer/rights';
import { callsOnSecrets, withoutSecretCalls } from '../transfer/secrets';
import { exportRefused } from '../transfer/words';

export interface ExportRequest {
  runId?: string;
  /** Full path of the file to write. */
  target: string;
  /** What stands there may be replaced: the human was asked. */
  overwrite?: boolean;
}

export interface ExportResult extends Written {
  runId: string;
  target: string;
}

/** A run at work cannot be handed over; undefined: this one can. */
export function notAtRest(state: RunState): Refusal | undefined {
  if (isActive(state.status)) return refuse('busy', 'The run is at work. Pause it, then export it.');
  if (state.inFlight !== null)
    return refuse('busy', 'The run is just looking something up. Export it when that is done.');
  if (state.compensating)
    return refuse('busy', 'A step is being undone. Export the run when that is done, or answer what it asks.');
  if (isRestoring(state)) return refuse('busy', 'Files are being restored. Export the run when that is done.');
  return undefined;
}

export async function exportRun(runs: RunRegistry, request: ExportRequest): Promise<ExportResult | Refusal> {
  const given: unknown = (request as ExportRequest | undefined)?.target;
  if (typeof given !== 'string' || given === '')
    return refuse('badArgument', 'Exporting needs the full path of the file to write.');
  const { archives, clock, files, log, settings } = runs.ports;
  if (!archives) return refuse('badArgument', 'Runs cannot be exported here.');
  const run = await runs.target(request);
  if ('refused' in run) return run;
  await run.idle();
  const { state } = run;
  const cannot = notAtRest(state);
  if (cannot) return cannot;
  if (!run.durable) return refuse('storage', NOT_STORED);
  try {
    const isSecret = secretTest(settings);
    const words = [
      ...(await archives.localWords()),
      ...credentialsOf(state).map((text) => ({ text, instead: NOT_KEPT_KEY, always: true as const })),
    ];
    const keys = words.filter(({ always }) => always).map(({ text }) => text);
    const travels = withoutSecretCalls(withoutRights(state), { isSecret, keys }, clock.now());
    const carrier = new Carrier(isSecret, callsOnSecrets(state, isSecret), words);
    const outgoing: Outgoing = {
      head: {
        runId: state.runId,
        schemaVersion: SCHEMA_VERSION,
        exportedAt: clock.now(),
        folders: files.roots().map(({ name }) => name),
        base: baseOf(state.git),
      },
      state: travels,
      piece: carrier.piece,
      record: (record) => carrier.piece(recordWithoutRights(record)) as typeof record | undefined,
      named: () => carrier.named,
    };
    const written = await archives.write(given, outgoing, { overwrite: request.overwrite === true });
    return { runId: state.runId, target: given, ...written };
  } catch (error) {
    log.error(`the run ${state.runId} was not exported`, error);
    return exportRefused(error instanceof ArchiveError ? error : new ArchiveError('other', String(error)));
  }
}
