/** One call of a server's tool: approval, intent, the call itself, and what is said of it when it was cut. */
import { approve, TOOL_CHOICES } from '../tools/approval';
import { reasonsToAsk } from '../tools/policy';
import type { CallEnd, CallProgress, ServerTool, ToolSession } from '../tools/toolServers';
import type { Result } from '../tools/tool';
import type { Flight } from './controller';
import type { StepHost } from './execute';
import { serverOf } from './servers';
import type { Step } from './state';
import { stepOf } from './update';

/** Progress is shown at most this often, ms. */
const SHOW_EVERY = 200;
const MAX_SHOWN = 4000;

export async function executeExternal(host: StepHost, step: Step, flight: Flight, stopped: Result): Promise<void> {
  const { ports } = host;
  const stepId = step.id;
  const { signal } = flight.abort;
  const end = (result: Result): Promise<void> =>
    host.dispatch({ type: 'stepStarted', stepId }, { type: 'stepEnded', end: { stepId, ...result } });
  const refuse = (reason: string, text: string): Promise<void> =>
    end({ outcome: 'failedBeforeEffect', effect: 'notStarted', reason, text: `${text} Nothing was done.` });

  const session = await host.servers.session();
  await session?.ready(signal, serverOf(step));
  if (signal.aborted) return host.dispatch({ type: 'stepNotStarted', stepId });
  const tool = session?.tools().find(({ name }) => name === step.tool);
  if (!session || !tool) {
    return refuse(
      'noTool',
      session?.whyNot(step.tool) ?? `There is no tool "${step.tool}": no MCP server is configured.`,
    );
  }
  const args = step.args ?? {};
  if (step.badArgs !== undefined || typeof args !== 'object' || Array.isArray(args))
    return refuse('badArguments', `The arguments of ${step.tool} are no JSON object.`);

  const asked = approve({ ports, state: host.state, step, signal }, whyAsk(host, step, tool), {
    title: `Call ${step.tool}?`,
    detail: `${JSON.stringify(args, null, 2).slice(0, MAX_SHOWN)}\non the MCP server ${tool.server}`,
    choices: TOOL_CHOICES,
    subject: `mcp:${tool.name}:${tool.fingerprint}`,
  });
  if (!asked.granted) {
    const { plan } = asked;
    if (plan.kind === 'end') return end(plan.end);
    if (plan.kind === 'ask') return host.dispatch({ type: 'decisionOpened', request: plan.request });
    if (plan.kind === 'stale')
      return host.dispatch(
        { type: 'decisionStale', decisionId: plan.decisionId },
        { type: 'decisionOpened', request: plan.request },
      );
    return;
  }

  await host.dispatch({ type: 'stepStarted', stepId, contract: tool.contract });
  await ports.probe.at('tool:beforeWrite', step.n);
  const giveUp = (): Promise<void> => host.dispatch({ type: 'stepEnded', end: { stepId, ...stopped } });
  if (signal.aborted) return giveUp();
  if (tool.contract.effect !== 'none') {
    await host.dispatch({ type: 'effectRequested', stepId, changes: [] });
    // Given up in the meantime: the right to do it is gone.
    if (flight.givenUp || stepOf(host.state, stepId)?.effect !== 'requested') return;
    if (signal.aborted) return giveUp();
  }
  const answer = await call(host, step, session, tool, args as Record<string, unknown>, flight);
  await ports.probe.at('tool:afterEffect', step.n);
  await host.dispatch({ type: 'stepEnded', end: { stepId, ...resultOf(answer, tool) } });
}

/** A repeat was asked for by the human; and what their settings call free of effects needs no asking. */
function whyAsk(host: StepHost, step: Step, tool: ServerTool): string[] {
  return step.repeatOf !== undefined || tool.harmless ? [] : reasonsToAsk('external', [], host.ports.settings);
}

/** The call in flight. A stop cuts it, unless its contract says that it finishes; Force Stop always does. */
async function call(
  host: StepHost,
  step: Step,
  session: ToolSession,
  tool: ServerTool,
  args: Record<string, unknown>,
  flight: Flight,
): Promise<CallEnd> {
  const cut = new AbortController();
  const finishes = tool.contract.cancel === 'never' || tool.contract.cancel === 'boundary';
  flight.interrupt = (how) => {
    if (how === 'force' || !finishes) cut.abort();
  };
  const progress = new Progress(host, step.id);
  try {
    return await session.call(step.id, tool, args, cut.signal, (now) => progress.heard(now));
  } finally {
    progress.close();
  }
}

/** Passes on the newest word at most every SHOW_EVERY ms; the last one is never lost while the call is in flight. */
class Progress {
  private waiting: CallProgress | undefined;
  private readonly over = new AbortController();
  private resting = false;

  constructor(
    private readonly host: StepHost,
    private readonly stepId: string,
  ) {}

  heard(now: CallProgress): void {
    this.waiting = now;
    if (!this.resting) this.show();
  }

  close(): void {
    this.over.abort();
  }

  private show(): void {
    const progress = this.waiting;
    this.waiting = undefined;
    if (!progress || this.over.signal.aborted) return;
    void this.host.dispatch({ type: 'stepProgress', stepId: this.stepId, progress });
    this.resting = true;
    this.host.ports.clock.sleep(SHOW_EVERY, this.over.signal).then(
      () => {
        this.resting = false;
        this.show();
      },
      () => undefined,
    );
  }
}

/**
 * What a call's end means. An error of the tool itself leaves open how much of its work it did, as with a command that
 * exits with an error; a call that was cut or lost is unknown, unless the tool is free of effects.
 */
export function resultOf(end: CallEnd, { contract }: Pick<ServerTool, 'contract'>): Result {
  const effectless = contract.effect === 'none';
  const had = effectless ? 'notStarted' : 'committed';
  switch (end.kind) {
    case 'answered':
      return end.isError
        ? {
            outcome: 'failed',
            effect: had,
            reason: 'toolError',
            text: `failed: the tool answers with an error.\n${end.text}`,
          }
        : { outcome: 'done', effect: had, text: end.text };
    case 'refused':
      return {
        outcome: 'failedBeforeEffect',
        effect: effectless ? 'notStarted' : 'failedBeforeCommit',
        reason: 'refused',
        text: `${end.text} Nothing was done.`,
      };
    case 'lost':
      return effectless
        ? {
            outcome: 'failed',
            effect: 'notStarted',
            reason: 'lost',
            text: `failed: ${end.text} The tool changes nothing; it may be called again.`,
          }
        : {
            outcome: 'unknown',
            effect: 'unknown',
            reason: 'lost',
            text: `${end.text} What the call did is not known.`,
          };
    case 'cut':
      return effectless
        ? {
            outcome: 'cancelledBeforeEffect',
            effect: 'notStarted',
            reason: 'stopped',
            text: `cancelledBeforeEffect (reason: stopped): ${end.text} The tool changes nothing.`,
          }
        : {
            outcome: 'unknown',
            effect: 'unknown',
            reason: 'stopped',
            text: `${end.text} What the call did is not known.`,
          };
  }
}
