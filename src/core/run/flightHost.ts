/** A run as one flight sees it: once the flight was given up, what it still says is not heard. */
import type { Ports } from '../ports';
import type { CommandWatch } from '../reconcile/commandWatch';
import type { Command } from './command';
import type { Flight } from './controller';
import type { RunEvent } from './events';
import type { StepHost } from './execute';
import type { RunServers } from './servers';
import type { RunState } from './state';

export class FlightHost implements StepHost {
  readonly ports: Ports;
  readonly servers: RunServers;
  readonly watch: CommandWatch;

  constructor(
    private readonly run: StepHost,
    private readonly flight: Flight,
  ) {
    ({ ports: this.ports, servers: this.servers, watch: this.watch } = run);
  }

  get state(): RunState {
    return this.run.state;
  }

  dispatch(...events: RunEvent[]): Promise<void> {
    return this.flight.givenUp ? Promise.resolve() : this.run.dispatch(...events);
  }

  keepCommand(stepId: string, command: Command, flight: Flight): void {
    this.run.keepCommand(stepId, command, flight);
  }

  dropCommand(stepId: string): void {
    this.run.dropCommand(stepId);
  }
}

/**
 * It is in flight no more: what is left of it has no word in the one that a resume begins. That of a command lives on with it.
 */
export function leave(flight: Flight | undefined, kept: Iterable<{ flight: Flight }>): void {
  if (flight && ![...kept].some((one) => one.flight === flight)) flight.givenUp = true;
}
