/** Made-up ends of scenarios for the tests of what is checked at the end. */
import { mkdtempSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Receipt, RunState, Step } from '../../../src/core/run/state';
import type { Facts } from '../../scenarios/expect';
import type { Setup } from '../../scenarios/types';
import { Place } from '../../scenarios/workspace';

export async function somePlace(setup: Setup): Promise<Place> {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'holdfast-unit-')));
  const place = new Place(root, path.join(root, 'workspace'), path.join(root, 'storage'));
  await place.setUp(setup);
  return place;
}

export const step = (n: number, more: Partial<Step> = {}): Step => ({
  id: `s${n}`,
  n,
  callId: `c${n}`,
  reply: 0,
  tool: 'write_file',
  args: {},
  title: `step ${n}`,
  outcome: 'done',
  effect: 'committed',
  effectKind: 'workspace',
  changes: [],
  ...more,
});

export const receipt = (more: Partial<Receipt> = {}): Receipt => ({
  id: 'r1',
  intent: 'pause',
  forced: false,
  at: 0,
  phase: 'thinking',
  boundary: 1,
  effects: [],
  authority: 'full',
  evidence: [],
  recovery: 'resume',
  resume: { allowed: true, checkpoint: 1, expiredApprovals: [] },
  message: 'Paused at a boundary after 1 step.',
  ...more,
});

/** A run of one written file. */
export function state(more: Partial<RunState> = {}): RunState {
  const some: Partial<RunState> = {
    runId: 'run-1',
    goal: 'a goal',
    status: 'completed',
    reason: null,
    frozen: null,
    steps: [step(1)],
    transcript: [
      { kind: 'goal', text: 'a goal', at: 0 },
      { kind: 'assistant', requestId: 'q1', text: '', stepIds: ['s1'], interrupted: false, at: 1 },
      { kind: 'result', stepId: 's1', text: 'written', at: 2 },
    ],
    notes: [],
    decisions: [],
    receipts: [],
    report: null,
  };
  return { ...some, ...more } as RunState;
}

export const facts = (place: Place, more: Partial<Facts> = {}): Facts => ({
  place,
  state: state(),
  named: new Map(),
  requests: [],
  resumedAt: undefined,
  settled: new Map(),
  living: [],
  storage: place.storage,
  storageBefore: new Map(),
  buffer: () => Promise.resolve(undefined),
  ...more,
});
