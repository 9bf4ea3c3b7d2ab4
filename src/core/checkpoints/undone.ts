/**
 * A step undone after the boundary a fork begins at: its effect is gone all the same, for the world was changed. The fork knows it,
 * and its model is told. Pure.
 */
import { isSettled } from '../run/compensable';
import type { Entry, RunState, Step } from '../run/state';

/** What the fork of `source` at boundary `n` has to know of its step: how, and in which run, it was undone later. */
export function undoneLater(source: RunState, n: number, step: Step): Pick<Step, 'undone'> {
  const undo = source.steps.slice(n).findLast((one) => one.compensates === step.id && isSettled(one));
  if (!undo) return step.undone ? { undone: step.undone } : {};
  const known = undo.outcome === 'done';
  return { undone: { runId: source.runId, n: undo.n, tool: undo.tool, known } };
}

/** In words, for the human who asks for it again and for the model. `parent`: the run that this one was forked from. */
export function undoneWords({ n, title, undone }: Step, parent: string | undefined): string {
  if (!undone) return '';
  const run =
    undone.runId === parent ? 'the run that this one was forked from' : 'an earlier run that this one goes back to';
  const by = `by step ${undone.n} (${undone.tool}) of ${run}`;
  return undone.known
    ? `Step ${n} (${title}) was undone ${by}: its effect is not there any more.`
    : `Step ${n} (${title}) may have been undone ${by}: whether its effect is still there is unknown.`;
}

/** What `told` does not say yet. A playbook's fork has nobody to tell: its reader sees it. */
export function tellUndone(
  steps: readonly Step[],
  told: readonly Entry[],
  parent: string,
  fixed: boolean,
  at: number,
): Entry[] {
  const known = new Set(
    told.flatMap((entry) => (entry.kind === 'report' || entry.kind === 'remark' ? [entry.text] : [])),
  );
  return steps
    .filter((step) => step.undone && !known.has(undoneWords(step, parent)))
    .map((step) => ({ kind: fixed ? 'remark' : 'report', text: undoneWords(step, parent), at }));
}

/** What `source`, a fork itself, was told of its parent is true of another generation in the next one. */
export function ofTheirParent(source: RunState, entry: Entry): Entry {
  if (entry.kind !== 'report' && entry.kind !== 'remark') return entry;
  const step = source.steps.find((one) => one.undone && undoneWords(one, source.forkedFrom?.runId) === entry.text);
  return step ? { ...entry, text: undoneWords(step, source.runId) } : entry;
}
