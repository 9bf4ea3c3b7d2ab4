/** A run at its first record. */
import type { RunEvent } from './events';
import { SCHEMA_VERSION, type RunState } from './state';

export function initial(event: Extract<RunEvent, { type: 'runStarted' }>, at: number): RunState {
  return {
    schemaVersion: SCHEMA_VERSION,
    runId: event.runId,
    goal: event.goal,
    engine: event.engine,
    model: event.model,
    outline: event.outline,
    seq: 0,
    createdAt: at,
    updatedAt: at,
    status: 'running',
    reason: null,
    control: 'agent',
    phase: 'reading',
    phaseSince: at,
    inFlight: { kind: 'prepare' },
    unprepared: event.files,
    frozen: null,
    background: [],
    survivors: [],
    stopping: null,
    retry: null,
    partial: null,
    resuming: null,
    stale: false,
    steps: [],
    transcript: [{ kind: 'goal', text: event.goal, at }],
    plan: [],
    notes: [],
    decisions: [],
    receipts: [],
    files: [],
    report: null,
    git: null,
    grants: [],
    replies: 0,
    usage: { inputTokens: 0, outputTokens: 0 },
  };
}
