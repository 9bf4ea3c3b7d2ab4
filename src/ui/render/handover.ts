/** The handover brief: what someone needs who takes over now. Pure. */
import { isActive, isFinal, isWaiting, type RunState, type Step } from '../../core/run/state';
import { standingReceipt, standsSince } from './standing';
import { DECISION, EFFECT, oneLine, outcomeOf, PLAN, plural, stamp, statusOf } from './words';
import { touchedWords } from './touched';

const MAX_STEPS = 200;

const list = (lines: readonly string[], none: string): string =>
  lines.length === 0 ? none : lines.map((line) => `- ${line}`).join('\n');

const stepLine = (s: RunState, step: Step): string =>
  `${step.n}. ${oneLine(step.title, 120)}: ${outcomeOf(step, s.frozen)}`;

function inFlight(s: RunState): string {
  const receipt = standingReceipt(s);
  const frozen = s.steps.find((step) => step.id === s.frozen);
  if (frozen) {
    return `Step ${frozen.n} (${oneLine(frozen.title)}) is frozen in the middle: process ${frozen.process?.id.pid ?? '?'} is stopped, its effect is ${EFFECT[frozen.effect]}. ${s.status === 'humanControl' ? 'Hand Back' : 'Resume'} lets it go on; Abort ends it.`;
  }
  const running = s.steps.find((step) => step.outcome === 'running');
  if (running)
    return `Step ${running.n} (${oneLine(running.title)}) still runs; its effect is ${EFFECT[running.effect]}.`;
  const unknown = s.steps.filter((step) => step.outcome === 'unknown').at(-1);
  if (unknown)
    return `Step ${unknown.n} (${oneLine(unknown.title)}) had been requested and what it did is unknown. Look at it before you go on.`;
  // A receipt is true of its moment: once the run has gone on it says nothing about now.
  const stands = s.status === 'paused' || s.status === 'humanControl';
  return stands && receipt ? `None. ${receipt.message}` : 'None.';
}

function pending(s: RunState): string[] {
  const calls = s.steps
    .filter((step) => step.outcome === 'notStarted')
    .map((step) => `${step.n}. ${oneLine(step.title, 120)}`);
  const taken = s.steps.filter((x) => x.outcome !== 'cancelledBeforeEffect' && x.compensates === undefined).length;
  const outline = s.outline.slice(taken).map((title, i) => `${s.steps.length + i + 1}. ${oneLine(title, 120)}`);
  const plan = s.plan
    .filter((item) => item.status !== 'done')
    .map((item) => `${oneLine(item.title, 120)} (${PLAN[item.status]} in the agent's plan)`);
  return [...calls, ...outline, ...plan];
}

function files(s: RunState): string[] {
  return s.files.filter((f) => f.by !== 'read' || f.deletedByHuman).map((f) => `${f.path}: ${touchedWords(f)}`);
}

function why(s: RunState, line: string): string {
  if (s.status === 'completed') return line;
  if (isFinal(s.status) || s.status === 'paused' || s.status === 'humanControl') return s.reason?.text || line;
  return `It has not stopped. ${line}`;
}

function next(s: RunState): string {
  const fixed = s.model.fixed;
  switch (s.status) {
    case 'completed':
    case 'aborted':
    case 'failed':
      return 'The run has ended: nothing goes on. Start a new run to go further.';
    case 'humanControl':
      return fixed
        ? 'Edit what you want. Hand Back reads every file again; then the playbook goes on with its next step, and each write is checked against what is there.'
        : 'Edit what you want. Hand Back reads every file again, tells the agent what you changed, and lets it go on.';
    case 'awaitingApproval':
    case 'needsHuman':
      return 'Answer what is open, or Take Over to get control.';
    default:
      return `Take Over gives you control; ${s.status === 'paused' ? `Resume lets the ${fixed ? 'playbook' : 'agent'} go on` : 'Pause stops it where it stands'}.`;
  }
}

/** The brief is made when it is opened; what it tells is as old as the stop. */
function standingWords(s: RunState): string {
  const at = stamp(standsSince(s));
  if (isFinal(s.status)) return `ended ${at}`;
  return isActive(s.status) || isWaiting(s.status) ? `last change ${at}` : `since ${at}`;
}

/** `line`: what the run is doing now, in a sentence. */
export function renderHandover(s: RunState, line: string): string {
  const over = s.steps.filter((step) => step.outcome !== 'notStarted' && step.outcome !== 'running');
  const shown = over.slice(-MAX_STEPS);
  const left = over.length - shown.length;
  const open = s.decisions.filter((d) => d.state === 'pending');
  const control = s.control === 'agent' && !isFinal(s.status) ? ['the agent has control'] : [];
  return [
    '# Handover brief',
    [statusOf(s), ...control, standingWords(s)].join(' · '),
    '## Goal',
    s.goal,
    isFinal(s.status) ? '## How it ended' : '## Why it stopped',
    why(s, line),
    '## Step in flight',
    inFlight(s),
    `## Steps so far (${over.length})`,
    (left > 0 ? `(${plural(left, 'earlier step')} left out; the transcript has them.)\n` : '') +
      list(
        shown.map((step) => stepLine(s, step)),
        'None.',
      ),
    isFinal(s.status) ? '## Not done' : '## Still to do',
    list(
      isFinal(s.status) && s.status !== 'aborted' ? [] : pending(s),
      s.status === 'completed' ? 'Nothing: it completed.' : 'Nothing is planned.',
    ),
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
              ...s.survivors.map(
                (p) =>
                  `${p.unsure ? 'perhaps started by a command, and left alone' : 'could not be ended'}: process ${p.pid} (${oneLine(p.command)})`,
              ),
            ],
            '',
          ),
        ]
      : []),
    '## Next',
    next(s),
  ]
    .join('\n\n')
    .concat('\n');
}
