/** Rows of the view `holdfast.checkpoints`, newest first. Pure. */
import type { RunState, Step } from '../../core/run/state';
import { changedSince, lastChange } from '../documents/hashAt';
import { clock, oneLine, plural } from '../render/words';
import type { TreeNode } from './node';

/** Older ones are counted, not listed: VS Code draws long lists slowly, and nobody reads them. */
const SHOWN = 200;

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** A boundary: the step before it has an outcome that is known. */
const isBoundary = (step: Step): boolean =>
  step.compensates === undefined && !['notStarted', 'running', 'unknown'].includes(step.outcome);

function filesSince(s: RunState, n: number): TreeNode[] {
  return changedSince(s, n).map(({ path }) => ({
    id: `${s.runId}/c${n}/${path}`,
    label: baseOf(path),
    description: path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '',
    tooltip: `${path}\n\nClick to compare what it was then with what is there now.`,
    spoken: `File ${path}: compare what it was then with now`,
    path,
    checkpoint: n,
    runId: s.runId,
    action: { do: 'compare', path, from: n, runId: s.runId },
    children: [],
  }));
}

type Row = Pick<TreeNode, 'label'> & { n: number; at: number; wrote: readonly string[] };

function row(s: RunState, context: string, { n, label, at, wrote }: Row): TreeNode {
  const facts = wrote.length === 0 ? '' : wrote.length === 1 ? baseOf(wrote[0] ?? '') : plural(wrote.length, 'file');
  const changed = lastChange(s) > n;
  const what = changed ? 'Click to see what changed since.' : 'Nothing has changed since.';
  return {
    id: `${s.runId}/c${n}`,
    label,
    description: [clock(at), facts].filter(Boolean).join(' · '),
    tooltip: [label, ...(wrote.length > 0 ? [`Wrote ${wrote.join(', ')}.`] : []), what].join('\n'),
    spoken: `Checkpoint, ${label}, ${clock(at)}. ${what}`,
    icon: { id: wrote.length > 0 ? 'git-commit' : 'circle-small' },
    context,
    runId: s.runId,
    checkpoint: n,
    ...(changed ? { action: { do: 'checkpoint', runId: s.runId, checkpoint: n }, lazy: () => filesSince(s, n) } : {}),
    children: [],
  };
}

/** A fork has the steps of before, and was made after them. */
const began = (s: RunState): number => Math.min(s.createdAt, s.steps[0]?.startedAt ?? s.createdAt);

/** `context`: of the rows, for their menus. */
export function checkpointRows(s: RunState, context: string): TreeNode[] {
  const boundaries = s.steps.filter(isBoundary);
  const shown = boundaries.slice(-SHOWN).toReversed();
  const rows = shown.map((step) => {
    const wrote = step.effect === 'committed' ? [...new Set(step.changes.map((c) => c.path))] : [];
    const label = `After step ${step.n}: ${oneLine(step.title)}`;
    return row(s, context, { n: step.n, label, at: step.endedAt ?? s.updatedAt, wrote });
  });
  const left = boundaries.length - shown.length;
  const more: TreeNode[] =
    left === 0
      ? []
      : [{ id: `${s.runId}/older`, label: plural(left, 'older checkpoint'), icon: { id: 'ellipsis' }, children: [] }];
  return [...rows, ...more, row(s, context, { n: 0, label: 'Before the first step', at: began(s), wrote: [] })];
}
