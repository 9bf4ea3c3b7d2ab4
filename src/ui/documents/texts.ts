/** The texts of documents, in the bundle of the engine: nobody opens one without a run, and they are a tenth of the code. Pure. */
import type { RunState, Step } from '../../core/run/state';
import { argsWithout, NOT_KEPT } from '../../core/secretArgs';
import { secretTest } from '../../core/tools/policy';
import { renderHandover } from '../render/handover';
import { receiptLinks, renderReceipts, type ReceiptLink } from '../render/receipt';
import { renderReconcile } from '../render/reconcile';
import { renderApproval, renderStep } from '../render/step';
import { renderTranscript, stepLinks } from '../render/transcript';

export { checkpointsOf, historyOf, lastBoundary } from '../../core/checkpoints/history';
export * from '../checkpoints/planWords';
export { checkpointRows } from '../tree/checkpoints';
export { changedSince, hashAt } from './hashAt';
export { agreement, isAgreed } from '../render/agreement';
export { callWords } from '../render/call';
export { guardTargets } from '../render/guardTargets';
export { linksIn } from '../render/links';

/** What a call would write to, or take out of, a secret-looking file is on no screen. */
function stepShown(step: Step, isSecret: (path: string) => boolean): Step {
  const args = argsWithout(step.args, isSecret);
  const named = [...(step.badArgs?.matchAll(/"(?:path|from|to)"\s*:\s*"([^"]*)"/g) ?? [])];
  const bad = named.some(([, path = '']) => isSecret(path.replace(/^\.\//, '')));
  return args === step.args && !bad ? step : { ...step, args, ...(bad ? { badArgs: NOT_KEPT } : {}) };
}

/**
 * `name`: `Transcript`, `Step 3`; `line`: what the run is doing now, in a sentence; `secretPaths`: those of the settings. undefined:
 * there is no such document.
 */
export function textOf(
  name: string,
  run: RunState,
  line: string,
  secretPaths: readonly string[] = [],
): string | undefined {
  const isSecret = secretTest({ secretPaths: () => secretPaths });
  const state = { ...run, steps: run.steps.map((step) => stepShown(step, isSecret)) };
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
