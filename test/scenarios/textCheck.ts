/** Checks of a text: what it holds, how often, in which order, and how long it is. */
import type { TextCheck } from './types';

export const quote = (text: string, limit = 200): string => {
  const shown = JSON.stringify(text);
  return shown.length > limit ? `${shown.slice(0, limit)}… (${text.length} characters)` : shown;
};

/** How often it stands there, overlaps not counted. */
export function occurrences(text: string, part: string): number {
  if (part === '') return 0;
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/** What is wrong, one sentence each; `what` names the text. */
export function checkText(check: TextCheck, text: string, what: string): string[] {
  const wrong: string[] = [];
  for (const part of check.contains ?? []) if (!text.includes(part)) wrong.push(`${what} lacks ${quote(part)}`);
  for (const part of check.once ?? []) {
    const count = occurrences(text, part);
    if (count !== 1) wrong.push(`${what} must hold ${quote(part)} once, not ${count} times`);
  }
  for (const part of check.not ?? [])
    if (text.includes(part)) wrong.push(`${what} must not hold ${quote(part)}: …${around(text, part)}…`);
  let from = 0;
  for (const part of check.inOrder ?? []) {
    const at = text.indexOf(part, from);
    if (at < 0) {
      const why = text.includes(part) ? 'stands too early in it' : 'is not in it';
      wrong.push(
        `${what} must hold ${(check.inOrder ?? []).map((p) => quote(p, 60)).join(', then ')}: ${quote(part)} ${why}`,
      );
      break;
    }
    from = at + part.length;
  }
  if (check.maxChars !== undefined && text.length > check.maxChars)
    wrong.push(`${what} has ${text.length} characters, more than ${check.maxChars}`);
  return wrong;
}

function around(text: string, part: string): string {
  const at = text.indexOf(part);
  return quote(text.slice(Math.max(0, at - 60), at + part.length + 60));
}
