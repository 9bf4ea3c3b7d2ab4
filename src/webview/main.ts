/** The steering view in the browser: shows the last state it was sent, sends requests, keeps the human's text until it is safe. */
import { parseToView, type FromView, type SteerAction, type SteerState } from '../protocol/steer';
import { card, type CardActs } from './cards';
import { button, byId, el, replace } from './dom';
import { noteList, type NoteActs } from './notes';
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
};

const kept = loadKept();
let shown: SteerState | undefined;
let requests = 0;
/** Texts on their way: request → what was sent, and where it stands. */
const underway = new Map<number, { text: string; draftOf?: string; box: boolean }>();

const save = (): void => api.setState(kept);
const post = (m: FromView): void => api.postMessage(m);

function request(from: { text: string; draftOf?: string; box: boolean }): number {
  requests += 1;
  underway.set(requests, from);
  message.textContent = '';
  return requests;
}

// ---------------------------------------------------------------- what the human does

function send(now: boolean): void {
  const runId = shown?.runId;
  const said = text.value.trim();
  if (said === '' || !shown) return;
  if (runId === undefined) {
    if (shown.canStart) start();
    return;
  }
  if (!shown.takesNotes) {
    message.textContent = shown.hint;
    return;
  }
  post({ type: 'send', request: request({ text: text.value, box: true }), runId, text: said, now });
}

function start(): void {
  post({ type: 'start', request: request({ text: text.value, box: true }), text: text.value.trim() });
}

function act(action: SteerAction): void {
  const runId = shown?.runId;
  if (runId === undefined) return;
  const said = action === 'handBack' ? text.value.trim() : '';
  post({ type: 'act', request: request({ text: text.value, box: action === 'handBack' }), runId, action, text: said });
}

const cards: CardActs = {
  decide: (decisionId, choice, words) =>
    post({
      type: 'decide',
      request: request({ text: words, draftOf: decisionId, box: false }),
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

function sendButtons(s: SteerState): Node[] {
  const made: Node[] = [];
  if (s.takesNotes)
    made.push(
      button('Send', () => send(false), {
        primary: !s.fixed && s.decisions.length === 0 && !s.actions.some((a) => MAIN.has(a)),
        title: 'Queue the note for the next boundary (Enter)',
        name: 'send',
      }),
    );
  if (s.canSteerNow)
    made.push(
      button('Send Now', () => send(true), {
        title: 'Steer Now: stop the step in flight, then give it the note',
        name: 'now',
      }),
    );
  if (s.canStart) {
    made.push(
      button(s.runId === undefined ? 'Start Run' : 'Start New Run', start, {
        primary: true,
        title: 'Start a run with this text as its goal',
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
    post({ type: 'withdraw', request: request({ text: '', box: false }), runId: shown.runId, noteId }),
  edit: (noteId, words) =>
    shown?.runId !== undefined &&
    post({
      type: 'editNote',
      request: request({ text: words, draftOf: noteId, box: false }),
      ...{ runId: shown.runId, noteId, text: words.trim() },
    }),
  draft: (id) => kept.drafts[id],
  setDraft: (id, words) => {
    if (words === undefined) delete kept.drafts[id];
    else kept.drafts[id] = words;
    save();
  },
  redraw: () => shown && replace(areas.queue, noteList(shown.notes, notes)),
};

/** A note that was delivered while it was being changed: the words are not lost, they wait in the box. */
function keepLateChanges(s: SteerState): void {
  for (const [id, words] of Object.entries(kept.drafts)) {
    const gone = /\/n\d+$/.test(id) && id.startsWith(`${s.runId}/`) && !s.notes.some((note) => note.id === id);
    if (!gone || [...underway.values()].some(({ draftOf }) => draftOf === id)) continue;
    delete kept.drafts[id];
    text.value = [text.value.trim(), words].filter((part) => part !== '').join('\n');
    kept.text = text.value;
    save();
  }
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

/** The box holds the draft of what it is for now; the other one waits for its turn. */
function draftAs(kind: 'goal' | 'note'): void {
  if (kept.of === kind) return;
  kept.drafts[`:${kept.of}`] = text.value;
  kept.of = kind;
  kept.text = kept.drafts[`:${kind}`] ?? '';
  text.value = kept.text;
  save();
}

function show(s: SteerState): void {
  const before = shown;
  const hadFocus = document.hasFocus() && document.activeElement !== document.body;
  shown = s;
  main.hidden = false;
  document.body.dataset['tone'] = s.tone;
  // A live region speaks when its text changes: the same words are not said twice.
  if (line.textContent !== s.line) line.textContent = s.line;
  hint.textContent = s.hint;
  form.hidden = s.empty === 'noFolder' || s.empty === 'untrusted';
  draftAs(s.takesNotes ? 'note' : 'goal');
  label.textContent =
    s.runId === undefined
      ? 'Goal'
      : s.takesNotes
        ? s.fixed
          ? 'Note for the record'
          : 'Note to the agent'
        : 'Goal of a new run';
  text.placeholder = s.takesNotes
    ? s.fixed
      ? 'A playbook does not read it'
      : 'Also do …, or: do not …'
    : 'What should the agent do?';
  const same = (pick: (state: SteerState) => unknown): boolean =>
    before !== undefined && JSON.stringify(pick(before)) === JSON.stringify(pick(s));
  const run = (state: SteerState): unknown => [
    state.runId,
    state.actions,
    state.takesNotes,
    state.canSteerNow,
    state.canStart,
    state.fixed,
    state.file,
    state.decisions.length > 0,
  ];
  if (!same(run)) {
    replace(areas.actions, actionButtons(s));
    replace(areas.send, sendButtons(s));
  }
  if (!same((state) => [state.runId, state.notes])) replace(areas.queue, noteList(s.notes, notes));
  keepLateChanges(s);
  if (!same((state) => state.decisions)) drawCards(s);
  // What had the keyboard is gone: the box takes it, where one Enter too many does nothing.
  if (hadFocus && document.activeElement === document.body && !form.hidden) text.focus({ preventScroll: true });
}

function settle(requestId: number, clear: boolean, said: string): void {
  const sent = underway.get(requestId);
  underway.delete(requestId);
  message.textContent = said;
  if (sent && !clear && shown) keepLateChanges(shown);
  if (!sent || !clear) return;
  if (sent.draftOf !== undefined) delete kept.drafts[sent.draftOf];
  notes.redraw();
  // What was typed after the note was sent stays.
  if (sent.box && text.value === sent.text) {
    text.value = '';
    kept.text = '';
  }
  save();
}

// ---------------------------------------------------------------- wiring

text.value = kept.text;
text.addEventListener('input', () => {
  kept.text = text.value;
  save();
});
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
