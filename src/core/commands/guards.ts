/** Guards: set and taken back by the human, at any time; they hold from the next call on. */
import type { GuardResult } from '../api';
import type { Refusal } from '../errors';
import { FINAL_WORDS, refuse } from '../refusals';
import type { RunRegistry } from '../registry';
import { type GuardRequest, guardProblem } from '../run/guards';
import { isFinal } from '../run/state';
import { firstFolder } from '../pathValue';

export async function addGuard(
  runs: RunRegistry,
  request: GuardRequest & { runId?: string },
): Promise<GuardResult | Refusal> {
  const { kind, value } = (request as Partial<typeof request> | undefined) ?? {};
  const problem = guardProblem({ kind, value } as GuardRequest);
  if (problem !== undefined || kind === undefined || value === undefined)
    return refuse('badArgument', problem ?? 'A guard needs a kind and a value.');
  const run = await runs.target(request);
  if ('refused' in run) return run;
  if (isFinal(run.state.status)) return refuse('final', FINAL_WORDS[run.state.status] ?? '');
  const astray = kind === 'protect' ? inNoFolder(runs, value) : undefined;
  if (astray !== undefined) return refuse('badArgument', astray);
  const known = new Set(run.state.guards?.map((g) => g.id));
  await run.dispatch({ type: 'guardAdded', guard: { kind, value: value.trim() } });
  const added = run.state.guards?.find((g) => !known.has(g.id) && g.kind === kind && g.value === value.trim());
  if (!added) return refuse('storage', 'The guard could not be stored. It does not hold.');
  return { guardId: added.id, state: added.state };
}

/** Where several folders are open a path begins with the name of one: what does not would protect nothing. */
function inNoFolder(runs: RunRegistry, value: string): string | undefined {
  const names = runs.ports.files.roots().map((root) => root.name);
  const first = firstFolder(value)?.toLowerCase();
  if (names.length < 2 || first === undefined || names.some((name) => name.toLowerCase() === first)) return undefined;
  return `Several folders are open: begin the path with one of ${names.join(', ')}, or with **/ for all of them.`;
}

export async function removeGuard(
  runs: RunRegistry,
  target: { runId?: string; guardId: string },
): Promise<GuardResult | Refusal> {
  if (typeof (target as Partial<typeof target> | undefined)?.guardId !== 'string')
    return refuse('badArgument', 'Removing needs the id of a guard.');
  const run = await runs.target(target);
  if ('refused' in run) return run;
  await run.dispatch({ type: 'guardRemoved', guardId: target.guardId });
  const guard = run.state.guards?.find((g) => g.id === target.guardId);
  if (!guard) return refuse('badArgument', 'There is no such guard.');
  return { guardId: guard.id, state: guard.state };
}
