/** Stops of the runtime's own: state that cannot be written, a limit. Pure. */
import type { Effect, RunEvent } from './events';
import { halt, keepPartial, reasonOnceStored } from './flow';
import { usedOf } from './limits';
import { isFinal, type RunState } from './state';
import { onStop } from './stop';
import { stepOf } from './update';

/** Nothing goes on that cannot be recorded: a stop for a correction becomes a pause. */
function neverGoesOn(s: RunState): void {
  if (s.stopping?.intent === 'steer') s.stopping = { ...s.stopping, intent: 'pause' };
}

export function onUnstored(s: RunState, words: string): Effect[] {
  s.unstored = words;
  neverGoesOn(s);
  return [];
}

export function onStored(s: RunState): Effect[] {
  delete s.unstored;
  if (s.reason?.code === 'storage') s.reason = reasonOnceStored(s);
  return [];
}

export function onHalted(s: RunState, event: Extract<RunEvent, { type: 'halted' }>, at: number): Effect[] {
  // A compensation that cannot be recorded ends without an effect; the run stands as it stood.
  if (isFinal(s.status) || s.compensating) return [];
  // Nothing of it is at work, and control is changed by the human alone.
  if (s.status === 'humanControl') return [];
  if (s.stopping) {
    // What it waits for comes to its end; it says why, and nothing goes on after it.
    s.reason = { code: event.code, text: event.text };
    neverGoesOn(s);
    return [];
  }
  keepPartial(s, at);
  const inFlight = s.inFlight?.kind === 'step' ? stepOf(s, s.inFlight.stepId) : undefined;
  if (inFlight?.effect === 'requested') {
    // What has begun outside is stopped first: the run rests when that has answered.
    s.reason = { code: event.code, text: event.text };
    return onStop(s, 'pause', at);
  }
  if (event.code === 'limit') s.limitBase = usedOf(s);
  halt(s, event.code, event.text, at);
  return [];
}
