/** How a stop begins: which intent wins, and what is signalled. Pure. */
import type { Effect } from './events';
import { endFrozen, how, rest } from './flow';
import { isFinal, type RunState, type StopIntent } from './state';

/** Abort over take over over pause; any of them over a steer. */
export const STRENGTH: Record<StopIntent, number> = { steer: 0, pause: 1, takeOver: 2, abort: 3 };

export const inFlightStep = (s: RunState): string | null =>
  s.inFlight?.kind === 'step' ? s.inFlight.stepId : s.frozen;

export function onStop(s: RunState, intent: StopIntent, at: number): Effect[] {
  if (isFinal(s.status)) return [];
  if (s.stopping) {
    if (STRENGTH[intent] <= STRENGTH[s.stopping.intent]) return [];
    const harder = how(intent) === 'end' && how(s.stopping.intent) === 'pause';
    s.stopping = { ...s.stopping, intent };
    return harder ? [{ type: 'interrupt', how: 'end' }] : [];
  }
  if (s.status === 'paused' && intent !== 'takeOver' && intent !== 'abort') return [];
  if (s.status === 'humanControl' && intent !== 'abort') return [];
  s.stopping = { intent, at, forced: false, phase: s.phase, stepId: inFlightStep(s) };
  if (s.inFlight) {
    s.status = 'stopping';
    return [{ type: 'interrupt', how: how(intent) }];
  }
  if (s.frozen !== null && how(intent) === 'end') return endFrozen(s);
  return rest(s, at);
}
