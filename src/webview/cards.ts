/** Open decisions as cards with their answers. */
import { type SteerChoice, type SteerDecision, WRITE_MINE } from '../protocol/steer';
import { button, el } from './dom';

export interface CardActs {
  decide(decisionId: string, choice: string, text: string): void;
  showChange(decisionId: string): void;
  /** What stands in a card's field; kept over redraws and reloads. */
  draft(decisionId: string): string;
  setDraft(decisionId: string, text: string): void;
}

const GOOD = new Set(['grant', 'save', 'continue']);
/** Answers to an approval that take the words of its field with them. */
const WITH_NOTE = new Set(['grant', 'grantForRun', 'reject']);

/** Where the human has begun a text of their own, that is what is meant. */
const isMain = (choice: SteerChoice, all: readonly SteerChoice[]): boolean => {
  const mine = all.find(({ label }) => label === WRITE_MINE);
  return mine ? choice === mine : GOOD.has(choice.id);
};
const KIND: Readonly<Record<string, string>> = {
  approval: 'Approval',
  unsaved: 'Unsaved files',
  conflict: 'Conflict',
  unknownEffect: 'Unknown effect',
  question: 'Question',
  worldChanged: 'The workspace changed',
};

export function card(d: SteerDecision, acts: CardActs): HTMLElement {
  const labelled = `decision-${d.id}`;
  const kind = `kind-${d.id}`;
  // It can have the keyboard itself: a question is read before one of its answers is pressed.
  const names = { 'aria-labelledby': `${kind} ${labelled}`, tabindex: '-1', 'data-name': `${d.id}/card` };
  const made = el('article', { class: 'card', ...names });
  made.append(el('p', { class: 'kind', id: kind }, KIND[d.kind] ?? d.kind), el('h3', { id: labelled }, d.title));
  if (d.detail !== '') made.append(el('pre', { tabindex: '0', 'data-name': `${d.id}/detail` }, d.detail));

  const field = d.freeText ? textField(d, acts) : undefined;
  if (field) made.append(...field.rows);
  const row = el('div', { class: 'row', role: 'group', 'aria-label': `Answers: ${d.title}` });
  for (const choice of d.choices) row.append(answer(d, choice, acts, field?.input));
  if (d.kind === 'question' && field) {
    row.append(
      button('Answer', () => acts.decide(d.id, '', field.input.value), {
        primary: d.choices.length === 0,
        name: `${d.id}/answer`,
      }),
    );
  }
  if (d.look !== '') row.append(button(d.look, () => acts.showChange(d.id), { name: `${d.id}/change` }));
  // Heard with each button, whichever the keyboard comes to first.
  for (const one of row.children) one.setAttribute('aria-describedby', labelled);
  made.append(row);
  return made;
}

function textField(d: SteerDecision, acts: CardActs): { rows: Node[]; input: HTMLTextAreaElement } {
  const id = `field-${d.id}`;
  const words = d.kind === 'question' ? 'Your answer' : 'A note with your answer (optional)';
  const input = el('textarea', { id, rows: d.kind === 'question' ? '2' : '1', 'data-name': `${d.id}/field` });
  input.value = acts.draft(d.id);
  input.addEventListener('input', () => acts.setDraft(d.id, input.value));
  input.addEventListener('keydown', (event) => {
    const sends = event.key === 'Enter' && !event.shiftKey && !event.isComposing && !event.defaultPrevented;
    if (!sends) return;
    event.preventDefault();
    if (d.kind === 'question' && input.value.trim() !== '') acts.decide(d.id, '', input.value);
  });
  return { rows: [el('label', { for: id }, words), input], input };
}

function answer(
  d: SteerDecision,
  choice: SteerChoice,
  acts: CardActs,
  field: HTMLTextAreaElement | undefined,
): HTMLElement {
  const takesText = d.kind === 'approval' && WITH_NOTE.has(choice.id) && field !== undefined;
  const label = (): string =>
    takesText && field.value.trim() !== ''
      ? `${choice.label}${choice.id === 'grantForRun' ? ',' : ''} with This Note`
      : choice.label;
  const press = (): void => acts.decide(d.id, choice.id, takesText ? field.value : '');
  const made = button(label(), press, { primary: isMain(choice, d.choices), name: `${d.id}/${choice.id}` });
  if (takesText) field.addEventListener('input', () => (made.textContent = label()));
  return made;
}
