/** Run states for the tests of what is shown. */
import type { Decision, FileRecord, Receipt, RunState, Step } from '../../../src/core/run/state';

export function runState(change: Partial<RunState> = {}): RunState {
  return {
    schemaVersion: 1,
    runId: 'run1',
    goal: 'Rename getUser to fetchUser',
    engine: { kind: 'model', provider: 'openai' },
    model: { provider: 'openai', label: 'some-model', fixed: false },
    outline: [],
    seq: 1,
    createdAt: 1_000,
    updatedAt: 61_000,
    status: 'running',
    reason: null,
    control: 'agent',
    phase: 'thinking',
    phaseSince: 1_000,
    inFlight: null,
    frozen: null,
    background: [],
    survivors: [],
    stopping: null,
    retry: null,
    partial: null,
    resuming: null,
    stale: false,
    steps: [],
    transcript: [],
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
    ...change,
  };
}

export function step(n: number, change: Partial<Step> = {}): Step {
  return {
    id: `run1/s${n}`,
    n,
    callId: `call_${n}`,
    reply: 0,
    tool: 'read_file',
    args: { path: 'src/a.ts' },
    title: `Read file ${n}`,
    outcome: 'done',
    effect: 'notStarted',
    effectKind: 'none',
    changes: [],
    ...change,
  };
}

export const steps = (count: number): Step[] => Array.from({ length: count }, (_, i) => step(i + 1));

export function decision(change: Partial<Decision> = {}): Decision {
  return {
    id: 'run1/d1',
    kind: 'approval',
    title: 'Run this command? npm test',
    detail: 'npm test\nin the workspace folder',
    choices: [
      { id: 'grant', label: 'Allow' },
      { id: 'reject', label: 'Reject' },
    ],
    freeText: true,
    subject: 'x',
    state: 'pending',
    openedAt: 2_000,
    ...change,
  };
}

export function receipt(change: Partial<Receipt> = {}): Receipt {
  return {
    id: 'run1/r1',
    intent: 'pause',
    forced: false,
    at: 3_000,
    phase: 'committing',
    boundary: 1,
    effects: [],
    authority: 'full',
    evidence: [],
    recovery: 'resume',
    resume: { allowed: true, checkpoint: 1, expiredApprovals: [] },
    message: 'Paused at a boundary after 1 step.',
    ...change,
  };
}

export function file(path: string, change: Partial<FileRecord> = {}): FileRecord {
  return { path, base: 'aa', known: 'aa', knownSize: 1, knownType: 'file', by: 'read', ...change };
}
