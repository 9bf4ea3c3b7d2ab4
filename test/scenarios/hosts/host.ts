/** What the player needs from a host of the core; the same for a child process and for a real VS Code. */
import type { ProbePoint } from '../../../src/core/probe';
import type { RunState, RunSummary } from '../../../src/core/run/state';
import type { Digest } from '../digest';
import type { Fault, Human, HostName, Scenario } from '../types';
import type { Place } from '../workspace';

/** An action or expectation that this host or the product cannot serve yet; the message names it. */
export class NotBuilt extends Error {
  constructor(name: string, where = 'not built yet') {
    super(`${name}: ${where}`);
    this.name = 'NotBuilt';
  }
}

/** The host was killed, so what was asked of it never settles. */
export class HostGone extends Error {
  constructor() {
    super('the host was killed');
    this.name = 'HostGone';
  }
}

export interface HostListener {
  changed(digest: Digest): void;
  held(point: ProbePoint, step: number): void;
  /** A line of the core's log. */
  log(line: string): void;
  /** It ended without being told to. */
  crashed(reason: string): void;
}

export type CommandName =
  | 'startRun'
  | 'pause'
  | 'resume'
  | 'abort'
  | 'forceStop'
  | 'compensate'
  | 'takeOver'
  | 'handBack'
  | 'steer'
  | 'decide'
  | 'restoreCheckpoint'
  | 'undoRestore'
  | 'forkRun';

export interface Host {
  readonly name: HostName;
  /** Opens the product on the place of the scenario. */
  open(scenario: Scenario, place: Place, modelUrl: string, listener: HostListener): Promise<void>;
  /** Runs a command of the product; rejects with NotBuilt where there is none of that name. */
  command(name: CommandName, args: Record<string, unknown>): Promise<unknown>;
  state(runId: string): Promise<RunState | undefined>;
  currentRun(): Promise<string | undefined>;
  runs(): Promise<readonly RunSummary[]>;
  hold(point: ProbePoint, step: number | undefined): Promise<void>;
  release(point: ProbePoint, step: number | undefined): Promise<void>;
  fault(fault: Fault): Promise<void>;
  clock(advanceMs: number): Promise<void>;
  kill(): Promise<void>;
  reopen(): Promise<void>;
  /** The part of a human action that needs an editor. */
  editor(key: keyof Human, human: Human): Promise<void>;
  /** An open document; undefined: not open. */
  buffer(path: string): Promise<{ text: string; dirty: boolean } | undefined>;
  /** Process whose children count as started by the run; undefined: only marked ones count. */
  processRoot(): number | undefined;
  /** A second, fresh start on the same storage can be played (to see that the state loads). */
  readonly restarts: boolean;
  /** Where the product keeps its runs; undefined where the host cannot tell. */
  storage(): string | undefined;
  close(): Promise<void>;
}

/** Commands answer with a refusal where they do not apply. */
export function refusalOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('refused' in answer)) return undefined;
  const { code, message } = answer as { code?: unknown; message?: unknown };
  return `${String(code)}: ${String(message)}`;
}
