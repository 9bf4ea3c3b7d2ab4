/** The handover brief: what someone needs who takes over now. Pure. */
import type { RunState, Step } from '../../core/run/state';
import { DECISION, EFFECT, oneLine, outcomeOf, plural, stamp, STATUS } from './words';
import { stateLine } from './stateLine';

const MAX_STEPS = 200;

const list = (lines: readonly string[], none: string): string =>
  lines.length === 0 ? none : lines.map((line) => `- ${line}`).join('\n');

const stepLine = (s: RunState, step: Step): string =>
  `${step.n}. ${oneLine(step.title, 120)}: ${outcomeOf(step, s.frozen)}`;

function inFlight(s: RunState): string {
  const receipt = s.receipts.at(-1);
  const frozen = s.steps.find((step) => step.id === s.frozen);
  if (frozen) {
    return `Step ${frozen.n} (${oneLine(frozen.title)}) is frozen in the middle: process ${frozen.process?.id.pid ?? '?'} is stopped, its effect is ${EFFECT[frozen.effect]}. Hand Back lets it go on; Abort ends it.`;
  }
  const running = s.steps.find((step) => step.outcome === 'running');
  if (running)
    return `Step ${running.n} (${oneLine(running.title)}) still runs; its effect is ${EFFECT[running.effect]}.`;
  const unknown = s.steps.filter((step) => step.outcome === 'unknown').at(-1);
  if (unknown)
    return `Step ${unknown.n} (${oneLine(unknown.title)}) had been requested and what it did is unknown. Look at it before you go on.`;
  return receipt ? `None. ${receipt.message}` : 'None.';
}

function pending(s: RunState): string[] {
  const calls = s.steps
    .filter((step) => step.outcome === 'notStarted')
    .map((step) => `${step.n}. ${oneLine(step.title, 120)}`);
  const taken = s.steps.filter((step) => step.outcome !== 'cancelledBeforeEffect').length;
  const outline = s.outline.slice(taken).map((title, i) => `${s.steps.length + i + 1}. ${oneLine(title, 120)}`);
  const plan = s.plan
    .filter((item) => item.status !== 'done')
    .map((item) => `${oneLine(item.title, 120)} (${item.status} in the agent's plan)`);
  return [...calls, ...outline, ...plan];
}

function files(s: RunState): string[] {
  return s.files
    .filter((f) => f.by !== 'read' || f.deletedByHuman)
    .map((f) => {
      const who =
        f.by === 'human'
          ? 'changed by you'
          : f.written === null
            ? 'deleted by the agent'
            : f.original === null
              ? 'created by the agent'
              : f.human
                ? 'changed by you and the agent'
                : 'changed by the agent';
      return `${f.path}: ${f.deletedByHuman ? (f.renamedTo ? `renamed by you to ${f.renamedTo}` : 'deleted by you') : who}`;
    });
}

export function renderHandover(s: RunState, now: number): string {
  const over = s.steps.filter((step) => step.outcome !== 'notStarted' && step.outcome !== 'running');
  const shown = over.slice(-MAX_STEPS);
  const left = over.length - shown.length;
  const open = s.decisions.filter((d) => d.state === 'pending');
  const why = s.reason?.text ?? stateLine(s, now).text;
  return [
    '# Handover brief',
    [`Run ${s.runId}`, STATUS[s.status], ...(s.control === 'agent' ? ['the agent has control'] : []), stamp(now)].join(
      ' · ',
    ),
    '## Goal',
    s.goal,
    '## Why it stopped',
    why,
    '## Step in flight',
    inFlight(s),
    `## Steps done (${over.length})`,
    (left > 0 ? `(${plural(left, 'earlier step')} left out; the transcript has them.)\n` : '') +
      list(
        shown.map((step) => stepLine(s, step)),
        'None.',
      ),
    '## Still to do',
    list(pending(s), 'Nothing is planned.'),
    '## Open questions',
    list(
      open.map((d) => `${DECISION[d.kind]}: ${oneLine(d.title, 200)}`),
      'None.',
    ),
    '## Files touched',
    list(files(s), 'None.'),
    ...(s.background.length + s.survivors.length > 0
      ? [
          '## Still running',
          list(
            [
              ...s.steps
                .filter((step) => s.background.includes(step.id))
                .map((step) => `in the background: ${oneLine(step.title)} (process ${step.process?.id.pid ?? '?'})`),
              ...s.survivors.map((p) => `could not be ended: process ${p.pid} (${oneLine(p.command)})`),
            ],
            '',
          ),
        ]
      : []),
    '## Next',
    s.status === 'humanControl'
      ? 'Edit what you want. Hand Back reads every file again, tells the agent what you changed, and lets it go on.'
      : 'Take Over gives you control; Resume lets the agent go on.',
  ]
    .join('\n\n')
    .concat('\n');
}
