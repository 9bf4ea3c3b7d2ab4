/** What a restore is called on screen: its files, its single changes, its outcome. In the bundle of the engine. Pure. */
import { nameOf } from '../../core/checkpoints/history';
import type { FilePlan, UndoHunk, UndoResult } from '../../core/checkpoints/types';
import { capital, inMessage, inPick, plural } from '../render/words';
import type { FileChoice, Way } from './words';

const backTo = (checkpoint: number): string => (checkpoint === 0 ? nameOf(0) : `the state after ${nameOf(checkpoint)}`);

/** Said beside the diff: what it shows, and what can be done with it. */
export function shownWords({ kind, checkpoint }: Way, choices: readonly FileChoice[]): string {
  const files = plural(choices.length, 'file');
  if (kind === 'review') return `The run changed ${files}: before on the left, now on the right.`;
  const whole = choices.filter((one) => one.picked).length;
  const single = choices.length - whole;
  const goes = whole === 0 ? [] : [`${plural(whole, 'file')} would go back to ${backTo(checkpoint)}`];
  const mixed =
    single === 0 ? [] : [`you changed ${single === 1 ? 'one' : single}${whole === 0 ? ` of the files` : ' more'} too`];
  return inMessage(`${capital([...goes, ...mixed].join('; '))}. Nothing has changed yet.`, 300);
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

const oneLine = (lines: readonly string[]): string => inPick(lines.map((line) => line.trim()).join(' ⏎ '), 70);

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
  const where = to === undefined ? '' : ` to ${backTo(to)}`;
  const first = skipped[0]?.message ?? '';
  const more = skipped.length > 1 ? ` And ${skipped.length - 1} more left alone.` : '';
  return inMessage(`${verb} ${plural(restored.length, 'file')}${where}.${first === '' ? '' : ` ${first}`}${more}`, 300);
}

export const leftAlone = (plans: readonly FilePlan[]): string => {
  const skipped = plans.filter((plan) => plan.action === 'skip');
  const first = skipped[0]?.message ?? '';
  return skipped.length > 1 ? `${first} And ${skipped.length - 1} more.` : first;
};
