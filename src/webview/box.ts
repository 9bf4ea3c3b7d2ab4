/** Whose text stands in the box: a text belongs to the run it was written for, or is the goal of a new one. Pure. */
import type { SteerState } from '../protocol/steer';

/** The owner of a text that is no note. */
export const GOAL = '';

/** What the page keeps over a reload: the texts of the human, nothing else. */
export interface Kept {
  text: string;
  /** Run the text in the box is for, or GOAL. */
  of: string;
  /** By id of the question or queued note that a field is for; with a colon in front: what waits, unsent, outside the box. */
  drafts: Record<string, string>;
  /** What a queued note said when its field was opened: an unchanged field is no draft. */
  before: Record<string, string>;
}

/** `ended`: the run it is for takes no notes any more. `elsewhere`: another run is shown. */
export type BoxMode = 'goal' | 'note' | 'ended' | 'elsewhere';
type Shown = Pick<SteerState, 'runId' | 'takesNotes'>;

export function modeOf({ of }: Pick<Kept, 'of'>, s: Shown): BoxMode {
  if (of === GOAL) return 'goal';
  if (of !== s.runId) return 'elsewhere';
  return s.takesNotes ? 'note' : 'ended';
}

const isText = (text: string): boolean => text.trim() !== '';

/** Two texts never run into one line. */
const joined = (first: string, second: string): string => [first.trimEnd(), second].filter(isText).join('\n');

function putAside(kept: Kept, key: string, text: string): void {
  if (isText(text)) kept.drafts[key] = joined(kept.drafts[key] ?? '', text);
}

/**
 * The box turns to what is shown, unless that would take a text from under the hands that write it (`typing`), or an unsent
 * note from the run that has just ended. True: another text stands in it now.
 */
export function turn(kept: Kept, s: Shown, typing: boolean): boolean {
  const next = s.takesNotes && s.runId !== undefined ? s.runId : GOAL;
  if (next === kept.of) return false;
  if (isText(kept.text) && (typing || modeOf(kept, s) === 'ended')) return false;
  putAside(kept, `:${kept.of}`, kept.text);
  kept.of = next;
  kept.text = '';
  // The next key would land in the old text: it waits below the box instead.
  if (!typing) take(kept, `:${next}`);
  return true;
}

/** What waits goes into the box, below what stands there. */
export function take(kept: Kept, key: string): void {
  kept.text = joined(kept.text, kept.drafts[key] ?? '');
  delete kept.drafts[key];
}

/** A text is safe with the core: it goes, and what was typed after it was sent stays. */
export function sent(kept: Kept, from: { of: string; text: string }): void {
  const key = `:${from.of}`;
  if (kept.of === from.of && kept.text === from.text) kept.text = '';
  else if (kept.drafts[key] === from.text) delete kept.drafts[key];
}

/** A text typed here was sent by another way: it goes, wherever it is by now. Returns whether the box was emptied. */
export function taken(kept: Kept, { of, text }: { of: string; text: string }): boolean {
  for (const key of [of, `:${of}`]) if (kept.drafts[key]?.trim() === text) delete kept.drafts[key];
  const run = of.includes('/') ? of.slice(0, of.lastIndexOf('/')) : of;
  if (kept.of !== run || kept.text.trim() !== text) return false;
  kept.text = '';
  return true;
}

/** What is typed for the run in the box, and in the fields of its questions: whose it is, and the words. */
export const typedTexts = (kept: Kept): { of: string; text: string }[] =>
  [[kept.of, kept.text] as const, ...Object.entries(kept.drafts).filter(([key]) => /^[^:].*\/d\d+$/.test(key))]
    .map(([of, text]) => ({ of, text: text.trim() }))
    .filter(({ of, text }) => of !== GOAL && text !== '');

/** Texts that wait outside the box. */
export const waiting = (kept: Kept): [key: string, text: string][] =>
  Object.entries(kept.drafts).filter(([key]) => key.startsWith(':'));

/**
 * Fields of the shown run whose note was delivered, or whose question is settled, meanwhile: the words are not lost. In the box
 * go those of the field that is being typed in; the others wait. Returns whether the box took it.
 */
export function keepLate(
  kept: Kept,
  s: Pick<SteerState, 'runId' | 'notes' | 'decisions'>,
  at: { typed: string | undefined; underway: ReadonlySet<string> },
): boolean {
  let took = false;
  const open = new Set([...s.notes, ...s.decisions].map(({ id }) => id));
  for (const [id, words] of Object.entries(kept.drafts)) {
    const ofRun =
      s.runId !== undefined && id.startsWith(`${s.runId}/`) && /^[nd]\d+$/.test(id.slice(s.runId.length + 1));
    if (!ofRun || open.has(id) || at.underway.has(id)) continue;
    const before = kept.before[id] ?? '';
    delete kept.drafts[id];
    delete kept.before[id];
    if (words.trim() === before.trim()) continue;
    putAside(kept, `:${id}`, words);
    if (at.typed !== id || (kept.of !== s.runId && isText(kept.text))) continue;
    kept.of = s.runId ?? GOAL;
    take(kept, `:${id}`);
    took = true;
  }
  return took;
}
