/** What became of a file of the run, and by whom, in the order in which it happened. Pure. */
import type { FileRecord } from '../../core/run/state';

type Touched = Pick<FileRecord, 'by' | 'human' | 'written' | 'original' | 'deletedByHuman' | 'renamedTo'>;

/** The agent's part; undefined: it has written nothing there. */
function byAgent({ written, original }: Touched): string | undefined {
  if (written === undefined) return undefined;
  if (written === null) return 'deleted by the agent';
  return original === null ? 'created by the agent' : 'changed by the agent';
}

/** `created by the agent, then changed by you` */
export function touchedWords(f: Touched): string {
  const agent = byAgent(f);
  const before = agent === undefined ? '' : `${agent}, then `;
  if (f.deletedByHuman)
    return `${before}${f.renamedTo === undefined ? 'deleted by you' : `renamed by you to ${f.renamedTo}`}`;
  if (f.by === 'human') return `${before}${f.written === null ? 'made again' : 'changed'} by you`;
  if (agent === undefined) return f.human ? 'changed by you' : 'read';
  return f.human && f.written !== null ? `${agent}, with changes of yours` : agent;
}
