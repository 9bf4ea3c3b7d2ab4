/**
 * What can be taken back: an effect that is there, of a step that names its compensation (`undo:` of a playbook, `compensate` of
 * a tool of a server). Files go back by a restore, which needs none. Pure.
 */
import { filled } from '../filled';
import { splitName } from '../toolNames';
import type { RunState, Step } from './state';
import { isFinal, isResting } from './state';

export interface UndoCall {
  tool: string;
  args: unknown;
}

/** The call that takes a step's effect back; undefined: none is named. */
export function undoOf(step: Step): UndoCall | undefined {
  if (step.undo) return step.undo;
  const rule = step.contract?.compensate;
  const server = splitName(step.tool)?.server;
  if (!rule || server === undefined) return undefined;
  const args = typeof step.args === 'object' && step.args !== null ? (step.args as Record<string, unknown>) : {};
  return { tool: `mcp.${server}.${rule.tool}`, args: filled(rule.with, args) };
}

/** Taken back already, or perhaps: doing it once more could do harm. One that failed may be tried again. */
export const isSettled = (undo: Step): boolean => ['done', 'unknown', 'running'].includes(undo.outcome);

/** Pairs of a step and the call that would take its effect back, the last step first: that is the order to undo in. */
export function compensable(s: RunState): { step: Step; undo: UndoCall }[] {
  const settled = new Set(s.steps.flatMap((x) => (x.compensates !== undefined && isSettled(x) ? [x.compensates] : [])));
  return s.steps
    .filter(
      (step) => step.effect === 'committed' && step.compensates === undefined && !step.undone && !settled.has(step.id),
    )
    .flatMap((step) => {
      const undo = undoOf(step);
      return undo ? [{ step, undo }] : [];
    })
    .reverse();
}

/** Only where nothing else of the run is at work: it has ended, it is paused, or the human has control. */
export const mayCompensate = (s: RunState): boolean =>
  (isFinal(s.status) || isResting(s.status)) && s.inFlight === null && s.frozen === null && !s.compensating;
