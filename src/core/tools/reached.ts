/** The file a call means, by the name whose rules hold for it: no rule is gone round by a link. */
import { FileError } from '../errors';
import type { Path, Ports } from '../ports';
import type { RunState } from '../run/state';
import { isSecret, isSensitive, whyProtected } from './policy';

/** Whether a path has rules of its own: secret-looking, sensitive, protected by a setting or a guard. */
const isRuled = (path: Path, ports: Pick<Ports, 'settings'>, state: RunState): boolean =>
  isSecret(path, ports.settings) ||
  isSensitive(path, ports.settings) ||
  whyProtected(path, ports.settings, state) !== undefined;

/**
 * As `Files.resolve`; where links lead to a file with rules of its own, that file. `itself`: a link at the end is meant itself.
 * Throws `FileError` as `resolve` does, and `other` where unsaved text stands under the name of the link.
 */
export async function reached(
  ports: Pick<Ports, 'files' | 'buffers' | 'settings'>,
  state: RunState,
  given: string,
  itself = false,
): Promise<Path> {
  const path = await ports.files.resolve(given);
  const real = await ports.files.leadsTo(path, { itself });
  if (real === path || !isRuled(real, ports, state)) return path;
  if (ports.buffers.get(path)?.dirty)
    throw new FileError(
      'other',
      path,
      `it leads to ${real} and has unsaved text under this name; it has to be saved first`,
    );
  return real;
}
