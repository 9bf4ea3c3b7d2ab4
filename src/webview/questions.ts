/** The open questions: one card at a time, the others wait behind it. */
import type { SteerState } from '../protocol/steer';
import { card, type CardActs } from './cards';
import { button, el, replace } from './dom';
import { areas, kept, post, save } from './page';
import { request } from './requests';

const acts: CardActs = {
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

let at = 0;
/** The question that was drawn last. */
let drawn: string | undefined;

/** By its beginning: in a low window a question is read from there, not from its buttons. */
function bringIn(): void {
  const { top, bottom } = areas.decisions.getBoundingClientRect();
  if (top < 0 || bottom > window.innerHeight) areas.decisions.scrollIntoView({ block: 'start' });
}

/** After an answer the next question must be seen; not under the hands of somebody who writes. */
function showNext(id: string): void {
  const writing = document.activeElement instanceof HTMLTextAreaElement && document.activeElement.value !== '';
  if (drawn !== id && !writing) bringIn();
  drawn = id;
}

export function drawCards(s: SteerState): void {
  const count = s.decisions.length;
  at = Math.min(at, Math.max(0, count - 1));
  const d = s.decisions[at];
  if (!d) return replace(areas.decisions, []);
  const turn = (by: number) => (): void => {
    at = (at + by + count) % count;
    drawCards(s);
  };
  const pager = el(
    'div',
    { class: 'row pager', role: 'group', 'aria-label': 'Open questions' },
    el('span', {}, `Question ${at + 1} of ${count}`),
    button('Previous', turn(-1), { name: 'previous' }),
    button('Next', turn(1), { name: 'next' }),
  );
  replace(areas.decisions, count > 1 ? [pager, card(d, acts)] : [card(d, acts)]);
  showNext(d.id);
}

/** The keyboard goes to the question as a whole, no button: it is read first, and one Enter too many answers nothing. */
export function focusQuestion(): boolean {
  const shown = areas.decisions.querySelector<HTMLElement>('.card');
  shown?.focus({ preventScroll: true });
  if (shown) bringIn();
  return shown !== null;
}
