/** The texts of documents, in the bundle of the engine: nobody opens one without a run, and they are a tenth of the code. Pure. */
import type { RunState } from '../../core/run/state';
import { renderHandover } from '../render/handover';
import { receiptLinks, renderReceipts, type ReceiptLink } from '../render/receipt';
import { renderReconcile } from '../render/reconcile';
import { renderApproval, renderStep } from '../render/step';
import { renderTranscript, stepLinks } from '../render/transcript';

export { agreement, isAgreed } from '../render/agreement';
export { callWords } from '../render/call';
export { linksIn } from '../render/links';

/** `name`: `Transcript`, `Step 3`; `line`: what the run is doing now, in a sentence. undefined: there is no such document. */
export function textOf(name: string, state: RunState, line: string): string | undefined {
  switch (name) {
    case 'Transcript':
      return renderTranscript(state);
    case 'Handover Brief':
      return renderHandover(state, line);
    case 'Receipts':
      return renderReceipts(state);
    case 'What Changed':
      return renderReconcile(state);
    default: {
      const [, part, n] = /^(Step|Approval) (\d+)$/.exec(name) ?? [];
      if (part === undefined) return undefined;
      return part === 'Step' ? renderStep(state, Number(n)) : renderApproval(state, Number(n));
    }
  }
}

/** What leads somewhere in a document, files aside. */
export function linksOf(name: string, state: RunState, text: string): ReceiptLink[] {
  if (name === 'Receipts') return receiptLinks(state, text);
  return name === 'Transcript' ? stepLinks(text, state.steps) : [];
}
