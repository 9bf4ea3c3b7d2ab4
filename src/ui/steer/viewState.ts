/** What the steering view shows, made from one snapshot. Pure. */
import type { Holder } from '../../core/lease';
import { isFinal, type RunState } from '../../core/run/state';
import type { SteerAction, SteerDecision, SteerState } from '../../protocol/steer';
import { actionsOf } from '../actions';
import { choicesOf, lookLabel, type Begun } from '../decisions/choices';
import { heldWords } from '../render/held';
import { noteWaits } from '../render/noteWaits';
import { stateLine } from '../render/stateLine';
import { detailOf } from '../render/words';

const MAX_DETAIL = 4000;

const cut = (text: string): string => (text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL)}…` : text);

const decisions = (s: RunState, drafts: Begun): SteerDecision[] =>
  s.decisions
    .filter((d) => d.state === 'pending')
    .map((d) => ({
      id: d.id,
      kind: d.kind,
      title: d.title,
      detail: cut(detailOf(d)),
      choices: choicesOf(s, d, drafts).map(({ id, label }) => ({ id, label })),
      // Elsewhere words go with an answer by another way (a document to edit): a field here would lose them.
      freeText: d.freeText && (d.kind === 'question' || d.kind === 'approval'),
      look: lookLabel(s, d) ?? '',
    }));

const START_HINT = 'Enter starts a run with this goal.';

function hint(s: RunState, canStart: boolean): string {
  if (isFinal(s.status)) return canStart ? START_HINT : 'This run has ended and takes no notes.';
  if (s.model.fixed)
    return s.status === 'humanControl'
      ? 'Hand Back keeps the text with the run; a playbook does not read it.'
      : 'A playbook cannot read notes: yours is kept with the run and changes nothing it does.';
  if (s.status === 'humanControl') return 'Hand Back sends the text as your note.';
  if (s.status === 'paused') return 'A note is given to the agent when the run resumes.';
  if (s.status === 'awaitingApproval') return 'Send queues the note for later: it does not answer the approval.';
  return '';
}

/** The file of the step the run stands before, or is frozen in, while the human may work on it. */
export function fileAhead(s: RunState): string | undefined {
  if (s.status !== 'paused' && s.status !== 'humanControl') return undefined;
  const next = s.steps.find((step) => step.outcome === 'notStarted' || step.id === s.frozen);
  const path: unknown =
    typeof next?.args === 'object' && next.args !== null ? Reflect.get(next.args, 'path') : undefined;
  return typeof path === 'string' && s.files.some((f) => f.path === path && f.knownType === 'file') ? path : undefined;
}

/** The cards below say what is asked. */
function shortLine(s: RunState, line: string): string {
  if (s.status === 'awaitingApproval') return 'Waiting for your approval.';
  return s.status === 'needsHuman' ? 'Waiting for you.' : line;
}

export function steerState(
  s: RunState | undefined,
  blocked: 'noFolder' | 'untrusted' | undefined,
  now: number,
  drafts: Begun = new Map(),
  holder?: Holder,
): SteerState {
  const nothing: SteerState = {
    runId: undefined,
    empty: undefined,
    held: false,
    line: '',
    tone: 'idle',
    control: 'none',
    takesNotes: false,
    canSteerNow: false,
    fixed: false,
    file: undefined,
    canStart: false,
    actions: [],
    hint: '',
    notesWait: '',
    notes: [],
    decisions: [],
  };
  if (blocked === 'noFolder')
    return { ...nothing, empty: 'noFolder', line: 'Open a folder first: a run works on its files.' };
  if (!s) {
    if (blocked === 'untrusted')
      return {
        ...nothing,
        empty: 'untrusted',
        line: 'Trust this workspace first: a run changes its files and runs commands.',
      };
    return {
      ...nothing,
      empty: 'noRun',
      canStart: true,
      line: 'No run yet.',
      hint: START_HINT,
    };
  }
  if (holder) {
    const actions = actionsOf(s, now, holder).filter((one): one is SteerAction => one !== 'steerNow');
    const line = `${heldWords(holder)} ${stateLine(s, now).text}`;
    return {
      ...nothing,
      held: true,
      runId: s.runId,
      fixed: s.model.fixed,
      line,
      tone: holder.gone ? 'attention' : 'idle',
      actions,
    };
  }
  const { text, tone } = stateLine(s, now);
  const actions = actionsOf(s, now);
  const final = isFinal(s.status);
  const asked = decisions(s, drafts);
  return {
    runId: s.runId,
    empty: undefined,
    held: false,
    line: asked.length > 0 ? shortLine(s, text) : text,
    tone,
    control: final ? 'none' : s.control,
    takesNotes: !final,
    canSteerNow: actions.includes('steerNow'),
    fixed: s.model.fixed,
    file: fileAhead(s),
    canStart: final && blocked === undefined,
    actions: actions.filter((action): action is SteerAction => action !== 'steerNow'),
    hint: hint(s, blocked === undefined),
    notesWait: noteWaits(s).long,
    notes: s.notes.filter((note) => note.state === 'queued').map(({ id, text: words }) => ({ id, text: words })),
    decisions: asked,
  };
}
