/** Notes where a workspace's runs are; `whereabouts.ts` finds them again, and is all of it that the main entry carries. */
import { realFs } from './fs';
import { makeFolder, replaceFile } from './store/generations';
import { foldersOf, listOf, read, VERSION, versionOf, type Whereabouts } from './whereabouts';

/** More are not remembered. */
const MOST = 500;

/** Notes whose `storage` it is. Rejects with the system's error; a list of a newer version is left alone. */
export async function noteStorage(storage: string, { dirs, global }: Whereabouts): Promise<void> {
  const folders = foldersOf(dirs);
  if (folders === undefined || versionOf(global) > VERSION) return;
  const before = read(global);
  if (before[0]?.storage === storage && JSON.stringify(before[0].folders) === JSON.stringify(folders)) return;
  const workspaces = [{ storage, folders }, ...before.filter((known) => known.storage !== storage)].slice(0, MOST);
  await makeFolder(realFs, global);
  await replaceFile(realFs, listOf(global), Buffer.from(JSON.stringify({ schemaVersion: VERSION, workspaces })));
}
