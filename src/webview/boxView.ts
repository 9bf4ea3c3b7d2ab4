/** The box: whose text stands in it, what can be done with it, and the unsent texts that wait below. */
import type { SteerState } from '../protocol/steer';
import { type BoxMode, modeOf, take, turn, waiting } from './box';
import { focusOn } from './confirm';
import { replace } from './dom';
import { unsentList } from './notes';
import { areas, hint, kept, label, message, page, post, save, text } from './page';
import { isSending, isStarting, request } from './requests';
import { hasMain } from './runButtons';
import { type BoxActs, sendButtons } from './sendButtons';

const ELSEWHERE = 'This note is for a run that is not shown: it waits below when you leave the box.';

const redraw = (): void => {
  if (page.shown) drawBox(page.shown);
};

function setBox(words: string): void {
  text.value = words;
  kept.text = words;
  save();
}

/** The discard of the box was pressed once and not yet confirmed. */
let discarding = false;
/** Key of the waiting text of which the same is true. */
let dropping: string | undefined;

export function send(now: boolean): void {
  const { shown } = page;
  const said = text.value.trim();
  if (said === '' || !shown) return;
  const mode = modeOf(kept, shown);
  if (mode === 'goal') return start();
  if (mode !== 'note') {
    message.textContent = mode === 'ended' ? 'Nothing was sent: choose what becomes of the note.' : ELSEWHERE;
    return;
  }
  if (isSending(kept.of, text.value)) return;
  post({ type: 'send', request: request({ text: text.value, of: kept.of }), runId: kept.of, text: said, now });
}

/** One press too many starts no second run. */
function start(): void {
  if (isStarting()) return;
  const from = { text: text.value, of: kept.of, starts: true };
  post({ type: 'start', request: request(from), text: text.value.trim() });
}

const acts: BoxActs = {
  send,
  start,
  fork: () => {
    const said = text.value.trim();
    if (said !== '' && !isSending(kept.of, text.value))
      post({ type: 'fork', request: request({ text: text.value, of: kept.of }), runId: kept.of, text: said });
  },
  askDiscard: (ask) => {
    discarding = ask && text.value.trim() !== '';
    redraw();
    focusOn(areas.send, discarding ? 'discardKeep' : 'discard');
  },
  discard: () => {
    discarding = false;
    setBox('');
    redraw();
  },
  runPlaybook: () => post({ type: 'run', command: 'runPlaybook' }),
};

function labelOf(s: SteerState, mode: BoxMode): string {
  if (mode === 'goal') return s.runId === undefined ? 'Goal' : 'Goal of a new run';
  if (mode === 'note') return s.fixed ? 'Note for the record' : 'Note to the agent';
  return mode === 'ended' ? 'Unsent note to the run that has ended' : 'Unsent note to another run';
}

function hintOf(s: SteerState, mode: BoxMode): string {
  if (mode === 'ended') return 'The run has ended: this note was not sent.';
  if (mode === 'elsewhere') return ELSEWHERE;
  return mode === 'goal' && s.takesNotes ? 'Another run is at work: Enter asks before it is paused.' : s.hint;
}

/** What the box and its buttons were drawn for. */
let drawnAs = '';
let unsentDrawn = '';

export function drawBox(s: SteerState): void {
  // Seen from the keyboard: what is typed now goes on where it is.
  if (turn(kept, s, document.hasFocus() && document.activeElement === text)) setBox(kept.text);
  const mode = modeOf(kept, s);
  label.textContent = labelOf(s, mode);
  hint.textContent = hintOf(s, mode);
  text.placeholder =
    mode === 'goal' ? 'What should the agent do?' : s.fixed ? 'A playbook does not read it' : 'Also do …, or: do not …';
  const asked = discarding && mode === 'ended' && text.value.trim() !== '' ? text.value : undefined;
  const second = hasMain(s);
  const what = [mode, s.runId, s.canSteerNow, s.canStart, s.fixed, s.actions, s.decisions.length > 0, asked];
  const as = JSON.stringify(what);
  if (as !== drawnAs) replace(areas.send, sendButtons(s, mode, acts, { asked, second }));
  drawnAs = as;
  const left = waiting(kept);
  const list = JSON.stringify([left, dropping]);
  if (list !== unsentDrawn) replace(areas.unsent, unsentList(left, unsent, dropping));
  unsentDrawn = list;
}

const unsent = {
  use: (key: string): void => {
    take(kept, key);
    setBox(kept.text);
    text.focus();
    redraw();
  },
  askDiscard: (key: string, ask: boolean): void => {
    dropping = ask ? key : undefined;
    redraw();
    focusOn(areas.unsent, ask ? `${key}/discardKeep` : `${key}/discard`);
  },
  discard: (key: string): void => {
    dropping = undefined;
    delete kept.drafts[key];
    save();
    redraw();
  },
};

areas.send.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && discarding) acts.askDiscard(false);
});
areas.unsent.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && dropping !== undefined) unsent.askDiscard(dropping, false);
});
