/** Texts on their way to the core: they stay where they were written until it is known that they are safe there. */
import { message } from './page';

/** What was sent, and where it stands: in a field, or in the box as a text of that owner. `starts`: it starts a run. */
export type Sent = { text: string; draftOf?: string; of?: string; starts?: boolean };

const underway = new Map<number, Sent>();
let last = 0;

/** Number of a new request. */
export function request(from: Sent): number {
  last += 1;
  underway.set(last, from);
  message.textContent = '';
  return last;
}

/** Its answer has come. */
export function answered(number: number): Sent | undefined {
  const from = underway.get(number);
  underway.delete(number);
  return from;
}

/** The same words of the same owner are on their way: one press too many sends them no second time. */
export const isSending = (of: string, text: string): boolean =>
  [...underway.values()].some((from) => from.of === of && from.text === text);

export const isStarting = (): boolean => [...underway.values()].some(({ starts }) => starts);

/** The questions and notes whose field is on its way. */
export const fieldsUnderway = (): ReadonlySet<string> =>
  new Set([...underway.values()].flatMap(({ draftOf }) => draftOf ?? []));
