/**
 * A command that its host's end cut off: nobody saw what it did last. Where it may have gone over lines of the human's, they are
 * asked at the next start.
 */
import type { Ports } from '../ports';
import type { DecisionRequest, RunState, Step, Theirs } from '../run/state';
import { hitOf, linesAfter } from './commandHits';
import { Keeper, onDisk } from './onDisk';

/** The command that was at work when the host died; undefined: none was, or the run has gone on since. */
export function cutOffCommand(state: RunState): Step | undefined {
  // One that is to run again has been at work.
  const last = state.steps.findLast((step) => step.outcome !== 'notStarted' || step.repeatOf !== undefined);
  return state.stale && last?.tool === 'run_command' && last.reason === 'interrupted' ? last : undefined;
}

/** Whether it may have made a change of that time (ms, of the file system); what is gone has none. */
export function mayHaveDone(
  { receipts }: Pick<RunState, 'receipts'>,
  { startedAt = 0, process }: Step,
  ctimeMs: number | undefined,
): boolean {
  if (ctimeMs === undefined) return true;
  // It was dead when its end was written down.
  const death = receipts.find(({ intent, at }) => intent === 'interrupted' && at >= startedAt);
  const until = Math.min(process?.stoodAt ?? Infinity, death?.at ?? Infinity);
  return ctimeMs >= startedAt && ctimeMs < until;
}

/**
 * One question for each file that has lost something of the human's so: of the run's, and of their own that the command found. What
 * cannot be read or copied now keeps no other question from being asked.
 */
export async function cutOffQuestions(ports: Ports, state: RunState, step: Step): Promise<DecisionRequest[]> {
  const keep = new Keeper(ports);
  const asks: DecisionRequest[] = [];
  const own = state.files.map(({ path, known, owned }): Theirs => ({ path, hash: known, ...(owned ? { owned } : {}) }));
  for (const { path, hash: before, owned, standing } of [...own, ...(step.theirs ?? [])]) {
    if (!owned && !standing && state.made?.includes(path) !== true) continue;
    try {
      const now = await onDisk(ports, path);
      if (now.hash === before || !mayHaveDone(state, step, now.ctimeMs)) continue;
      const copied = await keep.bytes(path, now.bytes);
      const lines = await linesAfter(ports, path, owned, before, now);
      const more = { copied, lost: lines?.lost ?? [], cutOff: true, ...(standing ? { standing } : {}) };
      const hit = await hitOf(ports, state, { path, before, now, ...more });
      if (hit) asks.push(hit.ask(step));
    } catch (error) {
      ports.log.error(`what a cut off command made of ${path} could not be looked at`, error);
    }
  }
  return asks;
}
