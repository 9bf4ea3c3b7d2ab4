/** The address of a document made from a run: its last part is what stands on the tab. Pure. */
import type { RunState } from '../../core/run/state';
import { clock, oneLine } from '../render/words';

const GOAL = 22;
const BETWEEN = ' · ';

/** `/<run>/Receipts · Greet more formally, 14:05:09`: two runs, also of one goal, are told apart on their tabs. */
export function documentPath(
  name: string,
  { runId, goal, createdAt }: Pick<RunState, 'runId' | 'goal' | 'createdAt'>,
): string {
  const about = oneLine(goal, GOAL).replace(/[\\/]/g, '-');
  return `/${runId}/${name}${BETWEEN}${about}, ${clock(createdAt)}`;
}

/** What such an address names; undefined: it is none. */
export function namedBy(path: string): { runId: string; name: string } | undefined {
  const [runId, file] = path.slice(1).split('/');
  const name = file?.split(BETWEEN)[0];
  return runId && name ? { runId, name } : undefined;
}
