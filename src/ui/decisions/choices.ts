/** The answers offered for a decision, and what an answer loses. Pure. */
import { isFinal, type Decision, type DecisionChoice, type RunState } from '../../core/run/state';
import { WRITE_MINE } from '../../protocol/steer';

const WRITES = new Set(['write_file', 'edit_file']);
const EDIT: DecisionChoice = { id: 'edit', label: 'Edit by Hand' };
/** Decisions for which the human has begun a text of their own; true: it differs by now from what it began with. */
export type Begun = ReadonlyMap<string, boolean>;

/** What is pressed to see what is asked about; undefined: there is nothing to see. A text that looks secret is shown on purpose only. */
export function lookLabel(s: Pick<RunState, 'steps'> | undefined, d: Decision): string | undefined {
  if (d.change) return 'Show Change';
  const step = d.kind === 'approval' ? s?.steps.find((one) => one.id === d.stepId) : undefined;
  return step && WRITES.has(step.tool) && d.path !== undefined ? 'Show Secret Text' : undefined;
}

/** What the core offers, and where the text of a file is asked about, writing it oneself. */
export function choicesOf(
  s: Pick<RunState, 'steps' | 'status'> | undefined,
  d: Decision,
  drafts: Begun,
): readonly DecisionChoice[] {
  const step = s?.steps.find((one) => one.id === d.stepId);
  const text =
    d.kind === 'approval' && typeof d.change?.after === 'string' && step !== undefined && WRITES.has(step.tool);
  const own = d.choices.some((choice) => choice.id === EDIT.id);
  const at = d.choices.findIndex((choice) => choice.id === 'reject');
  // Nothing of a run that is over runs again.
  const offered =
    d.kind === 'unknownEffect' && s !== undefined && isFinal(s.status)
      ? d.choices.filter(({ id }) => id !== 'runAgain')
      : d.choices;
  const all = !text || own ? offered : d.choices.toSpliced(at < 0 ? d.choices.length : at, 0, EDIT);
  // In its place: what stands under the pointer does not become another answer.
  return drafts.has(d.id) ? all.map((one) => (one.id === EDIT.id ? { ...one, label: WRITE_MINE } : one)) : all;
}

const LISTED = 8;

/** What an answer throws away or passes over, asked once; undefined: nothing. `differs`: the human has a text of their own. */
export function lossOf(
  d: Pick<Decision, 'kind' | 'paths' | 'path'>,
  choice: string,
  differs = false,
): { question: string; detail: string; yes: string } | undefined {
  if (d.kind === 'approval' && differs && (choice === 'grant' || choice === 'grantForRun'))
    return {
      question: `Write the agent’s text to ${d.path ?? 'the file'} instead of yours?`,
      detail: `Your text stays open and is not written. ${WRITE_MINE} writes yours.`,
      yes: 'Write the Agent’s',
    };
  if (d.kind !== 'unsaved' || choice !== 'discard') return undefined;
  const paths = d.paths ?? [];
  const [first = 'the file'] = paths;
  const one = paths.length < 2;
  const more = paths.length > LISTED ? [`and ${paths.length - LISTED} more`] : [];
  return {
    yes: 'Discard',
    question: `Discard the unsaved changes in ${one ? first : `${paths.length} files`}?`,
    detail: [
      `What was typed there since the last save is lost: no copy is kept.`,
      ...(one ? [] : [...paths.slice(0, LISTED), ...more]),
    ].join('\n'),
  };
}

/** The title of the tab a text is put together in; `settled`: its question was answered without it. */
export const draftTitle = (path: string, settled: boolean): string =>
  `${path.slice(path.lastIndexOf('/') + 1)}: ${settled ? 'your version, not used' : 'what will be written (right side)'}`;
