/** How a stop begins: which intent wins, what is signalled, and what a frozen command meets. Pure. */
import type { Effect } from './events';
import { rest } from './flow';
import { isFinal, type RunState, type StopIntent } from './state';

/** Abort over take over over pause; any of them over a steer. */
export const STRENGTH: Record<StopIntent, number> = { steer: 0, pause: 1, takeOver: 2, abort: 3 };
export const how = (intent: StopIntent): 'pause' | 'end' =>
  intent === 'abort' || intent === 'steer' ? 'end' : 'pause';

export const inFlightStep = (s: RunState): string | null =>
  s.inFlight?.kind === 'step' ? s.inFlight.stepId : s.frozen;

/** A frozen command meets a stronger stop: it is ended, and that is waited for. */
export function endFrozen(s: RunState): Effect[] {
  const frozen = s.frozen;
  if (frozen === null) return [];
  s.frozen = null;
  s.inFlight = { kind: 'step', stepId: frozen };
  s.status = 'stopping';
  return [{ type: 'endFrozen', stepId: frozen, force: false }];
}

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
