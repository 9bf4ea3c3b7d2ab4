/** What a command gets to see of our environment. */
import { MARKER } from './table';

/** `env` without what is the host's own business and without `hidden` names, marked with `marker`. */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  hidden: readonly string[],
  marker: string,
): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    // names of variables ignore case on Windows
    const upper = name.toUpperCase();
    if (value === undefined || upper === 'ELECTRON_RUN_AS_NODE' || upper.startsWith('VSCODE_')) continue;
    if (/^HOLDFAST_.*KEY/.test(upper) || hidden.includes(name)) continue;
    out[name] = value;
  }
  out[MARKER] = marker;
  return out;
}
