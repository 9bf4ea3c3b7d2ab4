/** Guards in the state: set and removed by the human, told to a model that can read. Pure. */
import type { Effect } from './events';
import type { Guard, GuardRequest } from './guards';
import { isFinal, type RunState } from './state';
import { tellGuard } from './update';

export function addGuard(s: RunState, request: GuardRequest, at: number): Effect[] {
  if (isFinal(s.status)) return [];
  const guard: Guard = { ...request, id: `${s.runId}/g${(s.guards?.length ?? 0) + 1}`, state: 'active', at };
  s.guards = [...(s.guards ?? []), guard];
  tellGuard(s, guard, at);
  return [];
}

export function removeGuard(s: RunState, guardId: string, at: number): Effect[] {
  const guard = s.guards?.find((g) => g.id === guardId);
  if (guard?.state !== 'active') return [];
  const removed: Guard = { ...guard, state: 'removed' };
  s.guards = s.guards?.map((g) => (g.id === guard.id ? removed : g)) ?? [];
  tellGuard(s, removed, at);
  return [];
}
