/** One step, and one approval, as documents of their own: what the evidence of a receipt leads to. Pure. */
import type { RunState } from '../../core/run/state';
import { argumentLines, callWords } from './call';
import { readable } from './transcript';
import { EFFECT, FATE, oneLine, outcomeOf, runLine, stamp, told } from './words';

const MAX_LINES = 2000;
const MAX_CHARS = 200_000;

const facts = (rows: readonly (readonly [string, string | undefined])[]): string =>
  rows.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [`${name}: ${value}`])).join('\n');

const at = (time: number | undefined): string | undefined => (time === undefined ? undefined : stamp(time));

/** Call, outcome, process and output, as far as they are stored. `n` counts from 1. */
export function renderStep(s: RunState, n: number): string {
  const step = s.steps[n - 1];
  if (!step) return `Step ${n} is not known.\n`;
  const { process, exit } = step;
  const ended = exit ? (exit.timedOut ? 'time limit reached' : (exit.signal ?? `exit code ${exit.code}`)) : undefined;
  const args = step.badArgs ?? argumentLines(step.args);
  const what = callWords(step.tool, step.args, 300, true);
  const output = step.effectKind === 'process' ? '## Output' : '## Result';
  return [
    `# Step ${n}: ${oneLine(step.title, 160)}`,
    facts([
      ['Run', runLine(s)],
      ['Does', what === step.title ? undefined : what],
      ['Tool', step.tool],
      ['Outcome', outcomeOf(step, s.frozen)],
      ['Effect', step.effectKind === 'none' ? undefined : EFFECT[step.effect]],
      ['Started', at(step.startedAt)],
      ['Ended', at(step.endedAt)],
      ['Process', process ? `${process.id.pid} (${oneLine(process.id.command, 200)})` : undefined],
      ['Exit', ended],
    ]),
    `## Call\n\n${readable(args, MAX_LINES, MAX_CHARS)}`,
    ...(step.changes.length === 0 ? [] : [`## Files\n\n${step.changes.map((c) => `- ${c.path}`).join('\n')}`]),
    `${output}\n\n${step.text === undefined ? 'Nothing yet.' : readable(told(step.text), MAX_LINES, MAX_CHARS)}`,
    ...[...(step.lateBefore ?? []), ...(step.late ? [step.late] : [])].map(
      (late) =>
        `## Answered late\n\n${late.isError ? 'With an error' : 'Without an error'}, when nobody waited for it any more:\n\n${readable(late.text, MAX_LINES, MAX_CHARS)}`,
    ),
  ]
    .join('\n\n')
    .concat('\n');
}

/** What was asked, and what became of it. */
export function renderApproval(s: RunState, n: number): string {
  const d = s.decisions.find((one) => one.id === `${s.runId}/d${n}`);
  if (!d) return `Question ${n} is not known.\n`;
  const step = s.steps.find((one) => one.id === d.stepId);
  const label = d.choices.find((choice) => choice.id === d.answer?.choice)?.label ?? d.answer?.choice;
  return [
    `# ${oneLine(d.title, 160)}`,
    facts([
      ['Run', runLine(s)],
      ['Step', step && `${step.n}. ${oneLine(step.title, 160)}`],
      ['State', FATE[d.state]],
      ['Asked', stamp(d.openedAt)],
      ['Answered', at(d.answer?.at)],
      ['Answer', label],
      ['Your words', d.answer?.text],
    ]),
    `## What was shown\n\n${readable(d.detail === '' ? 'The title alone.' : d.detail, MAX_LINES, MAX_CHARS)}`,
  ]
    .join('\n\n')
    .concat('\n');
}
