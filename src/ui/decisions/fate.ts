/** What became of a text the human put together for a question. Pure. */
import { isFinal, type Decision, type RunState } from '../../core/run/state';

/** `open`: the question is, or its answer is on its way. */
export type Fate = 'open' | 'used' | 'unused';

export function fateOfText(s: Pick<RunState, 'steps' | 'decisions' | 'status'>, d: Decision): Fate {
  const over = isFinal(s.status);
  if (d.state === 'pending') return over ? 'unused' : 'open';
  const sent = d.answer?.choice === 'edit' && (d.state === 'answered' || d.state === 'granted');
  if (!sent) return 'unused';
  if (d.source === 'command') return 'used';
  const step = s.steps.find((one) => one.id === d.stepId);
  if (step?.outcome === 'done') return 'used';
  // Asked anew, about what is there now: what was put together for the text of before is not written.
  const asked = s.decisions.slice(s.decisions.indexOf(d) + 1).some((one) => one.stepId === d.stepId);
  const waits = step?.outcome === 'notStarted' || step?.outcome === 'running';
  return asked || over || !waits ? 'unused' : 'open';
}
