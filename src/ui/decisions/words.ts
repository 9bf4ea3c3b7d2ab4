/** A question in the one line that messages and lists of VS Code have. Pure. */
import type { Decision } from '../../core/run/state';
import { detailOf, inMessage } from '../render/words';

const MAX_DETAIL = 180;

/** Lines side by side, told apart: where a command ends is to be seen. */
const joined = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .reduce((all, line) => (all === '' ? line : `${all}${/[.:,(]$/.test(all) ? ' ' : ' · '}${line}`), '');

/** Its facts in one line; what the title has said already is left out. '' : there are none. */
export function factsOf(d: Decision): string {
  const detail = detailOf(d);
  const [first = '', ...rest] = detail.split('\n');
  return inMessage(joined(first !== '' && d.title.includes(first) ? rest.join('\n') : detail), MAX_DETAIL);
}

/** Title and facts. */
export function messageOf(d: Decision): string {
  const [title, facts] = [inMessage(d.title), factsOf(d)];
  if (facts === '') return title;
  return /[.?!…]$/.test(title) ? `${title} ${facts}` : `${title} (${facts.replace(/\.$/, '')})`;
}

/** Above the box for the words of an answer: Enter there gives this answer. */
export const boxTitle = (d: Decision, choice: string): string =>
  choice === 'reject' ? `Reject: ${messageOf(d)}` : d.title;
