/** What the human's answer about an unknown effect of a run that has ended comes to: nothing goes on that would show it. Pure. */
import { compensable, mayCompensate } from '../../core/run/compensable';
import { isFinal, type Decision, type RunState } from '../../core/run/state';
import { inMessage, outcomeOf, STATUS } from './words';

/** undefined: the run goes on, or the question was another one. `s`: after the answer. */
export function notedWords(s: RunState, d: Decision, choice: string): { text: string; canUndo: boolean } | undefined {
  const step = s.steps.find((one) => one.id === d.stepId);
  if (d.kind !== 'unknownEffect' || !step || !isFinal(s.status)) return undefined;
  const what = `step ${step.n} “${inMessage(step.title, 80)}”`;
  const ended = `The run stays ${STATUS[s.status].toLowerCase()}; nothing more of it runs.`;
  const canUndo = mayCompensate(s) && compensable(s).some((one) => one.step === step);
  if (choice === 'happened')
    return {
      text: `Noted: ${what} happened. What it did stands${canUndo ? ', and can be undone' : ''}. ${ended}`,
      canUndo,
    };
  if (choice === 'didNotHappen')
    return { text: `Noted: ${what} did not happen, so there is nothing of it to undo. ${ended}`, canUndo: false };
  return { text: `Checked: ${what} (${outcomeOf(step, s.frozen)}). ${ended}`, canUndo };
}
