/** Texts of the status bar item. Pure. */
import type { Holder } from '../core/lease';
import { livingCommands } from '../core/run/kill';
import { isFinal, type RunState, type RunStatus } from '../core/run/state';
import { heldLabel, heldWords } from './render/held';
import { secondsLeft } from './render/retry';
import { stateLine } from './render/stateLine';
import { allSteps, finishedSteps, isYourTurn, plural, STATUS, statusOf } from './render/words';

const ICON: Readonly<Record<RunStatus, string>> = {
  running: 'loading~spin',
  stopping: 'loading~spin',
  paused: 'debug-pause',
  awaitingApproval: 'bell-dot',
  humanControl: 'person',
  reconciling: 'sync~spin',
  needsHuman: 'bell-dot',
  aborted: 'circle-slash',
  completed: 'pass',
  failed: 'error',
};

export function statusItem(
  s: RunState | undefined,
  now: number,
  holder?: Holder,
): { text: string; tooltip: string; spoken: string } {
  if (s && holder) {
    const words = `${heldLabel(holder)} · ${STATUS[s.status]}`;
    return {
      text: `$(${holder.gone ? 'debug-disconnect' : 'lock'}) ${words}`,
      tooltip: `Holdfast: ${heldWords(holder)}`,
      spoken: `Holdfast, ${words}`,
    };
  }
  if (!s)
    return {
      text: '$(shield) Holdfast',
      tooltip: 'Holdfast: no run. Click for what you can do.',
      spoken: 'Holdfast, no run',
    };
  const n = finishedSteps(s);
  const total = s.outline.length > 0 ? `${n}/${allSteps(s)}` : String(n);
  const control =
    isFinal(s.status) || s.status === 'humanControl'
      ? ''
      : s.control === 'human'
        ? ' · you'
        : isYourTurn(s)
          ? ' · agent paused'
          : ' · agent';
  const left = isFinal(s.status) ? livingCommands(s).length : 0;
  const wait = secondsLeft(s, now) ?? 0;
  const words = `${statusOf(s)}${control} · ${total}${wait > 0 ? ` · waits ${wait} s` : ''}${left > 0 ? ` · ${left} running` : ''}`;
  return {
    text: `$(${s.compensating ? (s.inFlight ? 'loading~spin' : 'bell-dot') : ICON[s.status]}) ${words}`,
    tooltip: `Holdfast: ${stateLine(s, now).text}`,
    spoken: `Holdfast, ${statusOf(s)}${control === '' ? '' : isYourTurn(s) ? ', agent paused' : `, control: ${s.control === 'agent' ? 'agent' : 'you'}`}, ${plural(n, 'step')} finished${left > 0 ? `, ${plural(left, 'command')} still running` : ''}`,
  };
}
