/** What a tool is: arguments, contract, and a plan that says what it would do, before it does it. */
import type * as z from 'zod/mini';
import type { StepEnd } from '../run/events';
import type { Ports } from '../ports';
import type { DecisionRequest, FileChange, RunState, Step } from '../run/state';

export interface ToolContext {
  ports: Ports;
  /** As it is at the moment of the call. */
  state: RunState;
  step: Step;
  signal: AbortSignal;
}

export type Result = Omit<StepEnd, 'stepId'>;

export type Plan =
  /** Nothing (more) is to be done: the step ends. */
  | { kind: 'end'; end: Result }
  /** Only the human can say. */
  | { kind: 'ask'; request: DecisionRequest }
  /** A human's earlier answer no longer fits what is there: it is void, the request is asked instead. */
  | { kind: 'stale'; decisionId: string; request: DecisionRequest }
  /** An effect on files: journalled, then performed. `perform` throws `FileError('changed')` when the world moved on. */
  | { kind: 'files'; changes: FileChange[]; perform(): Promise<Result> }
  /** A command: the controller runs it. */
  | { kind: 'command'; command: string; cwd: string; background: boolean; timeoutMs: number };

export interface Tool<A = unknown> {
  name: string;
  description: string;
  args: z.ZodMiniType<A>;
  plan(context: ToolContext, args: A): Promise<Plan>;
}

export const done = (text: string, more: Partial<Result> = {}): Plan => ({
  kind: 'end',
  end: { outcome: 'done', effect: 'notStarted', text, ...more },
});

/** Refused or failed without any effect: the run goes on, the model knows why. */
export const refused = (reason: string, text: string, more: Partial<Result> = {}): Plan => ({
  kind: 'end',
  end: { outcome: 'failedBeforeEffect', effect: 'notStarted', reason, text, ...more },
});

/** The last decision of a kind about this step. */
export const decisionOf = (context: ToolContext, kind: DecisionRequest['kind']) =>
  context.state.decisions.findLast((d) => d.kind === kind && d.stepId === context.step.id);
