/** The answers offered for a decision, and what an answer loses. Pure. */
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

const LISTED = 8;

/** What an answer throws away for good; undefined: nothing. */
export function lossOf(
  d: Pick<Decision, 'kind' | 'paths'>,
  choice: string,
): { question: string; detail: string } | undefined {
  if (d.kind !== 'unsaved' || choice !== 'discard') return undefined;
  const paths = d.paths ?? [];
  const [first = 'the file'] = paths;
  const one = paths.length < 2;
  const more = paths.length > LISTED ? [`and ${paths.length - LISTED} more`] : [];
  return {
    question: `Discard the unsaved changes in ${one ? first : `${paths.length} files`}?`,
    detail: [
      `What was typed there since the last save is lost: no copy is kept.`,
      ...(one ? [] : [...paths.slice(0, LISTED), ...more]),
    ].join('\n'),
  };
}
