/** A frozen command goes on: first what the human did while it stood is remembered, so that what it goes over is found. */
import type { CommandWatch } from '../reconcile/commandWatch';
import { LOOK_BUDGET_MS } from '../tree';
import type { Command } from './command';
import type { Flight } from './controller';
import type { RunEvent } from './events';
import type { Elsewhere, RunState } from './state';

export interface Thawing {
  readonly state: RunState;
  readonly watch: CommandWatch;
  dispatch(...events: RunEvent[]): Promise<void>;
}

/** A command that stood is about to run again: that, and what was found until now, is on disk before. Rejects when it cannot be. */
export async function goesOn(on: Thawing, stepId: string, elsewhere: readonly Elsewhere[]): Promise<void> {
  const found = elsewhere.length > 0 ? { elsewhere: [...elsewhere] } : {};
  await on.dispatch({ type: 'effectRequested', stepId, changes: [], ...found });
  on.watch.told();
}

/** `kept`: the command, and the flight by which a stop reaches it. Rejects when what the human did cannot be stored: it stands on. */
export async function thaw(
  on: Thawing,
  stepId: string,
  { command, flight }: { command: Command; flight: Flight },
): Promise<void> {
  // The stop that froze it is over; the next one is heard anew.
  flight.abort = new AbortController();
  const { signal } = flight.abort;
  try {
    const elsewhere = await on.watch.again(on.state, stepId, LOOK_BUDGET_MS, signal);
    if (!signal.aborted) await goesOn(on, stepId, elsewhere);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  // It has not gone on: the stop has found it standing.
  if (signal.aborted) return;
  await command.thaw();
  await on.dispatch({ type: 'stepThawed', stepId });
}
