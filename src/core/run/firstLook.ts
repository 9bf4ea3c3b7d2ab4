/** What a run sees before its first step: the files a playbook names, and the state of the repository. */
import { FileError } from '../errors';
import type { Ports } from '../ports';
import { reached } from '../tools/reached';
import { remember } from '../tools/reading';
import { look, whyNot } from '../world';
import type { FileSeen, RunState } from './state';

/** `files` as they are named. One that cannot be read is left to the step that names it: it will say what is wrong. */
export async function firstLook(
  ports: Ports,
  state: RunState,
  files: readonly string[],
  signal: AbortSignal,
): Promise<{ seen: FileSeen[]; git: RunState['git'] }> {
  const seen: FileSeen[] = [];
  for (const given of files) {
    if (signal.aborted) break;
    try {
      const path = await reached(ports, state, given);
      const now = await look(ports, path);
      if (now.type === 'file') seen.push(await remember({ ports, state }, now));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      ports.log.info(`not read at the start: ${whyNot(error)}`);
    }
  }
  const git = (await ports.git.state(signal, files).catch(() => undefined)) ?? null;
  return { seen, git };
}
