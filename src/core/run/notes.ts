/** Steering notes in the state: queued, changed or taken back until they are delivered. Pure. */
import type { Effect, RunEvent } from './events';
import { cancelCalls, rest } from './flow';
import { isFinal, isResting, type Note, type RunState } from './state';
import { onStop } from './stop';
import { outlivesStop, pendingDecisions, pendingSteps, setDecision } from './update';

export function addNote(s: RunState, event: Extract<RunEvent, { type: 'noteAdded' }>, at: number): Effect[] {
  const id = `${s.runId}/n${s.notes.length + 1}`;
  const state = isFinal(s.status) ? 'undelivered' : 'queued';
  s.notes = [...s.notes, { id, text: event.text, state, now: event.now, at }];
  if (isFinal(s.status) || !event.now || isResting(s.status)) return [];
  if (s.stopping || s.status === 'reconciling') return [];
  if (!s.inFlight) {
    // It waits for an answer: the question is withdrawn, the call is cancelled with the others by `pump`.
    s.stopping = { intent: 'steer', at, forced: false, phase: s.phase, stepId: null };
    for (const d of pendingDecisions(s)) if (!outlivesStop(d)) setDecision(s, d.id, { state: 'withdrawn' });
    cancelCalls(s, pendingSteps(s), 'steered', 'the human sent a correction; see below.', at);
    return rest(s, at);
  }
  return onStop(s, 'steer', at);
}

/** Only a queued one: what was delivered has been read. */
function changeQueued(s: RunState, noteId: string, change: Partial<Note>): Effect[] {
  s.notes = s.notes.map((n) => (n.id === noteId && n.state === 'queued' ? { ...n, ...change } : n));
  return [];
}

export const withdrawNote = (s: RunState, noteId: string): Effect[] => changeQueued(s, noteId, { state: 'withdrawn' });

export const editNote = (s: RunState, noteId: string, text: string): Effect[] => changeQueued(s, noteId, { text });
