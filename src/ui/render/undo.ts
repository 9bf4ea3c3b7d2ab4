/** The call that would take an effect back, in words. Pure. */
import type { UndoCall } from '../../core/run/compensable';
import type { Receipt, RunState } from '../../core/run/state';
import { oneLine } from './words';

/** `run_command: npm run clean`; `mcp.shop.cancel: {"id":7}` */
export function undoWords({ tool, args }: UndoCall): string {
  const command: unknown = typeof args === 'object' && args !== null ? Reflect.get(args, 'command') : undefined;
  const what = typeof command === 'string' ? command : (JSON.stringify(args) ?? '');
  return `${tool}: ${oneLine(what, 300)}`;
}

/** The step of a compensation that waits for the human's answer. */
export function waitingUndo(s: RunState): string | undefined {
  const id = s.compensating?.stepId;
  return s.decisions.some((d) => d.state === 'pending' && d.stepId === id) ? id : undefined;
}

/** How the compensation by that step ended; undefined: it is not over, or left no receipt. */
export function endedUndo(s: RunState, stepId: string): Receipt | undefined {
  if (s.compensating?.stepId === stepId) return undefined;
  const names = (r: Receipt): boolean => r.evidence.some((e) => e.kind === 'step' && e.stepId === stepId);
  return s.receipts.findLast((r) => r.intent === 'compensate' && names(r));
}
