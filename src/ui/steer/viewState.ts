/** What the steering view shows, made from one snapshot. Pure. */
import { isFinal, type RunState } from '../../core/run/state';
import type { SteerAction, SteerDecision, SteerState } from '../../protocol/steer';
import { actionsOf } from '../actions';
import { choicesOf } from '../decisions/choices';
import { stateLine } from '../render/stateLine';
import { detailOf } from '../render/words';

const MAX_DETAIL = 4000;

const cut = (text: string): string => (text.length > MAX_DETAIL ? `${text.slice(0, MAX_DETAIL)}…` : text);

const decisions = (s: RunState): SteerDecision[] =>
  s.decisions
    .filter((d) => d.state === 'pending')
    .map((d) => ({
      id: d.id,
      kind: d.kind,
      title: d.title,
      detail: cut(detailOf(d)),
      choices: choicesOf(s, d).map(({ id, label }) => ({ id, label })),
      // Elsewhere words go with an answer by another way (a document to edit): a field here would lose them.
      freeText: d.freeText && (d.kind === 'question' || d.kind === 'approval'),
      hasChange: d.change !== undefined,
    }));

function hint(s: RunState): string {
  if (isFinal(s.status)) return 'This run has ended and takes no notes.';
  if (s.model.fixed) return 'A playbook reads no notes; they stay queued.';
  if (s.status === 'humanControl') return 'Hand Back sends the text as your note.';
  if (s.status === 'paused') return 'A note is given to the agent when the run resumes.';
  if (s.status === 'awaitingApproval') return 'A note is queued; it does not answer the approval.';
  return '';
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
): SteerState {
  const nothing: SteerState = {
    runId: undefined,
    empty: undefined,
    line: '',
    tone: 'idle',
    control: 'none',
    takesNotes: false,
    canSteerNow: false,
    canStart: false,
    actions: [],
    hint: '',
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
      hint: 'Enter starts a run with this goal.',
    };
  }
  const { text, tone } = stateLine(s, now);
  const actions = actionsOf(s, now);
  const final = isFinal(s.status);
  return {
    runId: s.runId,
    empty: undefined,
    line: decisions(s).length > 0 ? shortLine(s, text) : text,
    tone,
    control: final ? 'none' : s.control,
    takesNotes: !final,
    canSteerNow: actions.includes('steerNow'),
    canStart: final && blocked === undefined,
    actions: actions.filter((action): action is SteerAction => action !== 'steerNow'),
    hint: hint(s),
    notes: s.notes.filter((note) => note.state === 'queued').map(({ id, text: words }) => ({ id, text: words })),
    decisions: decisions(s),
  };
}
