/** A host in a process of its own, to be killed: the core on its Node adapters, without an editor. It resumes until all is done. */
import path from 'node:path';
import { openHoldfast } from '../../../../src/core/holdfast';
import type { HoldfastCore } from '../../../../src/core/api';
import type { Buffers, Ports, Settings } from '../../../../src/core/ports';
import { noProbe } from '../../../../src/core/probe';
import { isFinal, type RunState } from '../../../../src/core/run/state';
import { pendingDecisions } from '../../../../src/core/run/update';
import { toolArguments } from '../../../../src/core/tools';
import { createModels } from '../../../../src/models/index';
import { realClock } from '../../../../src/node/clock';
import { NodeFiles } from '../../../../src/node/files';
import { realFs } from '../../../../src/node/fs';
import { NodeGit } from '../../../../src/node/git';
import { sha256 } from '../../../../src/node/hash';
import { nodeIds } from '../../../../src/node/ids';
import { NodeProcesses } from '../../../../src/node/processes';
import { NodeStore } from '../../../../src/node/store';
import { withPoints } from '../../../sim/points';

export interface Place {
  workspace: string;
  storage: string;
  /** It kills itself at this point, counted from 1: before the call of that number that changes a file or starts a command. */
  dieAt?: number;
}

/** How many points this process has come by. */
let points = 0;

const noBuffers: Buffers = {
  get: () => undefined,
  dirty: () => [],
  edit: () => Promise.resolve(false),
  save: () => Promise.resolve(false),
  discard: () => Promise.resolve(false),
  settle: () => Promise.resolve('notOpen'),
};

const settings: Settings = {
  approvals: () => 'auto',
  approvalTtlMinutes: () => 60,
  pauseCommands: () => 'freeze',
  stopGraceMs: () => 500,
  unsavedOnResume: () => 'ask',
  humanLines: () => 'ask',
  protectedPaths: () => [],
  sensitivePaths: () => [],
  secretPaths: () => [],
  commandsAllow: () => [],
  commandsDeny: () => [],
  limits: () => ({}),
};

export function nodePorts({ workspace, storage, dieAt }: Place): Ports {
  const roots = [{ name: path.basename(workspace), dir: workspace }];
  const point = (): void => {
    points += 1;
    if (points === dieAt) process.kill(process.pid, 'SIGKILL');
  };
  const fs = withPoints(realFs, point);
  const files = new NodeFiles({ roots, reserved: [storage], fs });
  const processes = new NodeProcesses({ folder: (given) => files.folder(given) });
  const spawn = processes.spawn.bind(processes);
  processes.spawn = async (options) => {
    point();
    const started = await spawn(options);
    point();
    return started;
  };
  const nothing = { baseUrl: () => undefined, modelId: () => undefined, key: () => Promise.resolve(undefined) };
  return {
    files,
    buffers: noBuffers,
    models: createModels({ openai: nothing, defaultProvider: () => 'playbook', tools: toolArguments() }),
    processes,
    store: new NodeStore({ dir: storage, fs }),
    clock: realClock,
    ids: nodeIds,
    git: new NodeGit({ roots, fs: realFs }),
    diagnostics: { get: () => Promise.resolve(undefined) },
    settings,
    output: { opened: () => undefined, data: () => undefined, closed: () => undefined },
    log: { info: () => undefined, warn: () => undefined, error: (message, error) => console.error(message, error) },
    probe: noProbe,
    hash: sha256,
  };
}

/** What the parent hears, one line each. */
export type Heard =
  | { opened: { seq: number; status: string; unknown: string[]; steps: [string, string][] } | null }
  | { done: string }
  | { final: string; points: number };

const tell = (heard: Heard): void => void process.stdout.write(`${JSON.stringify(heard)}\n`);

/** `happened`: what a human finds when they look. */
export async function hostUntilDone(
  place: Place,
  playbook: string,
  happened: (step: RunState['steps'][number]) => boolean,
): Promise<void> {
  const core = await openHoldfast(nodePorts(place));
  const known = core.runs()[0]?.runId;
  const before = known === undefined ? undefined : await core.load(known);
  const told = new Set<string>();
  const report = (state: RunState): void => {
    for (const step of state.steps) {
      if (step.outcome !== 'done' || told.has(step.id)) continue;
      told.add(step.id);
      tell({ done: step.id });
    }
  };
  tell({ opened: before ? summary(before) : null });
  core.onDidChange(report);
  const engine = { kind: 'playbook' as const, label: 'kill.playbook.json', source: playbook, format: 'json' as const };
  const started = before ? { runId: before.runId } : await core.startRun({ engine });
  if (!('runId' in started)) throw new Error(started.message);
  await drive(core, started.runId, happened);
}

async function drive(
  core: HoldfastCore,
  runId: string,
  happened: (step: RunState['steps'][number]) => boolean,
): Promise<void> {
  for (;;) {
    const state = await core.settled(runId);
    if (isFinal(state.status)) {
      await core.dispose();
      tell({ final: state.status, points });
      return;
    }
    const [decision] = pendingDecisions(state);
    const step = state.steps.find((s) => s.id === decision?.stepId);
    if (decision && step)
      await core.decide({ decisionId: decision.id, choice: happened(step) ? 'happened' : 'runAgain' });
    else await core.resume({ runId });
  }
}

const summary = (state: RunState) => ({
  seq: state.seq,
  status: state.status,
  unknown: state.steps.filter((s) => s.outcome === 'unknown').map((s) => s.id),
  steps: state.steps.map((s): [string, string] => [s.id, s.outcome]),
});
