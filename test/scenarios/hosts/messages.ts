/** What the node host and its child process say to each other. As JSON, which keeps a key such as `__proto__`. */
import type { ProbePoint } from '../../../src/core/probe';
import type { Digest } from '../digest';
import type { Fault, RunSetup, Setup } from '../types';

export interface OpenOptions {
  setup: Setup;
  run: RunSetup;
  workspace: string;
  storage: string;
  modelUrl: string;
}

export type Ask =
  | { op: 'open'; options: OpenOptions }
  | { op: 'command'; name: string; args: Record<string, unknown> }
  | { op: 'state'; runId: string }
  | { op: 'current' }
  | { op: 'runs' }
  | { op: 'hold' | 'release'; point: ProbePoint; step: number | null }
  | { op: 'fault'; fault: Fault }
  | { op: 'clock'; advanceMs: number };

export type ToChild = Ask & { id: number };

export type ToParent =
  | { id: number; value: unknown }
  | { id: number; problem: string; notBuilt: boolean }
  | { digest: Digest }
  | { held: { point: ProbePoint; step: number } }
  | { log: string };
