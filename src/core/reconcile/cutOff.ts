/**
 * A command that its host's end cut off: nobody saw what it did last. Where it may have gone over lines of the human's, they are
 * asked once the world is looked at.
 */
import type { Ports } from '../ports';
import type { DecisionRequest, FileRecord, RunState, Step } from '../run/state';
import { hitOf, linesAfter } from './commandHits';
import { onDisk } from './onDisk';

/** The command that was at work when the host died; undefined: none was, or the run has gone on since. */
export function cutOffCommand(state: RunState): Step | undefined {
  const last = state.steps.findLast((step) => step.outcome !== 'notStarted');
  return state.stale && last?.tool === 'run_command' && last.reason === 'interrupted' ? last : undefined;
}

/** Whether it may have made a change of that time (ms, of the file system); what is gone has none. */
export function mayHaveDone({ startedAt, endedAt, process }: Step, ctimeMs: number | undefined): boolean {
  if (ctimeMs === undefined) return true;
  return ctimeMs >= (startedAt ?? 0) && ctimeMs < (endedAt ?? Infinity) && ctimeMs < (process?.stoodAt ?? Infinity);
}

/** One question for each of the `changed` files of the run that has lost lines of the human's so, and was not asked about before. */
export async function cutOffQuestions(
  ports: Ports,
  state: RunState,
  changed: readonly FileRecord[],
  signal: AbortSignal,
): Promise<DecisionRequest[]> {
  const step = cutOffCommand(state);
  // The times of another machine say nothing of the files here.
  if (!step || (step.startedAt ?? 0) < (state.importedFrom?.at ?? 0)) return [];
  const asks: DecisionRequest[] = [];
  for (const { path, known, owned } of changed) {
    signal.throwIfAborted();
    const now = await onDisk(ports, path);
    if (now.hash === undefined || now.hash === known || !mayHaveDone(step, now.ctimeMs)) continue;
    const lines = await linesAfter(ports, path, owned, known, now);
    const hit = await hitOf(ports, state, { path, before: known, now, lost: lines?.lost ?? [], cutOff: true });
    const ask = hit?.ask(step);
    if (ask && !state.decisions.some((d) => d.subject === ask.subject && d.state === 'answered')) asks.push(ask);
  }
  return asks;
}
