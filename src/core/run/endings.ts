/** How commands come to their end that no step waits for: frozen ones, those in the background, the one the human ends. */
import type { Ports } from '../ports';
import { HURRIED_MS } from '../reconcile/commandWatch';
import type { Command } from './command';
import type { RunServers } from './servers';
import { goesOn, type Thawing } from './thaw';

interface Ending extends Thawing {
  readonly ports: Ports;
}

export interface Commander extends Ending {
  readonly servers: RunServers;
  /** One that runs, is frozen, or lives in the background. */
  commandOf(stepId: string): Command | undefined;
}

/**
 * A stop ends a command. Asked to end, one that stands still goes on for a moment, and may write: what the human did meanwhile is
 * remembered first. Where that cannot be done, it is killed where it stands.
 */
export async function endCommand(on: Ending, stepId: string, command: Command): Promise<void> {
  let graceMs = on.ports.settings.stopGraceMs();
  command.willEnd();
  if (graceMs > 0 && command.standsStill)
    try {
      const never = new AbortController().signal;
      const findings = await on.watch.again(on.state, stepId, HURRIED_MS, never);
      await goesOn(on, stepId, findings);
      if (!findings.whole) graceMs = 0;
    } catch (error) {
      on.ports.log.error('what changed under a frozen command could not be remembered', error);
      graceMs = 0;
    }
  await command.end('stop', graceMs);
}

/** A step says itself how its command ended; where there is none any more, this does. */
export async function endFrozen(on: Commander, stepId: string): Promise<void> {
  const command = on.commandOf(stepId);
  if (command) await endCommand(on, stepId, command);
  else await on.dispatch({ type: 'stepAbandoned', stepId, text: 'It was frozen, and its process is gone.' });
}

export async function endBackground(on: Commander): Promise<void> {
  const ids = [...on.state.background];
  const graceMs = on.ports.settings.stopGraceMs();
  await Promise.all(ids.map((id) => on.commandOf(id)?.end('stop', graceMs) ?? Promise.resolve()));
  const survivors = ids.flatMap((id) => on.commandOf(id)?.survivors ?? []);
  await on.servers.end(graceMs);
  await on.dispatch({ type: 'backgroundEnded', stepIds: ids, survivors });
}

/** What the end of an abort still waits for gets no more time. */
export function killBackground(on: Commander): void {
  for (const id of on.state.background) void on.commandOf(id)?.end('stop', 0);
  void on.servers.kill();
}

/** A step in flight says itself how its command ended. */
export async function killCommand(on: Commander, stepId: string): Promise<void> {
  const command = on.commandOf(stepId);
  // What stands still is killed where it stands: asked politely it would first have to go on.
  await command?.end('human', command.standsStill ? 0 : on.ports.settings.stopGraceMs());
  if (!on.state.background.includes(stepId)) return;
  await on.dispatch({
    type: 'backgroundEnded',
    stepIds: [stepId],
    survivors: command?.survivors ?? [],
    by: 'human',
  });
}
