/** The transcript as text: what the agent said and did, what the human said, what the runtime noted. Pure. */
import type { Entry, RunState, Step } from '../../core/run/state';
import { stepWords } from './call';
import { marksOf } from './marks';
import {
  clock,
  completedAfter,
  EFFECT,
  finishedSteps,
  outcomeOf,
  plural,
  remarkWords,
  reportWords,
  runLine,
  told,
} from './words';

const MAX_LINES = 40;
const MAX_CHARS = 4000;

/** The middle of a long text left out, with its size. Line feeds only. */
export function readable(text: string, maxLines = MAX_LINES, maxChars = MAX_CHARS): string {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n+$/, '').split('\n');
  const half = Math.floor(maxLines / 2);
  const cut =
    lines.length > maxLines
      ? [
          ...lines.slice(0, half),
          `… ${plural(lines.length - 2 * half, 'line')} left out …`,
          ...lines.slice(lines.length - half),
        ]
      : lines;
  const all = cut.join('\n');
  if (all.length <= maxChars) return all;
  const side = Math.floor(maxChars / 2);
  return `${all.slice(0, side)}\n… ${plural(all.length - 2 * side, 'character')} left out …\n${all.slice(all.length - side)}`;
}

const indent = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : `    ${line}`))
    .join('\n');

const callLine = (step: Step): string => `  → ${step.n}. ${stepWords(step)}`;

/** What the model is told of a guard comes as a note, with the id of the guard. */
const isGuard = (noteId: string): boolean => /\/g\d+$/.test(noteId);

function entryText(entry: Entry, stepOf: (id: string) => Step | undefined): string {
  switch (entry.kind) {
    case 'goal':
      return `## Goal\n\n${entry.text}`;
    case 'assistant': {
      const said = entry.text === '' ? '' : `${entry.text}${entry.interrupted ? ' (cut off by the stop)' : ''}`;
      const calls = entry.stepIds.map(stepOf).flatMap((step) => (step ? [callLine(step)] : []));
      if (said === '' && calls.length > 0) return calls.join('\n');
      return ['## Agent', said === '' ? '(no words)' : said, ...(calls.length > 0 ? [calls.join('\n')] : [])].join(
        '\n\n',
      );
    }
    case 'result': {
      const step = stepOf(entry.stepId);
      const head = step
        ? `  ← ${step.n}. ${outcomeOf(step, null)}${step.effect === 'unknown' ? `, effect ${EFFECT.unknown}` : ''}`
        : '  ← result';
      return `${head}\n${indent(readable(told(entry.text)))}`;
    }
    case 'note':
      return `## ${isGuard(entry.noteId) ? 'Guard' : 'Your note'}\n\n${entry.text}`;
    case 'report':
      return `## What changed while the run stood still\n\n${readable(reportWords(entry.text), 200, 20_000)}`;
    case 'remark':
      return `· ${clock(entry.at)} ${remarkWords(entry.text)}`;
  }
}

interface Made {
  /** What the text was made of besides the entry: the step of a result, the arguments of calls. */
  of: readonly unknown[];
  text: string;
}
const made = new WeakMap<Entry, Made>();

const madeOf = (entry: Entry, steps: ReadonlyMap<string, Step>): readonly unknown[] =>
  entry.kind === 'result'
    ? [steps.get(entry.stepId)]
    : entry.kind === 'assistant'
      ? entry.stepIds.map((id) => steps.get(id)?.args)
      : [];

/** Snapshots share the entries that did not change; a result is made anew when its step did. */
function cached(entry: Entry, steps: ReadonlyMap<string, Step>): string {
  const of = madeOf(entry, steps);
  const known = made.get(entry);
  if (known && of.every((one, n) => one === known.of[n])) return known.text;
  const text = entryText(entry, (id) => steps.get(id));
  made.set(entry, { of, text });
  return text;
}

/** How it ended: the last lines. */
function ending(s: RunState): string[] {
  const at = s.endedAt ?? s.updatedAt;
  if (s.status === 'completed') return [`## Completed`, s.summary ?? '', `· ${clock(at)} ${completedAfter(s)}.`];
  if (s.status === 'failed')
    return [
      `## Failed`,
      s.reason?.text ?? 'No reason is known.',
      `· ${clock(at)} Failed after ${plural(finishedSteps(s), 'step')}.`,
    ];
  return [];
}

/** Plain text that follows the run: it only grows at its end, but for the reply that streams. */
export function renderTranscript(s: RunState): string {
  const steps = new Map(s.steps.map((step) => [step.id, step]));
  const parts = [`# Transcript`, `${runLine(s)} · ${s.model.label}`];
  const marks = marksOf(s);
  let next = 0;
  for (const entry of s.transcript) {
    for (; (marks[next]?.at ?? Infinity) < entry.at; next += 1) parts.push(marks[next]?.text ?? '');
    parts.push(cached(entry, steps));
  }
  for (const mark of marks.slice(next)) parts.push(mark.text);
  if (s.partial && s.partial.text !== '') parts.push(`## Agent\n\n${s.partial.text}▌`);
  const running = s.steps.find((step) => step.outcome === 'running');
  if (running) parts.push(`  … ${running.n}. ${outcomeOf(running, s.frozen)}`);
  parts.push(...ending(s).filter((part) => part !== ''));
  return `${parts.join('\n\n')}\n`;
}

/** Where the text names a step that was called: its number leads to all that is known of it. */
export function stepLinks(
  text: string,
  steps: readonly Step[],
): { start: number; end: number; target: { to: 'step'; n: number }; id: string }[] {
  return [...text.matchAll(/^ {2}→ (\d+)\. /gm)].flatMap((found) => {
    const number = found[1] ?? '';
    const id = steps[Number(number) - 1]?.id;
    const start = found.index + found[0].indexOf(number);
    return id === undefined
      ? []
      : [{ start, end: start + number.length, target: { to: 'step', n: Number(number) }, id }];
  });
}
