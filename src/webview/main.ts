/** The steering view in the browser: shows the last state it was sent, sends requests, keeps the human's text until it is safe. */
import { parseToView, type SteerState } from '../protocol/steer';
import { keepLate, sent, taken } from './box';
import { drawBox, send } from './boxView';
import { chordWatch } from './chords';
import { replace } from './dom';
import { noteList, type NoteActs } from './notes';
import { areas, form, kept, line, main, message, page, post, save, text } from './page';
import { drawCards, focusQuestion } from './questions';
import { answered, fieldsUnderway, request } from './requests';
import { drawActions } from './runButtons';

const notes: NoteActs = {
  withdraw: (noteId) =>
    page.shown?.runId !== undefined &&
    post({ type: 'withdraw', request: request({ text: '' }), runId: page.shown.runId, noteId }),
  edit: (noteId, words) =>
    page.shown?.runId !== undefined &&
    post({
      type: 'editNote',
      request: request({ text: words, draftOf: noteId }),
      ...{ runId: page.shown.runId, noteId, text: words.trim() },
    }),
  draft: (id) => kept.drafts[id],
  setDraft: (id, words) => {
    if (words !== undefined && kept.drafts[id] === undefined) kept.before[id] = words;
    if (words === undefined) delete kept.drafts[id];
    else kept.drafts[id] = words;
    if (words === undefined) delete kept.before[id];
    save();
  },
  redraw: () => page.shown && drawNotes(page.shown),
};

const drawNotes = (s: SteerState): void =>
  replace(areas.queue, noteList(s.notes, { kept: s.fixed, waits: s.notesWait }, notes));

/** A note was delivered, or a question settled, over an open field: the words are not lost, and typing goes on in the box. */
function keepFields(s: SteerState): void {
  const field = document.activeElement;
  const name = field instanceof HTMLTextAreaElement && field !== text ? field.dataset['name'] : undefined;
  const before = JSON.stringify(kept);
  if (keepLate(kept, s, { typed: name?.replace(/\/field$/, ''), underway: fieldsUnderway() })) {
    const fromEnd = field instanceof HTMLTextAreaElement ? field.value.length - field.selectionEnd : 0;
    text.value = kept.text;
    text.focus({ preventScroll: true });
    text.setSelectionRange(text.value.length - fromEnd, text.value.length - fromEnd);
    message.textContent = 'What the field was for is settled: your text is here now.';
  }
  if (JSON.stringify(kept) !== before) save();
}

/** The keyboard stands in the empty box because what had it is gone, not because somebody wants to write. */
let parked = false;

/** What had the keyboard is gone: an open question takes it, else the box, where one Enter too many does nothing. */
function keepKeyboard(hadIt: boolean): void {
  const lost = hadIt && document.activeElement === document.body;
  const waits = parked && document.activeElement === text && text.value === '';
  if (!lost && !waits) return;
  if (focusQuestion()) parked = false;
  else if (lost && !form.hidden) {
    text.focus({ preventScroll: true });
    parked = true;
  }
}

function show(s: SteerState): void {
  const before = page.shown;
  const hadFocus = document.hasFocus() && document.activeElement !== document.body;
  page.shown = s;
  main.hidden = false;
  document.body.dataset['tone'] = s.tone;
  // A live region speaks when its text changes: the same words are not said twice.
  if (line.textContent !== s.line) line.textContent = s.line;
  form.hidden = s.empty === 'noFolder' || s.empty === 'untrusted' || s.held;
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
  if (!same(run)) drawActions(s);
  if (!same((state) => [state.runId, state.notes, state.notesWait])) drawNotes(s);
  if (!same((state) => state.decisions)) drawCards(s);
  keepKeyboard(hadFocus);
  // Another run, or its end: what is true now stands at the top. An open question comes into view by itself.
  const turned = before && !same((state) => [state.runId, state.takesNotes]);
  if (turned && text.value === '' && s.decisions.length === 0) window.scrollTo({ top: 0 });
}

/** Sent from outside the page. */
function drop(of: string, words: string): void {
  if (taken(kept, { of, text: words })) text.value = '';
  save();
  if (page.shown) drawBox(page.shown);
}

function settle(requestId: number, clear: boolean, said: string): void {
  const from = answered(requestId);
  message.textContent = said;
  if (from && clear) {
    // An answer that takes no words leaves those of its field: they wait below.
    if (from.draftOf !== undefined && kept.drafts[from.draftOf] === from.text) {
      delete kept.drafts[from.draftOf];
      delete kept.before[from.draftOf];
    }
    notes.redraw();
    if (from.of !== undefined) sent(kept, { of: from.of, text: from.text });
    if (text.value !== kept.text) text.value = kept.text;
    save();
  }
  if (!from || !page.shown) return;
  keepFields(page.shown);
  drawBox(page.shown);
}

// ---------------------------------------------------------------- wiring

const isSecondOfChord = chordWatch(Date.now, navigator.userAgent.includes('Macintosh'));
// Before the fields hear of it. It goes on to VS Code, which listens at the window.
document.addEventListener(
  'keydown',
  (event) => {
    if (isSecondOfChord(event)) event.preventDefault();
  },
  true,
);

text.value = kept.text;
text.addEventListener('input', () => {
  parked = false;
  kept.text = text.value;
  save();
});
// Left alone, it turns to what is shown.
text.addEventListener('blur', () => {
  parked = false;
  setTimeout(() => page.shown && drawBox(page.shown));
});
text.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.defaultPrevented) return;
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
form.addEventListener('submit', (event) => event.preventDefault());
window.addEventListener('message', (event: MessageEvent<unknown>) => {
  const m = parseToView(event.data);
  if (m?.type === 'state') show(m.state);
  else if (m?.type === 'answer') settle(m.request, m.clear, m.message);
  else if (m?.type === 'focusQuestion') focusQuestion();
  else if (m?.type === 'taken') drop(m.of, m.text);
});
post({ type: 'ready' });
save();
