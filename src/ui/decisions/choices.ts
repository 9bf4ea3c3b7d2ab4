/** The answers offered for a decision. Pure. */
import type { Decision, DecisionChoice, RunState } from '../../core/run/state';

const WRITES = new Set(['write_file', 'edit_file']);
const EDIT: DecisionChoice = { id: 'edit', label: 'Edit by Hand' };
/** The label once the human has begun a text of their own: the answer sends it. */
export const WRITE_MINE = 'Write My Version';

/** What the core offers, and where the text of a file is asked about, writing it oneself. `drafts`: begun for these. */
export function choicesOf(
  s: Pick<RunState, 'steps'> | undefined,
  d: Decision,
  drafts: ReadonlySet<string>,
): readonly DecisionChoice[] {
  const step = s?.steps.find((one) => one.id === d.stepId);
  const text =
    d.kind === 'approval' && typeof d.change?.after === 'string' && step !== undefined && WRITES.has(step.tool);
  const own = d.choices.some((choice) => choice.id === EDIT.id);
  const at = d.choices.findIndex((choice) => choice.id === 'reject');
  const all = !text || own ? d.choices : d.choices.toSpliced(at < 0 ? d.choices.length : at, 0, EDIT);
  if (!drafts.has(d.id)) return all;
  return all.map((choice) => (choice.id === EDIT.id ? { ...choice, label: WRITE_MINE } : choice));
}
