/** A frozen command goes on: first what the human did while it stood is remembered, so that what it goes over is found. */
import type { CommandWatch, Findings } from '../reconcile/commandWatch';
import { LOOK_BUDGET_MS } from '../tree';
import type { Command } from './command';
import type { Flight } from './controller';
import type { RunEvent } from './events';
import type { RunState } from './state';

export interface Thawing {
  readonly state: RunState;
  readonly watch: CommandWatch;
  dispatch(...events: RunEvent[]): Promise<void>;
}

/** The intent of a command to run, for the first time or again. */
export const begins = (stepId: string, { elsewhere, theirs }: Findings): RunEvent => ({
  ...{ type: 'effectRequested', stepId, changes: [], theirs },
  ...(elsewhere.length > 0 ? { elsewhere } : {}),
});

/** A command that stood is about to run again: that, and what was found until now, is on disk before. Rejects when it cannot be. */
export async function goesOn(on: Thawing, stepId: string, findings: Findings): Promise<void> {
  await on.dispatch(begins(stepId, findings));
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
    const findings = await on.watch.again(on.state, stepId, LOOK_BUDGET_MS, signal);
    if (!signal.aborted) await goesOn(on, stepId, findings);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  // It has not gone on: the stop has found it standing.
  if (signal.aborted) return;
  await command.thaw();
  await on.dispatch({ type: 'stepThawed', stepId });
}
