/** Why the compensation of a step did nothing, in words for a person: what the agent is told says what it should do. Pure. */
import type { Step } from './state';

const WHY: Readonly<Record<string, string>> = {
  rejected: 'you rejected it',
  expired: 'its approval expired',
  stopped: 'it was stopped before it did anything',
  human: 'you stopped it',
  forced: 'it was stopped by force before it did anything',
  interrupted: 'it was interrupted before it did anything',
  guard: 'a guard of yours forbids it',
  badArguments: 'the call named for it is not valid',
  notRead: 'the file it would write was never read by the run, and is not overwritten',
  changed: 'the file it would write kept changing',
  notFound: 'the file it would change is not there',
  exists: 'the file it would make is there already',
  readOnly: 'the file it would write is read-only',
  permissionDenied: 'the system does not permit it',
  outside: 'it leads outside the workspace',
  noSpace: 'the disk is full',
  tooLarge: 'the file it would write is too large',
  binary: 'the file it would write is not text',
  typeChanged: 'what it would write is no regular file',
  notStarted: 'its command could not be started',
};

/** What is said to the agent begins with the outcome, and ends with what was not done. */
const HEAD = /^\w+(?: \(reason: \w+\))?: /;
const firstSentence = (text: string): string => /^.*?[.?!](?=\s|$)/.exec(text)?.[0] ?? text;

/** Without a full stop; '' where nothing is known. */
export function whyNotUndone({ reason, text }: Pick<Step, 'reason' | 'text'>): string {
  const known = reason === undefined ? undefined : WHY[reason];
  if (known !== undefined) return known;
  const said = firstSentence((text ?? '').replace(HEAD, '').replace(/\s+/g, ' ').trim());
  return said.slice(0, 200).replace(/[.\s]+$/, '');
}
