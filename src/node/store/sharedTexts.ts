/**
 * What the transcript tells of a step is the very text that the step has. A snapshot holds it once, and so does the memory of a run
 * that was read from one: texts are most of a long run.
 */
import type { RunState } from '../../core/run/state';
import { stepOf } from '../../core/run/update';
import { isRecord } from './document';
import type { TakeElement, WriteElement } from './jsonText';

/** For writing: entries of the transcript with null for what is to be found at their steps. */
export function withoutShared(state: RunState): WriteElement {
  return (list, element) => {
    if (list !== 'transcript' || !isRecord(element) || element['kind'] !== 'result') return element;
    const { text } = element;
    const same = typeof text === 'string' && stepOf(state, String(element['stepId']))?.text === text;
    return same ? { ...element, text: null } : element;
  };
}

/** For reading: each element as it is read, steps before the transcript. */
export function hearShared(): TakeElement {
  const texts = new Map<unknown, unknown>();
  return (list, element) => {
    if (!isRecord(element)) return;
    if (list === 'steps') texts.set(element['id'], element['text']);
    else if (list === 'transcript') share(element, texts);
  };
}

/** Of a state that was read as a whole. */
export function shareTexts({ steps, transcript }: Record<string, unknown>): void {
  if (!Array.isArray(steps) || !Array.isArray(transcript)) return;
  if (!transcript.some((entry) => isRecord(entry) && entry['kind'] === 'result' && entry['text'] === null)) return;
  const hear = hearShared();
  for (const step of steps) hear('steps', step);
  for (const entry of transcript) hear('transcript', entry);
}

function share(entry: Record<string, unknown>, texts: ReadonlyMap<unknown, unknown>): void {
  if (entry['kind'] !== 'result') return;
  const text = texts.get(entry['stepId']);
  if (entry['text'] === null || text === entry['text']) entry['text'] = text;
}
