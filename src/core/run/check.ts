/** Whether an unknown effect happened: read off the files, or by a read tool of a server. */
import type { Ports } from '../ports';
import { isServerTool } from '../toolNames';
import type { Verdict } from '../tools/toolServers';
import type { RunServers } from './servers';
import { verifyFiles } from './settle';
import type { FileChange, Step } from './state';
import { hasOwnChanges } from './update';

const UNTOLD = 'Holdfast cannot check what this command did. Look at its output and at the workspace, then say.';

export function check(
  ports: Ports,
  servers: RunServers,
  step: Step | undefined,
  signal: AbortSignal,
): Promise<Verdict & { changes?: FileChange[] }> {
  if (step && isServerTool(step.tool)) return servers.verify(step, signal);
  if (step && hasOwnChanges(step)) return verifyFiles(ports, step);
  return Promise.resolve({ verdict: 'unknown', proof: UNTOLD });
}
