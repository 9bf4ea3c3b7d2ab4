/** Which mark a file of a run gets. Pure. */
import type { FileRecord } from '../core/run/state';

export type FileMark = 'agent' | 'human';

/**
 * `now`: hash of what is on disk; null: nothing is there; undefined: not known. A file that was only read and is as it was
 * gets none. What the human changed comes before what the run wrote: it is what the run does not know yet.
 */
export function markOf(file: FileRecord, now: string | null | undefined): FileMark | undefined {
  if (file.noBlob) return file.by === 'read' ? undefined : file.by;
  const changed = now !== undefined && now !== file.known && file.base !== undefined;
  if (changed || file.by === 'human' || file.deletedByHuman) return 'human';
  return file.by === 'agent' ? 'agent' : undefined;
}
