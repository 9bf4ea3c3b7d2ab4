/** One life of a host that is to be killed: it goes on with the run where the last one was cut off, until all is done. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { HoldfastCore } from '../../../../src/core/api';
import { openHoldfast } from '../../../../src/core/holdfast';
import { isFinal, type RunState } from '../../../../src/core/run/state';
import { pendingDecisions } from '../../../../src/core/run/update';
import { sha256 } from '../../../../src/node/hash';
import { nodePorts, type Place } from './host';
import { type Point, wrapAll } from './points';

export interface Life extends Place {
  /** A file: too long for an environment. */
  playbook: string;
  /** It kills itself at this point, counted from 1. */
  dieAt?: number;
  /** Not before the call but in its middle, where that can be: half of a write is done. */
  half?: boolean;
  /** What the human does when the run is over: files back and forth, a step undone, a fork made and deleted. */
  acts?: boolean;
  /** What the lives before had told. */
  told?: string[];
}

/** How the run is found after a start. */
export interface Opened {
  seq: number;
  status: string;
  unknown: string[];
  steps: [string, string][];
  /** Files of the last restore, or undo of one, that are other than it says. */
  lies: string[];
  runs: string[];
}

/** What the parent hears, one line each. */
export type Heard =
  | { opened: Opened | null }
  | { done: string }
  /** Something the human asked for was answered. */
  | { told: string }
  | { final: string; points: string[] };

const tell = (heard: Heard): void => void process.stdout.write(`${JSON.stringify(heard)}\n`);

type Happened = (step: RunState['steps'][number]) => boolean;

/** `happened`: what a human finds when they look. */
export async function live(
  { playbook, acts, told = [], dieAt, half, ...place }: Life,
  happened: Happened,
): Promise<void> {
  // Nobody hears it any more.
  process.stdin
    .on('close', () => process.exit(1))
    .resume()
    .unref();
  const points: string[] = [];
  const die = process.kill.bind(process, process.pid, 'SIGKILL');
  await wrapAll((point: Point) => {
    points.push(`${point.half ? 'half ' : ''}${point.op} ${point.what}`);
    if (points.length !== dieAt) return;
    if (half) point.half?.();
    die();
  });
  const core = await openHoldfast(nodePorts(place, true));
  const runs = core.runs().map(({ runId }) => runId);
  // The fork, where there is one, is the newer.
  const known = runs.at(-1);
  const before = known === undefined ? undefined : await core.load(known);
  const reported = new Set<string>();
  const report = (state: RunState): void => {
    if (state.forkedFrom) return;
    for (const step of state.steps) {
      if (step.outcome !== 'done' || reported.has(step.id)) continue;
      reported.add(step.id);
      tell({ done: step.id });
    }
  };
  tell({
    opened: before
      ? { ...opened(before, runs, place), ...(told.includes('restore undone') ? { lies: [] } : {}) }
      : null,
  });
  core.onDidChange(report);
  const source = readFileSync(playbook, 'utf8');
  const engine = { kind: 'playbook' as const, label: 'kill.playbook.json', source, format: 'json' as const };
  const started = before ? { runId: before.runId } : await core.startRun({ engine });
  if (!('runId' in started)) throw new Error(started.message);
  const { runId } = started;
  const final = await drive(core, runId, happened);
  if (acts) await actsOfHuman(core, runId, told, happened);
  await core.dispose();
  tell({ final, points });
}

async function drive(core: HoldfastCore, runId: string, happened: Happened): Promise<string> {
  for (;;) {
    const state = await core.settled(runId);
    const [decision] = pendingDecisions(state);
    const step = state.steps.find((s) => s.id === decision?.stepId);
    if (decision && !step) throw new Error(`asked: ${decision.title} ${decision.detail ?? ''}`);
    if (isFinal(state.status) && !decision) return state.status;
    if (decision && step) {
      const not = isFinal(state.status) || step.compensates !== undefined ? 'didNotHappen' : 'runAgain';
      granted(await core.decide({ decisionId: decision.id, choice: happened(step) ? 'happened' : not }));
    } else granted(await core.resume({ runId }));
  }
}

/** Each is done again until it was answered: a human who saw the window die does the same. */
async function actsOfHuman(core: HoldfastCore, runId: string, told: string[], happened: Happened): Promise<void> {
  const act = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    if (told.includes(name)) return;
    await work();
    tell({ told: name });
  };
  const state = (): RunState => {
    const found = core.get(runId);
    if (!found) throw new Error('the run is gone');
    return found;
  };
  await act('restored', async () => granted(await core.restoreCheckpoint({ runId, checkpoint: 'start' })));
  await act('restore undone', async () => {
    const restores = state().restores?.filter(({ kind }) => kind === 'restore') ?? [];
    for (const { id } of restores.reverse()) granted(await core.undoRestore({ undo: id }));
  });
  const forks = (): string[] => core.runs().flatMap((run) => (run.runId === runId ? [] : [run.runId]));
  await act('forked', async () => {
    if (forks().length === 0) granted(await core.forkRun({ runId, checkpoint: 2 }));
  });
  await act('step undone', async () => {
    // Of a life before this one.
    await drive(core, runId, happened);
    for (let tries = 0; tries < 5 && !state().steps.some(isUndo); tries += 1) {
      granted(await core.compensate({ runId }));
      await drive(core, runId, happened);
    }
  });
  await act('deleting', () => Promise.resolve());
  await act('deleted', async () => {
    for (const fork of forks()) granted(await core.deleteRun({ runId: fork }));
  });
}

const isUndo = (step: RunState['steps'][number]): boolean => step.compensates !== undefined && step.outcome === 'done';

function granted<T extends object>(answer: T): Exclude<T, { refused: unknown }> {
  if ('refused' in answer) throw new Error(`refused: ${JSON.stringify(answer)}`);
  return answer as Exclude<T, { refused: unknown }>;
}

const opened = (state: RunState, runs: string[], { workspace }: Place): Opened => ({
  ...{ seq: state.seq, status: state.status, runs },
  unknown: state.steps.filter((s) => s.outcome === 'unknown').map((s) => s.id),
  steps: state.steps.map((s): [string, string] => [s.id, s.outcome]),
  lies: (state.restores?.at(-1)?.files ?? []).flatMap(({ path: file, before, after, done }) => {
    const at = path.join(workspace, file);
    const now = existsSync(at) ? sha256(readFileSync(at)) : null;
    return now === (done ? after : before) ? [] : [`${file} is ${done ? 'said' : 'not said'} to be ${after}`];
  }),
});
