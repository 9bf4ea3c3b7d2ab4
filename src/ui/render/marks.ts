/** Stops and answers as lines of the transcript: what happened to the run, beside what was said in it. Pure. */
import type { Decision, RunState } from '../../core/run/state';
import { clock, FATE, oneLine } from './words';

export interface Mark {
  at: number;
  text: string;
}

function answerOf(d: Decision): string {
  const { answer } = d;
  if (!answer) return '';
  const label = d.choices.find((choice) => choice.id === answer.choice)?.label;
  const words = answer.text === undefined || answer.text === '' ? '' : oneLine(answer.text, 200);
  if (label === undefined) return words === '' ? answer.choice : words;
  return words === '' || d.kind === 'conflict' ? label : `${label} (${words})`;
}

function decisionMarks(d: Decision): Mark[] {
  const asked = { at: d.openedAt, text: `· ${clock(d.openedAt)} Asked: ${oneLine(d.title, 200)}` };
  if (d.answer) return [asked, { at: d.answer.at, text: `· ${clock(d.answer.at)} You answered: ${answerOf(d)}` }];
  return d.state === 'pending' ? [asked] : [{ ...asked, text: `${asked.text} (${FATE[d.state]}, not answered)` }];
}

/** In the order of time; those of one moment as they came. */
export function marksOf(s: Pick<RunState, 'receipts' | 'decisions'>): Mark[] {
  // What was restored is said in the transcript itself.
  const told = s.receipts.filter(({ intent }) => intent !== 'restore' && intent !== 'undoRestore');
  const stops = told.map((r): Mark => ({ at: r.at, text: `· ${clock(r.at)} ${r.message}` }));
  return [...s.decisions.flatMap(decisionMarks), ...stops].sort((a, b) => a.at - b.at);
}
