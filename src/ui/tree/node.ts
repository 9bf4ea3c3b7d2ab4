/** A row of the run tree as data, and what changed between two trees. Pure. */

export interface TreeIcon {
  id: string;
  color?: string;
}

export type TreeAction =
  | { do: 'transcript'; runId?: string }
  | { do: 'checkpoint'; runId: string; checkpoint: number }
  | { do: 'answer'; decisionId: string; choice: string }
  | { do: 'change'; decisionId: string }
  | { do: 'compare'; path: string; from: 'start' | 'last' | number; runId?: string }
  | { do: 'openFile'; path: string }
  | { do: 'takeControl' }
  | { do: 'receipt' }
  | { do: 'output' }
  | { do: 'reconcile' };

export interface TreeNode {
  /** Stable over the life of a run: VS Code keeps selection and expansion by it. */
  id: string;
  label: string;
  description?: string;
  tooltip?: string;
  icon?: TreeIcon;
  /** What a screen reader says instead of label and description. */
  spoken?: string;
  context?: string;
  /** What item-only commands and the click act on. */
  path?: string;
  decisionId?: string;
  noteId?: string;
  guardId?: string;
  runId?: string;
  checkpoint?: number;
  action?: TreeAction;
  open?: boolean;
  children: readonly TreeNode[];
  /** Children that are made when the row is opened, instead of `children`. */
  lazy?: () => readonly TreeNode[];
}

const FIELDS = [
  'label',
  'description',
  'tooltip',
  'spoken',
  'context',
  'path',
  'decisionId',
  'noteId',
  'guardId',
] as const;

const sameRow = (a: TreeNode, b: TreeNode): boolean =>
  FIELDS.every((field) => a[field] === b[field]) &&
  a.icon?.id === b.icon?.id &&
  a.icon?.color === b.icon?.color &&
  a.children.length > 0 === b.children.length > 0 &&
  JSON.stringify(a.action) === JSON.stringify(b.action);

const sameIds = (a: readonly TreeNode[], b: readonly TreeNode[]): boolean =>
  a.length === b.length && a.every((node, i) => node.id === b[i]?.id);

/**
 * The rows to refresh, so that everything that differs is drawn anew and nothing else: a row whose children came or went
 * stands for all below it. `root`: rows of the first level came or went.
 */
export function changedRows(before: readonly TreeNode[], after: readonly TreeNode[]): { root: boolean; ids: string[] } {
  if (!sameIds(before, after)) return { root: true, ids: [] };
  const ids: string[] = [];
  const walk = (old: readonly TreeNode[], now: readonly TreeNode[]): void => {
    now.forEach((node, i) => {
      const was = old[i];
      if (!was || was === node) return;
      if (!sameRow(was, node) || !sameIds(was.children, node.children)) ids.push(node.id);
      if (sameIds(was.children, node.children)) walk(was.children, node.children);
    });
  };
  walk(before, after);
  return { root: false, ids };
}
