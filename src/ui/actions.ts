/** Which actions apply to a run now: one table for buttons, status menu and, as `when` clauses, the manifest. Pure. */
import type { Holder } from '../core/lease';
import { livingCommands } from '../core/run/kill';
import { isFinal, type RunState, type RunStatus } from '../core/run/state';

export type Action =
  'pause' | 'resume' | 'steerNow' | 'takeOver' | 'handBack' | 'abort' | 'forceStop' | 'takeControlHere';

/** A stop that has not settled after this long is offered a Force Stop. */
export const FORCE_AFTER_MS = 5000;

const BUSY: ReadonlySet<RunStatus> = new Set(['running', 'awaitingApproval', 'needsHuman', 'reconciling']);
const ASKING: ReadonlySet<RunStatus> = new Set(['running', 'awaitingApproval', 'needsHuman']);

/** `holder`: another window has the run. Nothing can be done with it here but going on with it when that one is gone. */
export function actionsOf(state: RunState | undefined, now: number, holder?: Holder): Action[] {
  if (holder) return holder.gone ? ['takeControlHere'] : [];
  if (state?.compensating) {
    const { waits } = state.compensating;
    // A stop waits for it; what hangs can be killed.
    if (!waits) return ['abort'];
    return !waits.forced && now - waits.at >= FORCE_AFTER_MS ? ['forceStop'] : [];
  }
  if (!state) return [];
  // What a run that is over has left in the background is ended by an abort too.
  if (isFinal(state.status)) return livingCommands(state).length > 0 ? ['abort'] : [];
  const { status, stopping } = state;
  const fits: Record<Exclude<Action, 'takeControlHere'>, boolean> = {
    pause: BUSY.has(status),
    resume: status === 'paused',
    steerNow: ASKING.has(status) && !state.model.fixed,
    takeOver: status !== 'humanControl' && stopping?.intent !== 'takeOver' && stopping?.intent !== 'abort',
    handBack: status === 'humanControl',
    abort: stopping?.intent !== 'abort',
    forceStop: status === 'stopping' && stopping !== null && !stopping.forced && now - stopping.at >= FORCE_AFTER_MS,
  };
  return (Object.keys(fits) as (keyof typeof fits)[]).filter((action) => fits[action]);
}

export const ACTION_TITLE: Readonly<Record<Action, string>> = {
  pause: 'Pause',
  resume: 'Resume',
  steerNow: 'Steer Now',
  takeOver: 'Take Over',
  handBack: 'Hand Back',
  abort: 'Abort',
  forceStop: 'Force Stop',
  takeControlHere: 'Take Control Here',
};
