/** Folders of a workspace with several that were there when the run stopped, and are gone. */
import { FileError } from '../errors';
import type { Path, Ports } from '../ports';
import type { RunState } from '../run/state';
import type { Report } from './report';

const LOST: ReadonlySet<string> = new Set(['humanDeleted', 'humanRenamed', 'unreadable']);

const folderOf = (path: Path): string => path.split('/')[0] ?? '';

async function isMissing(files: Ports['files'], folder: string): Promise<boolean> {
  try {
    await files.stat(folder);
    return false;
  } catch (error) {
    if (error instanceof FileError) return error.code === 'notFound';
    throw error;
  }
}

/**
 * Names of those that the report misses files in: from the disk, or taken out of the workspace. Told once: the run knows its files
 * as deleted then.
 */
export async function goneFolders(
  { files }: Pick<Ports, 'files'>,
  state: Pick<RunState, 'files'>,
  report: Pick<Report, 'files' | 'elsewhere'>,
): Promise<string[]> {
  const open = new Set(files.roots().map(({ name }) => name));
  if (open.size < 2) return [];
  const lost = [
    ...report.files.filter(({ verdict }) => LOST.has(verdict)),
    ...(report.elsewhere?.changes ?? []).filter(({ kind }) => kind === 'deleted'),
  ];
  // With one folder open its name stands before no path: then nothing can be told of a run that is older than the second.
  const named = state.files.some(({ path }) => open.has(folderOf(path)));
  const gone: string[] = [];
  for (const folder of new Set(lost.map(({ path }) => folderOf(path))))
    if (open.has(folder) ? await isMissing(files, folder) : named) gone.push(folder);
  return gone.sort();
}
