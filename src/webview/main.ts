/** The steering view in the browser: shows the last state it was sent, sends requests, keeps the human's text until it is safe. */
import { parseToView, type FromView, type SteerAction, type SteerState } from '../protocol/steer';
import { type BoxMode, keepLate, modeOf, sent, take, turn, waiting } from './box';
import { card, type CardActs } from './cards';
import { button, byId, el, replace } from './dom';
import { noteList, type NoteActs, unsentList } from './notes';
import { api, loadKept } from './store';

const line = byId('line', HTMLElement);
const text = byId('text', HTMLTextAreaElement);
const main = byId('main', HTMLElement);
const form = byId('form', HTMLFormElement);
const label = byId('label', HTMLElement);
const hint = byId('hint', HTMLElement);
const message = byId('message', HTMLElement);
const areas = {
  decisions: byId('decisions', HTMLElement),
  actions: byId('actions', HTMLElement),
  send: byId('send', HTMLElement),
  queue: byId('queue', HTMLElement),
  unsent: byId('unsent', HTMLElement),
};

const kept = loadKept();
let shown: SteerState | undefined;
let requests = 0;
/** Texts on their way: request → what was sent, and where it stands: in a field, or in the box as a text of that owner. */
type Sent = { text: string; draftOf?: string; of?: string; starts?: boolean };
const underway = new Map<number, Sent>();

const save = (): void => api.setState(kept);
const post = (m: FromView): void => api.postMessage(m);

function request(from: Sent): number {
  requests += 1;
  underway.set(requests, from);
  message.textContent = '';
  return requests;
}

// ---------------------------------------------------------------- what the human does

function send(now: boolean): void {
  const said = text.value.trim();
  if (said === '' || !shown) return;
  const mode = modeOf(kept, shown);
  if (mode === 'goal') return start();
  if (mode !== 'note') {
    message.textContent = mode === 'ended' ? 'Nothing was sent: choose what becomes of the note.' : ELSEWHERE;
    return;
  }
  post({ type: 'send', request: request({ text: text.value, of: kept.of }), runId: kept.of, text: said, now });
}

/** One press too many starts no second run. */
function start(): void {
  if ([...underway.values()].some(({ starts }) => starts)) return;
  const from = { text: text.value, of: kept.of, starts: true };
  post({ type: 'start', request: request(from), text: text.value.trim() });
}

function fork(): void {
  const said = text.value.trim();
  if (said !== '')
    post({ type: 'fork', request: request({ text: text.value, of: kept.of }), runId: kept.of, text: said });
}

function discard(): void {
  setBox('');
  if (shown) drawBox(shown);
}

function act(action: SteerAction): void {
  const runId = shown?.runId;
  if (runId === undefined) return;
  const said = action === 'handBack' && kept.of === runId ? text.value.trim() : '';
  const from = { text: text.value, ...(action === 'handBack' && kept.of === runId ? { of: runId } : {}) };
  post({ type: 'act', request: request(from), runId, action, text: said });
}

const cards: CardActs = {
  decide: (decisionId, choice, words) =>
    post({
      type: 'decide',
      request: request({ text: words, draftOf: decisionId }),
      decisionId,
      choice,
      text: words.trim(),
    }),
  showChange: (decisionId) => post({ type: 'showChange', decisionId }),
  draft: (id) => kept.drafts[id] ?? '',
  setDraft: (id, value) => {
    kept.drafts[id] = value;
    save();
  },
};

// ---------------------------------------------------------------- what is shown

const TITLE: Readonly<Record<SteerAction, [label: string, title: string]>> = {
  pause: ['Pause', 'Keep everything and stop; go on later'],
  resume: ['Resume', 'Look at what changed, then go on'],
  takeOver: ['Take Over', 'Pause, and you get control with a handover brief'],
  handBack: ['Hand Back', 'The agent learns what you changed and goes on'],
  abort: ['Abort', 'End this attempt; files stay as they are'],
  forceStop: ['Force Stop', 'Kill what is in flight; its effect will be unknown'],
};
const MAIN: ReadonlySet<SteerAction> = new Set(['resume', 'handBack', 'forceStop']);
/** A playbook is told nothing. */
const HAND_BACK_TO_PLAYBOOK = 'Every file is read again, then the playbook goes on';

/** What goes on by itself is not the main thing to press while a question is open. */
const isMain = (s: SteerState, action: SteerAction): boolean =>
  MAIN.has(action) && (s.decisions.length === 0 || action === 'forceStop');

/** The run whose abort was pressed once and not yet confirmed. */
let aborting: string | undefined;

function askAbort(runId: string | undefined): void {
  aborting = runId;
  if (!shown) return;
  replace(areas.actions, actionButtons(shown));
  const focus = areas.actions.querySelector<HTMLElement>(
    runId === undefined ? '[data-name=abort]' : '[data-name=keep]',
  );
  focus?.focus();
}

function confirmAbort(): Node[] {
  return [
    el('p', { class: 'ask', role: 'alert' }, 'End this run for good? Files stay as they are; it cannot be resumed.'),
    button('Abort the Run', () => (askAbort(undefined), act('abort')), { title: TITLE.abort[1], name: 'abortNow' }),
    button('Keep It', () => askAbort(undefined), { title: 'Nothing is ended (Escape)', name: 'keep' }),
  ];
}

function actionButtons(s: SteerState): Node[] {
  if (aborting !== undefined && aborting === s.runId && s.actions.includes('abort')) return confirmAbort();
  aborting = undefined;
  const made = s.actions.map((action) =>
    button(TITLE[action][0], () => (action === 'abort' ? askAbort(s.runId) : act(action)), {
      primary: isMain(s, action),
      title: action === 'handBack' && s.fixed ? HAND_BACK_TO_PLAYBOOK : TITLE[action][1],
      name: action,
    }),
  );
  const { file } = s;
  if (file === undefined) return made;
  const name = file.slice(file.lastIndexOf('/') + 1);
  return [...made, button(`Open ${name}`, () => post({ type: 'openFile', path: file }), { title: file, name: 'file' })];
}

const FORK_TITLE = 'A new run from where this one ended; the note comes first in it';

/** The run has ended over an unsent note: nothing happens to it by itself. */
const endedButtons = (s: SteerState): Node[] => [
  // A playbook reads no note, in a fork neither.
  ...(s.fixed ? [] : [button('Continue in a Fork', fork, { primary: true, title: FORK_TITLE, name: 'fork' })]),
  ...(s.canStart
    ? [button('Start a Run with It', start, { title: 'Start a run with this text as its goal', name: 'start' })]
    : []),
  button('Discard', discard, { title: 'Empty the box', name: 'discard' }),
];

function sendButtons(s: SteerState, mode: BoxMode): Node[] {
  if (mode === 'ended') return endedButtons(s);
  const made: Node[] = [];
  if (mode === 'note')
    made.push(
      button('Send', () => send(false), {
        primary: !s.fixed && s.decisions.length === 0 && !s.actions.some((a) => MAIN.has(a)),
        title: 'Queue the note for the next boundary (Enter)',
        name: 'send',
      }),
    );
  if (mode === 'note' && s.canSteerNow)
    made.push(
      button('Send Now', () => send(true), {
        title: 'Steer Now: stop the step in flight, then give it the note',
        name: 'now',
      }),
    );
  if (mode === 'goal' && s.canStart) {
    made.push(
      button(s.runId === undefined ? 'Start Run' : 'Start New Run', start, {
        primary: true,
        title: 'Start a run with this text as its goal (Enter)',
        name: 'start',
      }),
    );
    made.push(
      button('Run Playbook', () => post({ type: 'run', command: 'runPlaybook' }), {
        title: 'Pick a playbook file and run it',
        name: 'playbook',
      }),
    );
  }
  return made;
}

const notes: NoteActs = {
  withdraw: (noteId) =>
    shown?.runId !== undefined &&
    post({ type: 'withdraw', request: request({ text: '' }), runId: shown.runId, noteId }),
  edit: (noteId, words) =>
    shown?.runId !== undefined &&
    post({
      type: 'editNote',
      request: request({ text: words, draftOf: noteId }),
      ...{ runId: shown.runId, noteId, text: words.trim() },
    }),
  draft: (id) => kept.drafts[id],
  setDraft: (id, words) => {
    if (words !== undefined && kept.drafts[id] === undefined) kept.before[id] = words;
    if (words === undefined) delete kept.drafts[id];
    else kept.drafts[id] = words;
    if (words === undefined) delete kept.before[id];
    save();
  },
  redraw: () => shown && replace(areas.queue, noteList(shown.notes, notes)),
};

/** A note was delivered, or a question settled, over an open field: the words are not lost, and typing goes on in the box. */
function keepFields(s: SteerState): void {
  const field = document.activeElement;
  const name = field instanceof HTMLTextAreaElement && field !== text ? field.dataset['name'] : undefined;
  const before = JSON.stringify(kept);
  const sending = new Set([...underway.values()].flatMap(({ draftOf }) => draftOf ?? []));
  if (keepLate(kept, s, { typed: name?.replace(/\/field$/, ''), underway: sending })) {
    const fromEnd = field instanceof HTMLTextAreaElement ? field.value.length - field.selectionEnd : 0;
    text.value = kept.text;
    text.focus({ preventScroll: true });
    text.setSelectionRange(text.value.length - fromEnd, text.value.length - fromEnd);
    message.textContent = 'What the field was for is settled: your text is here now.';
  }
  if (JSON.stringify(kept) !== before) save();
}

/** The open question that is shown; the others wait behind it. */
let cardAt = 0;

function drawCards(s: SteerState): void {
  const count = s.decisions.length;
  cardAt = Math.min(cardAt, Math.max(0, count - 1));
  const d = s.decisions[cardAt];
  if (!d) return replace(areas.decisions, []);
  const turn = (by: number) => (): void => {
    cardAt = (cardAt + by + count) % count;
    drawCards(s);
  };
  const pager = el(
    'div',
    { class: 'row pager', role: 'group', 'aria-label': 'Open questions' },
    el('span', {}, `Question ${cardAt + 1} of ${count}`),
    button('Previous', turn(-1), { name: 'previous' }),
    button('Next', turn(1), { name: 'next' }),
  );
  replace(areas.decisions, count > 1 ? [pager, card(d, cards)] : [card(d, cards)]);
}

function setBox(words: string): void {
  text.value = words;
  kept.text = words;
  save();
}

const ELSEWHERE = 'This note is for a run that is not shown: it waits below when you leave the box.';

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

function drawBox(s: SteerState): void {
  // Seen from the keyboard: what is typed now goes on where it is.
  if (turn(kept, s, document.hasFocus() && document.activeElement === text)) setBox(kept.text);
  const mode = modeOf(kept, s);
  label.textContent = labelOf(s, mode);
  hint.textContent = hintOf(s, mode);
  text.placeholder =
    mode === 'goal' ? 'What should the agent do?' : s.fixed ? 'A playbook does not read it' : 'Also do …, or: do not …';
  const as = JSON.stringify([mode, s.runId, s.canSteerNow, s.canStart, s.fixed, s.actions, s.decisions.length > 0]);
  if (as !== drawnAs) replace(areas.send, sendButtons(s, mode));
  drawnAs = as;
  const left = waiting(kept);
  const list = JSON.stringify(left);
  if (list !== unsentDrawn) replace(areas.unsent, unsentList(left, unsent));
  unsentDrawn = list;
}

const unsent = {
  use: (key: string): void => {
    take(kept, key);
    setBox(kept.text);
    text.focus();
    if (shown) drawBox(shown);
  },
  discard: (key: string): void => {
    delete kept.drafts[key];
    save();
    if (shown) drawBox(shown);
  },
};

function show(s: SteerState): void {
  const before = shown;
  const hadFocus = document.hasFocus() && document.activeElement !== document.body;
  shown = s;
  main.hidden = false;
  document.body.dataset['tone'] = s.tone;
  // A live region speaks when its text changes: the same words are not said twice.
  if (line.textContent !== s.line) line.textContent = s.line;
  form.hidden = s.empty === 'noFolder' || s.empty === 'untrusted';
  keepFields(s);
  drawBox(s);
  const same = (pick: (state: SteerState) => unknown): boolean =>
    before !== undefined && JSON.stringify(pick(before)) === JSON.stringify(pick(s));
  const run = (state: SteerState): unknown => [
    state.runId,
    state.actions,
    state.fixed,
    state.file,
    state.decisions.length > 0,
  ];
  if (!same(run)) replace(areas.actions, actionButtons(s));
  if (!same((state) => [state.runId, state.notes])) replace(areas.queue, noteList(s.notes, notes));
  if (!same((state) => state.decisions)) drawCards(s);
  // What had the keyboard is gone: the box takes it, where one Enter too many does nothing.
  if (hadFocus && document.activeElement === document.body && !form.hidden) text.focus({ preventScroll: true });
}

function settle(requestId: number, clear: boolean, said: string): void {
  const from = underway.get(requestId);
  underway.delete(requestId);
  message.textContent = said;
  if (from && clear) {
    if (from.draftOf !== undefined) {
      delete kept.drafts[from.draftOf];
      delete kept.before[from.draftOf];
    }
    notes.redraw();
    if (from.of !== undefined) sent(kept, { of: from.of, text: from.text });
    if (text.value !== kept.text) text.value = kept.text;
    save();
  }
  if (!from || !shown) return;
  if (!clear) keepFields(shown);
  drawBox(shown);
}

// ---------------------------------------------------------------- wiring

text.value = kept.text;
text.addEventListener('input', () => {
  kept.text = text.value;
  save();
});
// Left alone, it turns to what is shown.
text.addEventListener('blur', () => setTimeout(() => shown && drawBox(shown)));
text.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  send(false);
});
// The view was shown by its command: the box takes the keyboard. A press of a button has its own focus by then, and the
// page must not move under it.
window.addEventListener('focus', () => {
  setTimeout(() => {
    if (document.activeElement === document.body && !form.hidden) text.focus({ preventScroll: true });
  });
});
areas.actions.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && aborting !== undefined) askAbort(undefined);
});
form.addEventListener('submit', (event) => event.preventDefault());
window.addEventListener('message', (event: MessageEvent<unknown>) => {
  const m = parseToView(event.data);
  if (m?.type === 'state') show(m.state);
  else if (m?.type === 'answer') settle(m.request, m.clear, m.message);
});
post({ type: 'ready' });
