/** What a run is doing now, in one sentence. Pure. */
import type { RunState, Step } from '../../core/run/state';
import { livingCommands } from '../../core/run/kill';
import { livesOn, outlived, standsNow } from '../../core/run/receipt';
import { lastStop } from '../../core/run/stops';
import { FORCE_AFTER_MS } from '../actions';
import { secondsLeft, waitedWords } from './retry';
import { actSince } from './standing';
import { capital, completedAfter, isYourTurn, oneLine, outcomeOf, plural, progressWords } from './words';

export type Tone = 'idle' | 'busy' | 'attention' | 'ended' | 'problem';

const named = (step: Step | undefined): string =>
  step ? `step ${step.n}: ${oneLine(step.title, 160)}` : 'the step in flight';
/** What was cut ends in an ellipsis, which takes no full stop. */
const sentence = (text: string): string => (/[.?!…]$/.test(text) ? text : `${text}.`);

function inFlightStep(s: RunState): Step | undefined {
  const id = s.inFlight?.kind === 'step' || s.inFlight?.kind === 'check' ? s.inFlight.stepId : s.frozen;
  return id === null ? undefined : s.steps.findLast((step) => step.id === id);
}

function running(s: RunState, now: number): string {
  switch (s.inFlight?.kind) {
    case 'prepare':
      return 'Getting ready: reading the files the run names.';
    case 'model':
      return s.model.fixed
        ? 'Taking the next step of the playbook.'
        : s.partial?.text
          ? 'The agent is answering.'
          : 'The agent is thinking.';
    case 'retry': {
      return `The model service did not answer well (${s.retry?.error.message ?? 'no reason given'}). Asking again in ${secondsLeft(s, now) ?? 0} s.`;
    }
    case 'step': {
      const step = inFlightStep(s);
      const far = step ? progressWords(step) : '';
      return sentence(capital(`${named(step)}${far === '' ? '' : ` (${far})`}`));
    }
    case 'check':
      return `Checking what really happened: ${sentence(named(inFlightStep(s)))}`;
    default:
      return 'Going on.';
  }
}

const WANTED = {
  pause: 'Pausing',
  steer: 'Stopping for your note',
  takeOver: 'Taking over',
  abort: 'Aborting',
} as const;

function stopping(s: RunState, now: number): string {
  const intent = s.stopping?.intent ?? 'pause';
  if (s.stopping?.forced) return `${WANTED[intent]}: killing what is in flight.`;
  const waits = s.inFlight?.kind === 'step' ? `waiting for ${named(inFlightStep(s))}` : 'waiting for what is in flight';
  const late = now - (s.stopping?.at ?? now) >= FORCE_AFTER_MS ? ' Force Stop kills it at once.' : '';
  return `${WANTED[intent]}: ${sentence(waits)}${late}`;
}

function open(s: RunState): string {
  const pending = s.decisions.filter((d) => d.state === 'pending');
  const first = pending[0];
  if (!first) return '';
  return pending.length === 1
    ? oneLine(first.title, 120)
    : `${plural(pending.length, 'open question')}: ${oneLine(first.title, 90)}`;
}

const frozenWords = (s: RunState): string =>
  s.frozen === null ? '' : ` ${capital(named(inFlightStep(s)))} is frozen.`;

/** The playbook's own title says what the human is to do. */
function yourTurn(s: RunState): string {
  const next = s.steps.find((step) => step.outcome === 'notStarted');
  return next ? `Your turn, before step ${next.n}: ${oneLine(next.title, 200)}` : (s.reason?.text ?? 'Your turn.');
}

/** What was undone or restored since it paused, and where it stands by now. */
function tookBack(s: RunState): string | undefined {
  const act = actSince(s);
  if (!act || outlived(s, act) || !['human', 'playbook'].includes(s.reason?.code ?? '')) return undefined;
  const next = s.steps.find((step) => step.outcome === 'notStarted');
  return `${act.message} Paused${next ? ` before ${sentence(named(next))}` : '.'}${frozenWords(s)}`;
}

/** Where it was stopped, as is true now. */
function stopped(s: RunState): string | undefined {
  const receipt = lastStop(s);
  return receipt && standsNow(s, receipt);
}

/** What the stop did not know and is known since; the receipt stays true of its moment. */
function settledSince(s: RunState): string | undefined {
  const open = lastStop(s)?.effects.filter((e) => e.outcome === 'unknown') ?? [];
  const steps = open.flatMap((e) => s.steps.filter((step) => step.id === e.stepId));
  if (steps.length === 0 || steps.some((step) => step.outcome === 'unknown')) return undefined;
  const words = steps.map((step) => `what step ${step.n} did is settled (${outcomeOf(step, s.frozen)})`);
  return `Paused: ${words.join(', ')}.${frozenWords(s)}${livesOn(s)}`;
}

/** A run that is over says so only with what of it lives on. */
function leftRunning(s: RunState): string {
  const left = livingCommands(s);
  const [first] = left;
  if (!first) return '';
  const named = left.length === 1 ? `: ${oneLine(first.title, 60)}` : '';
  return ` ${plural(left.length, 'command')} still ${left.length === 1 ? 'runs' : 'run'} in the background${named}.`;
}

/** A step is being undone; the status is that of before. */
function undoing(s: RunState, now: number): string | undefined {
  const { compensating } = s;
  if (!compensating) return undefined;
  const own = s.steps.find((step) => step.id === compensating.stepId);
  if (!s.inFlight) return `Undoing waits for your answer. ${open(s)}`.trim();
  const { waits } = compensating;
  const late = waits && now - waits.at >= FORCE_AFTER_MS ? ' Force Stop kills it at once.' : '';
  return `${sentence(oneLine(own?.title ?? 'Undoing', 160))}${waits ? ` Your stop waits for it.${late}` : ''}`;
}

export function stateLine(s: RunState, now: number): { text: string; tone: Tone } {
  const undo = undoing(s, now);
  if (undo !== undefined) return { text: undo, tone: 'attention' };
  const asked = open(s);
  const reason = s.reason?.text ?? '';
  const problem =
    s.reason !== null && ['auth', 'model', 'storage', 'error', 'stepFailed', 'interrupted'].includes(s.reason.code);
  switch (s.status) {
    case 'running':
      return { text: running(s, now), tone: s.inFlight?.kind === 'retry' ? 'attention' : 'busy' };
    case 'stopping':
      return { text: stopping(s, now), tone: 'attention' };
    case 'paused': {
      if (isYourTurn(s)) return { text: yourTurn(s), tone: 'attention' };
      const back = tookBack(s);
      if (back !== undefined) return { text: back, tone: asked === '' ? 'idle' : 'attention' };
      const message = s.reason?.code === 'human' ? (settledSince(s) ?? stopped(s)) : undefined;
      const lives = `${frozenWords(s)}${livesOn(s)}`;
      const text = message ?? (reason === '' ? `Paused.${lives}` : `Paused: ${reason}${lives}${waitedWords(s, now)}`);
      return { text, tone: problem ? 'problem' : asked === '' ? 'idle' : 'attention' };
    }
    case 'awaitingApproval':
      return { text: `Waiting for your approval. ${asked}`.trim(), tone: 'attention' };
    case 'needsHuman':
      return { text: `Waiting for you. ${asked}`.trim(), tone: 'attention' };
    case 'humanControl':
      return {
        text: `You have control; the agent changes nothing.${frozenWords(s)}${livesOn(s)} Hand Back when you are done.`,
        tone: 'idle',
      };
    case 'reconciling':
      return { text: 'Looking at what changed since the last checkpoint.', tone: 'busy' };
    case 'aborted':
      return {
        text: s.receipts.findLast((r) => r.intent === 'abort')?.message ?? (reason === '' ? 'Aborted.' : reason),
        tone: 'ended',
      };
    case 'completed':
      return {
        text: `${s.summary ? sentence(`Completed: ${oneLine(s.summary, 160)}`) : `${completedAfter(s)}.`}${leftRunning(s)}`,
        tone: 'ended',
      };
    case 'failed':
      return {
        text: `Failed: ${reason === '' ? 'no reason is known.' : reason}${leftRunning(s)}`,
        tone: 'problem',
      };
  }
}
