/** Kill This Command: one command is ended, the run is kept. Pure. */
import type { ProcessId } from '../ports';
import type { Effect, RunEvent, StepEnd } from './events';
import type { RunState, Step } from './state';
import { isFinal } from './state';
import { say, stepOf } from './update';

/** Commands of the run that live now, as far as is known: the one that runs or is frozen last, those in the background first. */
export function livingCommands(s: RunState): Step[] {
  const running = s.inFlight?.kind === 'step' ? s.inFlight.stepId : s.frozen;
  const ids = new Set([...s.background, ...(running === null ? [] : [running])]);
  return [...ids].flatMap((id) => {
    const step = stepOf(s, id);
    // One that has asked for nothing yet has no process, whatever the try before it had.
    return step?.effectKind === 'process' && step.effect !== 'notStarted' ? [step] : [];
  });
}

export const onKill = (s: RunState, stepId: string): Effect[] =>
  livingCommands(s).some((step) => step.id === stepId) ? [{ type: 'killCommand', stepId }] : [];

/**
 * Commands in the background are over. The step of one that the human ended was done when it had started, so the model
 * learns of its end by a word of its own.
 */
export function backgroundOver(s: RunState, event: Extract<RunEvent, { type: 'backgroundEnded' }>, at: number): void {
  const ended = s.background.filter((id) => event.stepIds.includes(id));
  s.background = s.background.filter((id) => !event.stepIds.includes(id));
  s.survivors = [...s.survivors, ...event.survivors];
  if (event.by !== 'human' || isFinal(s.status)) return;
  for (const step of ended.map((id) => stepOf(s, id)))
    if (step)
      say(s, {
        kind: 'report',
        text: `The developer ended the background command of step ${step.n} (${step.title}); it no longer runs.`,
        at,
      });
}

/**
 * The host has died: with it all that ran in the background. What was still being started has a result of its own; of the others
 * the model believes that they run, until it is told.
 */
export function backgroundDied(
  s: RunState,
  { settled, survivors }: { settled: readonly StepEnd[]; survivors?: readonly ProcessId[] },
  at: number,
): void {
  const died = s.background.filter((id) => !settled.some((end) => end.stepId === id));
  s.background = [];
  if (isFinal(s.status)) return;
  for (const step of died.map((id) => stepOf(s, id))) {
    if (!step) continue;
    const lives = survivors?.some((one) => one.unsure !== true && one.pid === step.process?.id.pid) ?? false;
    const how = lives ? 'could not be ended and may still run' : 'no longer runs';
    say(s, {
      kind: 'report',
      text: `The process that ran the agent ended, and with it the background command of step ${step.n} (${step.title}): it ${how}.`,
      at,
    });
  }
}
