import type { RunState } from '../../core/run/state';
import type { TreeNode } from './node';

/** A heading with its rows; none where there are no rows. Pure. */
export const section = (
  s: RunState,
  name: string,
  icon: string,
  children: TreeNode[],
  description?: string,
): TreeNode[] =>
  children.length === 0
    ? []
    : [
        {
          id: `${s.runId}/${name}`,
          label: name,
          description: description ?? String(children.length),
          icon: { id: icon },
          open: true,
          children,
        },
      ];
