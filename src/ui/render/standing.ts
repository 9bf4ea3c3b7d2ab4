/** Which receipt says how the run stands now, and since when it stands so. Pure. */
import { isFinal, isResting, type Receipt, type RunState } from '../../core/run/state';
import { isAct, lastStop } from '../../core/run/stops';

/** That of the stop the run still rests in, or of the abort it ended with; undefined: what its receipts say is past. */
export function standingReceipt(s: RunState): Receipt | undefined {
  if (isResting(s.status)) return lastStop(s);
  return s.status === 'aborted' ? s.receipts.findLast((r) => r.intent === 'abort') : undefined;
}

/** Whether a receipt is still true of now: the standing one, and what was undone since. */
export function isStanding(s: RunState, receipt: Receipt): boolean {
  const standing = standingReceipt(s);
  if (!standing) return isFinal(s.status) && isAct(receipt) && !receipt.resume.allowed;
  return s.receipts.indexOf(receipt) >= s.receipts.indexOf(standing);
}

/** Of a run that stands still, when it came to; of one that goes on, when it last did something. ms since 1970. */
export const standsSince = (s: RunState): number => standingReceipt(s)?.at ?? s.updatedAt;

/** The last thing that the human undid or restored since the run came to rest; undefined: nothing. */
export function actSince(s: RunState): Receipt | undefined {
  const last = s.receipts.at(-1);
  return last && isAct(last) ? last : undefined;
}
