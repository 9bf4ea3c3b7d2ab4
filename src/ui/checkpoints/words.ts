/** What a restore is called on screen: its files, its single changes, its outcome. Pure. */
import { nameOf } from '../../core/checkpoints/history';
import type { FilePlan, UndoHunk, UndoResult } from '../../core/checkpoints/types';
import { inMessage, plural } from '../render/words';

/** One choice: a file, or both names of one that is moved back. */
export interface FileChoice {
  label: string;
  description: string;
  detail?: string;
  plan: FilePlan;
  /** What a restore of it names. */
  paths: string[];
  /** Taken unless the human says otherwise. */
  picked: boolean;
}

const WHAT: Readonly<Record<FilePlan['action'], string>> = {
  restore: 'goes back',
  remove: 'made by the run: is removed',
  merge: 'you changed it too: pick single changes',
  skip: 'stays',
};

/** Files a restore can change; the side of a move that goes is told with the one that comes. */
export function choicesOf(plans: readonly FilePlan[], pickAll: boolean): FileChoice[] {
  return plans
    .filter((plan) => plan.action !== 'skip' && plan.movedTo === undefined)
    .map((plan) => {
      const { path, action, movedFrom, before, unsaved, conflicts } = plan;
      const what =
        movedFrom !== undefined
          ? `moved back from ${movedFrom}`
          : action === 'restore' && before === null
            ? 'deleted by the run: comes back'
            : WHAT[action];
      return {
        label: path,
        description: `${what}${unsaved ? ' (in the unsaved text of the editor)' : ''}`,
        ...(conflicts ? { detail: `${plural(conflicts, 'change')} cannot be undone: you changed the same lines` } : {}),
        plan,
        paths: movedFrom === undefined ? [path] : [path, movedFrom],
        picked: pickAll && action !== 'merge',
      };
    });
}

const oneLine = (lines: readonly string[]): string => inMessage(lines.map((line) => line.trim()).join(' ⏎ '), 70);

/** A single change: where, what stands there, what comes back. */
export function hunkLabel(hunk: UndoHunk, now: readonly string[]): { label: string; detail: string } {
  const { from, to, lines } = hunk;
  const gone = now.slice(from, to);
  const where = to - from > 1 ? `Lines ${from + 1}–${to}` : to === from ? `After line ${from}` : `Line ${from + 1}`;
  const back = lines.length === 0 ? 'nothing' : oneLine(lines);
  return { label: where, detail: `now: ${gone.length === 0 ? 'nothing' : oneLine(gone)} → then: ${back}` };
}

/** One sentence or two: how many, and the first reason why one was left alone. */
export function outcome(result: UndoResult, verb: string, to?: number): string {
  const { restored, skipped } = result;
  const where = to === undefined ? '' : ` to ${to === 0 ? nameOf(0) : `the state after ${nameOf(to)}`}`;
  const first = skipped[0]?.message ?? '';
  const more = skipped.length > 1 ? ` And ${skipped.length - 1} more left alone.` : '';
  return inMessage(`${verb} ${plural(restored.length, 'file')}${where}.${first === '' ? '' : ` ${first}`}${more}`, 300);
}

export const leftAlone = (plans: readonly FilePlan[]): string => {
  const skipped = plans.filter((plan) => plan.action === 'skip');
  const first = skipped[0]?.message ?? '';
  return skipped.length > 1 ? `${first} And ${skipped.length - 1} more.` : first;
};
