/** Asking once before something is lost: what goes, in place of the button that was pressed. */
import { button, el } from './dom';

export interface Loss {
  /** What is lost. */
  question: string;
  /** The button that does it. */
  yes: string;
  title: string;
  /** Begins the names of both buttons. */
  name: string;
}

export const confirmLoss = ({ question, yes, title, name }: Loss, doIt: () => void, keep: () => void): Node[] => [
  el('p', { class: 'ask', role: 'alert' }, question),
  button(yes, doIt, { title, name: `${name}Now` }),
  button('Keep It', keep, { title: 'Nothing is lost (Escape)', name: `${name}Keep` }),
];

/** Puts the keyboard on the button of that name. */
export const focusOn = (area: HTMLElement, name: string): void =>
  [...area.querySelectorAll<HTMLElement>('[data-name]')].find((one) => one.dataset['name'] === name)?.focus();

/** What is to be lost, in a few words. */
export function quoted(text: string): string {
  const words = text.replace(/\s+/g, ' ').trim();
  const letters = Array.from(words);
  return `“${letters.length > 60 ? `${letters.slice(0, 59).join('')}…` : words}”`;
}
