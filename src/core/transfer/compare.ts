/** What differs between the workspace a run comes from and this one. Looks, and changes nothing. */
import { FileError } from '../errors';
import type { Path, Ports } from '../ports';
import type { FileRecord, RunState } from '../run/state';
import { secretTest } from '../tools/policy';
import { look } from '../world';
import { type ArchiveHead, type Base, NOT_KEPT_KEY } from './archive';
import { type Differences, foldersDiffer, type ImportedFrom } from './differences';

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

/** Why what drives the run cannot do so here, or not wholly. */
function engineNote({ engine }: RunState, problem: string | undefined): { engine?: string } {
  if (problem !== undefined) return { engine: problem };
  if (engine.kind !== 'playbook' || !engine.source.includes(NOT_KEPT_KEY)) return {};
  return { engine: `Its playbook held a key, which did not travel: where it stood, its steps say ${NOT_KEPT_KEY}.` };
}

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
      ...engineNote(state, 'error' in opened ? opened.error.message : undefined),
    },
  };
}
