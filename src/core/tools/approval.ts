/** Asking before an effect: an approval covers exactly the content that was shown. */
import type { DecisionRequest, Decision } from '../run/state';
import { decisionOf, refused, type Plan, type ToolContext } from './tool';

export const APPROVAL_CHOICES = [
  { id: 'grant', label: 'Allow' },
  { id: 'reject', label: 'Reject' },
];
const withRun = (label: string): DecisionRequest['choices'] => [
  { id: 'grant', label: 'Allow' },
  { id: 'grantForRun', label },
  { id: 'reject', label: 'Reject' },
];
/** The label says what it covers: the very same words in the same folder, or any call of the tool. */
export const COMMAND_CHOICES = withRun('Allow This Command for This Run');
export const TOOL_CHOICES = withRun('Allow This Tool for This Run');

/** Granted for this content: go on. Anything else is the plan that stands in the way. */
export type Verdict = { granted: true; decision?: Decision } | { granted: false; plan: Plan };

/**
 * `reasons` empty: nobody is asked. An answer counts only for the same `subject` (fingerprint of what was shown); the same
 * step with other content makes it stale.
 */
export function approve(
  context: ToolContext,
  reasons: readonly string[],
  request: Pick<DecisionRequest, 'title' | 'subject'> & Partial<DecisionRequest>,
): Verdict {
  if (reasons.length === 0) return { granted: true };
  if (context.state.grants.includes(request.subject)) return { granted: true };
  const last = decisionOf(context, 'approval');
  const full: DecisionRequest = {
    kind: 'approval',
    stepId: context.step.id,
    detail: reasons.join(' '),
    choices: APPROVAL_CHOICES,
    freeText: true,
    expiresAt: context.ports.clock.now() + context.ports.settings.approvalTtlMinutes() * 60_000,
    ...request,
  };
  if (last?.state === 'rejected') {
    const why = last.answer?.text ? ` The human says: ${last.answer.text}` : '';
    const text = `rejected: the human did not allow this; nothing was done.${why}`;
    return { granted: false, plan: refused('rejected', text, { outcome: 'skipped' }) };
  }
  if (last?.state === 'granted') {
    if (last.subject === request.subject) return { granted: true, decision: last };
    return { granted: false, plan: { kind: 'stale', decisionId: last.id, request: full } };
  }
  return { granted: false, plan: { kind: 'ask', request: full } };
}
