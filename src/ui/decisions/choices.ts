/** The answers offered for a decision. Pure. */
import type { Decision, DecisionChoice, RunState } from '../../core/run/state';

const WRITES = new Set(['write_file', 'edit_file']);

/** What the core offers, and where the text of a file is asked about, writing it oneself. */
export function choicesOf(s: Pick<RunState, 'steps'> | undefined, d: Decision): readonly DecisionChoice[] {
  const step = s?.steps.find((one) => one.id === d.stepId);
  const text =
    d.kind === 'approval' && typeof d.change?.after === 'string' && step !== undefined && WRITES.has(step.tool);
  if (!text || d.choices.some((choice) => choice.id === 'edit')) return d.choices;
  const at = d.choices.findIndex((choice) => choice.id === 'reject');
  return d.choices.toSpliced(at < 0 ? d.choices.length : at, 0, { id: 'edit', label: 'Edit by Hand' });
}
