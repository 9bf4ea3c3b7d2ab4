/** Records and states for the tests of the store. */
import type { JournalRecord } from '../../../src/core/ports';
import { type RunState, type RunSummary, SCHEMA_VERSION } from '../../../src/core/run/state';

/** A record of a step that ended; `text` makes it as long as wanted. */
export function record(seq: number, text = `result ${seq} \u{1f600} "quoted"\n`): JournalRecord {
  const end = { stepId: `r1/s${seq}`, outcome: 'done', effect: 'committed', text } as const;
  return { seq, at: 1000 + seq, event: { type: 'stepEnded', end } };
}

export function started(runId: string): JournalRecord {
  const model = { provider: 'playbook', label: 'p.yaml', fixed: true };
  const engine = { kind: 'playbook', label: 'p.yaml', source: '', format: 'yaml' } as const;
  return {
    seq: 1,
    at: 1001,
    event: { type: 'runStarted', runId, goal: 'Do it', engine, model, outline: [], files: [] },
  };
}

/** The frame of a state: what the store itself looks at. */
export function state(seq: number, runId = 'r1'): RunState {
  const frame: Partial<RunState> = {
    schemaVersion: SCHEMA_VERSION,
    runId,
    seq,
    goal: `goal ${seq}`,
    status: 'paused',
    control: 'agent',
    model: { provider: 'openai', label: 'm', fixed: false },
    createdAt: 1,
    updatedAt: 1000 + seq,
    steps: [],
  };
  return frame as RunState;
}

export function summary(runId: string, goal = 'Do it'): RunSummary {
  const times = { createdAt: 1, updatedAt: 2, stepsDone: 0, steps: 0, live: false };
  return { runId, goal, status: 'paused', control: 'agent', model: 'm', ...times };
}

export const DURABLE = { sync: true, boundary: true };
export const seqs = (tail: readonly JournalRecord[]): number[] => tail.map(({ seq }) => seq);
