/** Plays one scenario on a host: set-up, script, expectations, invariants, clean-up. */
import type { RunState, RunStatus } from '../../src/core/run/state';
import { checkExpectations, type Facts } from './expect';
import type { Host } from './hosts/host';
import { fingerprint } from './fingerprint';
import { checkInvariants, reloadProblems } from './invariants';
import { type Living, livingProcesses } from './processes';
import { ScriptedTools, serverNames } from './mcpServer';
import { Script } from './script';
import { ScriptedModel, type SeenRequest } from './server';
import type { Scenario } from './types';
import { within } from './watch';
import type { Place } from './workspace';

const LOOK_LIMIT_MS = 20_000;
/** Helpers of the host itself (they carry no marker) may take a moment to end after their command. */
const HELPER_GRACE_MS = 500;

export interface Result {
  id: string;
  title: string;
  ms: number;
  failures: string[];
  /** Facts that are no failure, but explain one. */
  notes: string[];
  details: {
    timeline: string[];
    requests: readonly SeenRequest[];
    states: RunState[];
    living: readonly Living[];
  };
}

/** The scripted tool server joins the servers that the scenario itself sets. */
function withServers(scenario: Scenario, servers: Record<string, unknown>): Scenario {
  const { settings = {} } = scenario.setup;
  const all = { ...servers, ...(settings['holdfast.mcp.servers'] as object | undefined) };
  return { ...scenario, setup: { ...scenario.setup, settings: { ...settings, 'holdfast.mcp.servers': all } } };
}

/** `mark`: environment entry that everything started by this scenario inherits, where the host can set one. */
export async function play(given: Scenario, host: Host, place: Place, mark?: string): Promise<Result> {
  const startedAt = performance.now();
  const tools = given.setup.mcp && new ScriptedTools(given.setup.mcp);
  const scenario = tools ? withServers(given, await tools.start(serverNames(given))) : given;
  const model = new ScriptedModel(scenario.run.model);
  const script = new Script(scenario, host, place, model);
  const failures: string[] = [];
  let states: RunState[] = [];
  let living: Living[] = [];
  let storageBefore = new Map<string, string>();
  try {
    await place.setUp(scenario.setup);
    if (!host.restarts) storageBefore = await fingerprint(place.storage, { content: true });
    const url = await model.start();
    await within(host.open(scenario, place, url, script.listener), LOOK_LIMIT_MS, 'opening the host');
    try {
      await script.play();
    } finally {
      failures.push(...script.problems);
    }
    ({ states, living } = await within(judge(), 3 * LOOK_LIMIT_MS, 'looking at the result'));
  } catch (error) {
    failures.push((error as Error).message);
    states = await statesOf([...script.seen.runs.keys()]).catch(() => []);
  } finally {
    await close();
    await tools?.stop();
  }
  return {
    id: scenario.id,
    title: scenario.title,
    ms: Math.round(performance.now() - startedAt),
    failures,
    notes: [...script.notes, ...place.notes],
    details: { timeline: script.timeline, requests: model.requests, states, living },
  };

  async function judge(): Promise<{ states: RunState[]; living: Living[] }> {
    const requests = [...model.requests];
    // before anything is started anew: a fresh start ends what the one before left behind
    const alive = await look();
    if (host.restarts && host.processRoot() === undefined) await host.reopen();
    const current = await host.currentRun();
    const known = [...new Set([...script.seen.runs.keys(), ...(current === undefined ? [] : [current])])];
    const all = await statesOf(known);
    const statusOf = (runId: string): RunStatus | undefined => all.find((s) => s.runId === runId)?.status;
    const facts: Facts = {
      place,
      state: all.find((s) => s.runId === current),
      named: new Map([...script.names].map(([name, runId]) => [name, statusOf(runId)])),
      requests,
      resumedAt: script.resumedAt,
      settled: script.settled,
      living: alive,
      storage: host.storage(),
      storageBefore,
      buffer: (path) => host.buffer(path),
    };
    failures.push(...(await checkExpectations(scenario.expect, facts)));
    failures.push(
      ...(await checkInvariants({
        place,
        states: all,
        living: alive,
        unpaired: model.unpaired,
        backwards: script.seen.wrong,
      })),
    );
    if (host.restarts) failures.push(...(await freshStart(all)));
    return { states: all, living: alive };
  }

  /** What the runs of this scenario have started and what lives now. */
  async function look(): Promise<Living[]> {
    const search = { runIds: [...script.seen.runs.keys()], root: host.processRoot(), mark };
    const end = performance.now() + HELPER_GRACE_MS;
    for (;;) {
      const found = livingProcesses(search);
      const unmarked = found.some((p) => p.marker === undefined);
      if (!unmarked || performance.now() > end) return found;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  async function statesOf(runIds: readonly string[]): Promise<RunState[]> {
    const found = await Promise.all(runIds.map((id) => host.state(id)));
    return found.filter((s) => s !== undefined);
  }

  async function freshStart(before: readonly RunState[]): Promise<string[]> {
    await host.kill();
    script.seen.hostGone();
    await host.reopen();
    const listed = await host.runs();
    const checked = before.map(async (state) => reloadProblems(state, await host.state(state.runId), listed));
    return (await Promise.all(checked)).flat();
  }

  async function close(): Promise<void> {
    const root = host.processRoot();
    const search = { runIds: [...script.seen.runs.keys()], root, mark };
    await host.close().catch((error: Error) => failures.push(`closing the host: ${error.message}`));
    for (const { pid } of livingProcesses(search)) kill(pid);
    await model.stop();
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // ended meanwhile
  }
}
