/** Which receipts tell of a stop. Pure. */
import type { Receipt, ReceiptIntent, RunState } from './state';

/** Acts of the human on a run at rest: it stands afterwards as it stood. */
const ACTS: ReadonlySet<ReceiptIntent> = new Set(['compensate', 'restore', 'undoRestore']);

export const isAct = ({ intent }: Pick<Receipt, 'intent'>): boolean => ACTS.has(intent);

/** The last stop of the run; what was restored or undone since has receipts of its own. */
export const lastStop = ({ receipts }: Pick<RunState, 'receipts'>): Receipt | undefined =>
  receipts.findLast((receipt) => !isAct(receipt));
