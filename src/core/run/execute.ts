/** One step: arguments, plan, approval, intent, effect, result. The stop signal is looked at between any two of them. */
import { FileError, StorageError } from '../errors';
import type { Ports } from '../ports';
import { ARGS, faults, type ToolName } from '../tools/args';
import type { CommandEffect, CommandWatch } from '../reconcile/commandWatch';
import { toolNamed } from '../tools';
import { contractOf } from '../tools/kinds';
import type { Plan, Result, Tool, ToolContext } from '../tools/tool';
import { isServerTool } from '../toolNames';
import { whyNot } from '../world';
import { Command, type CommandPlan } from './command';
import { haltedBy } from './durability';
import { endCommand } from './endings';
import type { Flight } from './controller';
import type { RunEvent, StepEnd } from './events';
import { executeExternal } from './external';
import { formatted } from './format';
import { nestsTooDeep } from './reply';
import type { RunServers } from './servers';
import type { RunState, Step } from './state';
import { stillThere } from './survivors';
import { begins } from './thaw';
import { stepOf } from './update';

export interface StepHost {
  readonly ports: Ports;
  readonly state: RunState;
  dispatch(...events: RunEvent[]): Promise<void>;
  keepCommand(stepId: string, command: Command, flight: Flight): void;
  dropCommand(stepId: string): void;
  readonly servers: RunServers;
  readonly watch: CommandWatch;
}

/** How often a file that changes in the very moment of writing is looked at again. */
const MAX_REPLANS = 8;

const STOPPED: Result = {
  outcome: 'cancelledBeforeEffect',
  effect: 'notStarted',
  reason: 'stopped',
  text: 'cancelledBeforeEffect (reason: stopped): the human stopped the run before this call did anything.',
};

export async function executeStep(host: StepHost, stepId: string, flight: Flight): Promise<void> {
  const { ports } = host;
  const { signal } = flight.abort;
  const step = stepOf(host.state, stepId);
  if (!step) return;
  // Lets timers and input in: a run of quick steps must not starve the stop.
  await ports.clock.sleep(0, signal).catch(() => undefined);
  if (step.delayMs !== undefined && step.delayMs > 0)
    await ports.clock.sleep(step.delayMs, signal).catch(() => undefined);
  await ports.probe.at('tool:beforeStart', step.n);
  if (signal.aborted) return host.dispatch({ type: 'stepNotStarted', stepId });

  const end = (result: Result): Promise<void> =>
    host.dispatch({ type: 'stepStarted', stepId }, { type: 'stepEnded', end: { stepId, ...result } });
  if (isServerTool(step.tool)) return executeExternal(host, step, flight, STOPPED);
  const tool = toolNamed(step.tool);
  const bad = tool ? badArguments(step) : `There is no tool "${step.tool}".`;
  if (!tool || bad !== undefined) {
    return end({
      outcome: 'failedBeforeEffect',
      effect: 'notStarted',
      reason: 'badArguments',
      text: `${bad ?? ''} Nothing was done.`,
    });
  }
  if (contractOf(tool.name).effect === 'none') await host.dispatch({ type: 'stepStarted', stepId });

  for (let round = 0; ; round += 1) {
    const context: ToolContext = { ports, state: host.state, step: stepOf(host.state, stepId) ?? step, signal };
    let plan: Plan;
    try {
      plan = await tool.plan(context, parsed(step));
    } catch (error) {
      if (signal.aborted) return end(STOPPED);
      if (error instanceof StorageError) throw error;
      const known = error instanceof FileError;
      // A plan has no effect: whatever it stumbles over is a failed call, never the end of the run.
      if (!known) ports.log.error(`${tool.name} could not be planned`, error);
      return end({
        outcome: 'failedBeforeEffect',
        effect: 'notStarted',
        reason: known ? error.code : 'error',
        text: `${known ? whyNot(error) : `The call could not be carried out: ${String(error).slice(0, 200)}.`} Nothing was done.`,
      });
    }
    switch (plan.kind) {
      case 'end':
        if (signal.aborted && plan.end.summary === undefined && contractOf(tool.name).cancel === 'now')
          return end(STOPPED);
        return end(plan.end);
      case 'ask':
        return host.dispatch({ type: 'decisionOpened', request: plan.request });
      case 'stale':
        return host.dispatch(
          { type: 'decisionStale', decisionId: plan.decisionId },
          { type: 'decisionOpened', request: plan.request },
        );
      case 'command':
        return runCommand(host, step, plan, flight);
      case 'files': {
        const again = await changeFiles(host, context, tool, plan, flight);
        if (!again || flight.givenUp) return;
        if (round >= MAX_REPLANS) {
          return end({
            outcome: 'failedBeforeEffect',
            effect: 'failedBeforeCommit',
            reason: 'changed',
            text: 'The file kept changing while it was to be written. Nothing was written.',
          });
        }
      }
    }
  }
}

/** The effect on files. true: the world moved on in the moment of writing, and the step has to be planned anew. */
async function changeFiles(
  host: StepHost,
  context: ToolContext,
  tool: Tool,
  plan: Extract<Plan, { kind: 'files' }>,
  flight: Flight,
): Promise<boolean> {
  const { ports } = host;
  const { step } = context;
  const stepId = step.id;
  if (stepOf(host.state, stepId)?.outcome !== 'running') await host.dispatch({ type: 'stepStarted', stepId });
  await ports.probe.at('tool:beforeWrite', step.n);
  if (flight.abort.signal.aborted) {
    await host.dispatch({ type: 'stepEnded', end: { stepId, ...STOPPED } });
    return false;
  }
  await host.dispatch({ type: 'effectRequested', stepId, changes: plan.changes });
  // Given up in the meantime: the right to do it is gone.
  if (flight.givenUp || stepOf(host.state, stepId)?.effect !== 'requested') return false;
  // The stop may have come while the intent was on its way to disk.
  if (flight.abort.signal.aborted) {
    await host.dispatch({ type: 'stepEnded', end: { stepId, ...STOPPED } });
    return false;
  }
  let result: Result;
  try {
    result = await plan.perform();
    if (ports.formatter) result = await formatted(host, tool, context, result, flight);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (error.code === 'changed') return true;
    ports.log.info(`${tool.name} failed: ${error.code}`);
    result = {
      outcome: 'failedBeforeEffect',
      effect: 'failedBeforeCommit',
      reason: error.code,
      text: `${whyNot(error)} Nothing was written.`,
    };
  }
  await ports.probe.at('tool:afterEffect', step.n);
  await host.dispatch({ type: 'stepEnded', end: { stepId, ...result } });
  return false;
}

async function runCommand(host: StepHost, step: Step, plan: CommandPlan, flight: Flight): Promise<void> {
  const { ports } = host;
  const stepId = step.id;
  const command = new Command(ports, stepId, plan);
  const { signal } = flight.abort;
  const stopped: RunEvent = { type: 'stepEnded', end: { stepId, ...STOPPED } };
  // It is not said to run while the workspace is still looked at, which may take a while.
  const findings = await host.watch.before(host.state, stepId, command.spans, signal).catch((error: unknown) => {
    if (signal.aborted) return undefined;
    throw error;
  });
  await host.dispatch({ type: 'stepStarted', stepId });
  await ports.probe.at('tool:beforeWrite', step.n);
  if (!findings || signal.aborted) return host.dispatch(stopped);
  await host.dispatch(begins(stepId, findings));
  if (flight.givenUp || stepOf(host.state, stepId)?.effect !== 'requested') return;
  host.watch.told();
  if (signal.aborted) return host.dispatch(stopped);
  host.keepCommand(stepId, command, flight);
  const forced = new AbortController();
  let end: StepEnd | undefined;
  try {
    // From here on a stop reaches it: one that comes before the process exists is kept by `Command.end`.
    flight.interrupt = (how) =>
      void interrupt(host, command, step, plan, how).then(() => {
        if (how === 'force') forced.abort();
      });
    const id = await command.start();
    await host.dispatch({ type: 'stepProcess', stepId, id, marker: stepId, background: plan.background });
    // The stop may have come between the intent and the start.
    if (flight.abort.signal.aborted) void interrupt(host, command, step, plan, 'pause');
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    end = {
      stepId,
      outcome: 'failedBeforeEffect',
      effect: 'failedBeforeCommit',
      reason: 'notStarted',
      text: `The command could not be started: ${words}`,
    };
  }
  end ??= plan.background ? await command.settledInBackground() : await command.finished();
  if (!end) return;
  // Of the stop that comes last: the one before may have frozen it only.
  const looking = host.watch.after(host.state, step, flight.abort.signal.aborted).catch((error: unknown) => {
    if (!(error instanceof StorageError)) throw error;
    return { lost: error };
  });
  const effect = await Promise.race([looking, unanswered(ports, forced.signal)]);
  if (effect && 'changes' in effect) end = withEffect(end, effect);
  // It has ended all the same, and is told: a result that is held back would leave it at work for ever.
  const lost = effect && 'lost' in effect ? effect.lost : undefined;
  if (lost) end = { ...end, text: `${end.text}\nWhat it changed could not be recorded (${lost.message}).` };
  if (effect && 'late' in effect) end = { ...end, ...UNSEEN, text: `${end.text}\n${UNSEEN.text}` };
  await ports.probe.at('tool:afterEffect', step.n);
  if (end.survivors && host.state.survivors.length > 0)
    end = { ...end, survivors: [...(await stillThere(ports, host.state.survivors)), ...end.survivors] };
  await host.dispatch(...(lost ? [haltedBy(lost)] : []), { type: 'stepEnded', end });
  if (effect) host.watch.told();
  if (plan.background && end.outcome === 'done') {
    // Over when all it started is gone, not when its shell is.
    void command.gone().then(() => {
      host.dropCommand(stepId);
      const by = command.endedByHuman ? { by: 'human' as const } : {};
      return host.dispatch({ type: 'backgroundEnded', stepIds: [stepId], survivors: [], ...by });
    });
  } else {
    host.dropCommand(stepId);
  }
}

const UNSEEN = {
  ...({ outcome: 'unknown', effect: 'unknown', reason: 'forced' } as const),
  text: 'The stop was forced, and a file did not answer: what it changed was not looked at.',
};

/** How long a forced stop waits for files that do not answer, ms. */
const FORCED_MS = 1000;

async function unanswered({ clock }: Ports, forced: AbortSignal): Promise<{ late: true }> {
  if (!forced.aborted) await new Promise((resolve) => forced.addEventListener('abort', resolve, { once: true }));
  await clock.sleep(FORCED_MS, new AbortController().signal);
  return { late: true };
}

/** What the command did to files belongs to its result. */
function withEffect(end: StepEnd, { changes, found, elsewhere, asks, text }: CommandEffect): StepEnd {
  return {
    ...end,
    text: text === '' ? end.text : `${end.text}\n${text}`,
    changes,
    found,
    ...(elsewhere.length > 0 ? { elsewhere } : {}),
    ...(asks.length > 0 ? { asks } : {}),
  };
}

/** A stop reaches a command: frozen, waited for, or ended, as the intent and `holdfast.pauseCommands` say. */
async function interrupt(
  host: StepHost,
  command: Command,
  step: Step,
  plan: CommandPlan,
  how: 'pause' | 'end' | 'force',
): Promise<void> {
  const { settings } = host.ports;
  const intent = host.state.stopping?.intent;
  const ends = how !== 'pause' || intent === 'abort' || intent === 'steer';
  if (how === 'force') return command.end('stop', 0);
  // What was declared to stay lives through a pause, from its first moment.
  if (plan.background && !ends) return;
  if (ends || settings.pauseCommands() === 'end') return endCommand(host, step.id, command);
  // What stands need not be waited for, whatever the setting says by now.
  if (settings.pauseCommands() === 'finish' && !command.standsStill) return;
  if ((await command.freeze()) !== 'frozen') return;
  const loose = command.loose();
  const { stoodAt } = command;
  await host.dispatch({
    ...{ type: 'stepFrozen' as const, stepId: step.id },
    ...(stoodAt === undefined ? {} : { stoodAt }),
    ...(loose.length > 0 ? { loose } : {}),
  });
}

function parsed(step: Step): unknown {
  return ARGS[step.tool as ToolName].parse(step.args);
}

/** One sentence about what is wrong with the arguments; undefined: they are fine. */
function badArguments(step: Step): string | undefined {
  if (step.badArgs !== undefined)
    return `The arguments of ${step.tool} are ${nestsTooDeep(step.badArgs) ? 'nested too deeply' : 'no valid JSON'}: ${step.badArgs.slice(0, 200)}`;
  const checked = ARGS[step.tool as ToolName].safeParse(step.args);
  return checked.success ? undefined : `Bad arguments for ${step.tool}: ${faults(checked.error)}.`;
}
