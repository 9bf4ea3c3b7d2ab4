/** What differs between the workspace a run comes from and this one. Looks, and changes nothing. */
import { FileError } from '../errors';
import type { Path, Ports } from '../ports';
import type { FileRecord, RunState } from '../run/state';
import { secretTest } from '../tools/policy';
import { look } from '../world';
import type { ArchiveHead, Base } from './archive';

/** Of the files a run knows, those that are not here what they were to it. Each list in order. */
export interface Differences {
  same: number;
  /** It is here with other content. */
  different: Path[];
  missing: Path[];
  /** The run knows it as not there, and here it is. */
  extra: Path[];
  /** Cannot be read, or is no file. */
  unreadable: Path[];
  /** Secret-looking: nothing to compare with came along. */
  secret: Path[];
}

/** Where a run was imported from, and how this workspace stood to that one then. */
export interface ImportedFrom {
  /** Its id there. */
  runId: string;
  exportedAt: number;
  /** Of the import. */
  at: number;
  base: Base | null;
  here: Base | null;
  /** Names of the workspace folders there, where they are not those that are open here. */
  folders?: string[];
  files: Differences;
  /** Contents it refers to that did not come along: what they hold cannot be shown or restored. */
  missingContents: number;
  /** Why what drives it cannot be used here, in one sentence. */
  engine?: string;
}

export type BaseVerdict = 'same' | 'different' | 'unknown';

/** Is it the same commit? Two folders without a repository say nothing of each other. */
export function baseVerdict({ base, here }: Pick<ImportedFrom, 'base' | 'here'>): BaseVerdict {
  if (base === null && here === null) return 'unknown';
  return base?.head === here?.head && base !== null && here !== null ? 'same' : 'different';
}

/** Paths of a run with several folders begin with a folder's name; with one, the name is of no matter. */
export function foldersDiffer(there: readonly string[], here: readonly string[]): boolean {
  if (there.length === 1 && here.length === 1) return false;
  return there.length !== here.length || there.some((name) => !here.includes(name));
}

type Verdict = Exclude<keyof Differences, 'same'> | 'same';

async function verdict(ports: Ports, record: FileRecord, isSecret: (path: Path) => boolean): Promise<Verdict> {
  if (isSecret(record.path)) return 'secret';
  try {
    const now = await look(ports, record.path);
    if (now.type === 'missing') return record.known === null ? 'same' : 'missing';
    if (now.type !== 'file') return now.type === record.knownType ? 'same' : 'unreadable';
    if (record.known === null) return record.knownType === 'missing' ? 'extra' : 'different';
    return now.hash === record.known ? 'same' : 'different';
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return 'unreadable';
  }
}

export async function compareFiles(ports: Ports, state: RunState): Promise<Differences> {
  const found: Differences = { same: 0, different: [], missing: [], extra: [], unreadable: [], secret: [] };
  const isSecret = secretTest(ports.settings);
  for (const record of state.files) {
    const is = await verdict(ports, record, isSecret);
    if (is === 'same') found.same += 1;
    else found[is].push(record.path);
  }
  for (const list of Object.values(found) as (Path[] | number)[]) if (Array.isArray(list)) list.sort();
  return found;
}

export const baseOf = (git: RunState['git'] | undefined): Base | null =>
  git && !git.none ? { branch: git.branch, head: git.head } : null;

/** All of it, for a run whose state came in a file with this head. */
export async function compareWorkspaces(
  ports: Ports,
  incoming: { head: ArchiveHead; missing: number },
  state: RunState,
): Promise<{ from: ImportedFrom; git: RunState['git'] }> {
  const { head } = incoming;
  const paths = state.files.map(({ path }) => path);
  const git = (await ports.git.state(new AbortController().signal, paths).catch(() => undefined)) ?? null;
  const opened = await ports.models.open(state.engine);
  const here = ports.files.roots().map(({ name }) => name);
  return {
    git,
    from: {
      runId: head.runId,
      exportedAt: head.exportedAt,
      at: ports.clock.now(),
      base: head.base,
      here: baseOf(git),
      ...(foldersDiffer(head.folders, here) ? { folders: head.folders } : {}),
      files: await compareFiles(ports, state),
      missingContents: incoming.missing,
      ...('error' in opened ? { engine: opened.error.message } : {}),
    },
  };
}
