/** What must be on disk before what: which events wait for it, and what is done where it cannot be. */
import type { StorageError } from '../errors';
import type { Effect, RunEvent } from './events';

/** Events that need not be on disk at once: the next durable one carries them along. */
const LAZY: ReadonlySet<RunEvent['type']> = new Set([
  'modelText',
  'modelReplied',
  'stepStarted',
  'stepThawed',
  'retryDue',
  'retryCut',
  'prepared',
  'repositoriesSeen',
  'stepProgress',
  // a stop is on disk with the state it leads to, before its receipt; a run that lost it comes back interrupted
  'stopRequested',
  'forceRequested',
]);

/** What did nothing to the world is lost with nothing: no sync of its own for the end of such a step. */
export const needsSync = (event: RunEvent): boolean =>
  event.type === 'stepEnded' ? event.end.effect !== 'notStarted' : !LAZY.has(event.type);
/** Not durable, their effect must not start. */
export const GUARDS: ReadonlySet<RunEvent['type']> = new Set(['effectRequested', 'restoreRequested']);

/** What is performed also when the state cannot be written: it ends what is at work, or only looks. */
export const STOPPING: ReadonlySet<Effect['type']> = new Set([
  'interrupt',
  'endFrozen',
  'endBackground',
  'killCommand',
  'checkEffect',
]);

/** The run pauses where its storage fails, and says why. */
export const haltedBy = ({ message, doing }: StorageError): RunEvent => ({
  type: 'halted',
  code: 'storage',
  text:
    doing === 'read'
      ? `What the run has stored cannot be read now (${message}). Resume when it can.`
      : `The run's own state cannot be written (${message}). Make room, then resume.`,
});
