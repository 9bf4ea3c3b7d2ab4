/** The run's session with servers of tools: opened at the first need, ended with the run. */
import type { Ports, ToolSpec } from '../ports';
import { splitName } from '../toolNames';
import type { ToolSession, Verdict } from '../tools/toolServers';
import type { RunEvent } from './events';
import type { RunState, Step } from './state';
import { stepOf } from './update';

interface Owner {
  readonly ports: Ports;
  readonly state: RunState;
  dispatch(...events: RunEvent[]): Promise<void>;
}

export class RunServers {
  private opening: Promise<ToolSession | undefined> | undefined;
  private ending: Promise<void> | undefined;

  constructor(private readonly owner: Owner) {}

  /** undefined: no server is configured, or the run is over. */
  session(): Promise<ToolSession | undefined> {
    if (this.ending) return Promise.resolve(undefined);
    this.opening ??= this.open();
    return this.opening;
  }

  private async open(): Promise<ToolSession | undefined> {
    const { ports, state } = this.owner;
    try {
      return await ports.toolServers?.open(state.runId, {
        started: (process) => this.owner.dispatch({ type: 'serverStarted', process }),
        ended: (process, survivors) =>
          void this.owner.dispatch({ type: 'serversEnded', servers: [process], survivors: [...survivors] }),
        // A read of a check is no step.
        answered: (stepId, answer) => {
          if (stepOf(this.owner.state, stepId)) void this.owner.dispatch({ type: 'answeredLate', stepId, answer });
        },
      });
    } catch (error) {
      // The run works without them; a call of theirs will say that they are not there.
      ports.log.error('servers of tools cannot be used', error);
      return undefined;
    }
  }

  /** What the model is told there is besides our own tools. Waits for servers that start, not longer than the signal lets it. */
  async specs(signal: AbortSignal): Promise<ToolSpec[]> {
    const session = await this.session();
    if (!session) return [];
    await session.ready(signal);
    return session.tools().map(({ name, description, parameters }) => ({
      name,
      description,
      parameters: { json: parameters },
    }));
  }

  /** Reads whether the call of a step had its effect. */
  async verify(step: Step, signal: AbortSignal): Promise<Verdict> {
    const session = await this.session();
    if (!session) return { verdict: 'unknown', proof: 'The server is no longer configured; nothing could be read.' };
    return session.verify(step.id, step.tool, (step.args ?? {}) as Record<string, unknown>, signal);
  }

  /** Ends our children and says so, once. Nothing is started afterwards. */
  end(graceMs: number): Promise<void> {
    this.ending ??= this.endAll(graceMs);
    return this.ending;
  }

  /** For what the human still asks of a run that is over: its servers may be started again, and are ended again after it. */
  async again(): Promise<void> {
    if (!this.ending) return;
    await this.ending;
    this.ending = undefined;
    this.opening = undefined;
  }

  /** What an end under way still waits for is killed. */
  async kill(): Promise<void> {
    await (await this.opening)?.end(0);
  }

  private async endAll(graceMs: number): Promise<void> {
    const session = await this.opening;
    const survivors = (await session?.end(graceMs)) ?? [];
    const { servers } = this.owner.state;
    if (servers?.length) await this.owner.dispatch({ type: 'serversEnded', servers, survivors });
  }
}

/** Of a step whose tool is a server's. */
export const serverOf = (step: Pick<Step, 'tool'>): string => splitName(step.tool)?.server ?? step.tool;
