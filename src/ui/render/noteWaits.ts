/** Why queued notes are not with the agent yet. Pure. */
import { isFinal, type RunState } from '../../core/run/state';

/** `short` stands beside a note, `long` above all of them; '' where they come at the next boundary by themselves. */
export function noteWaits(s: RunState): { short: string; long: string } {
  if (isFinal(s.status) || s.model.fixed) return { short: '', long: '' };
  const open = s.decisions.some((d) => d.state === 'pending');
  switch (s.status) {
    case 'awaitingApproval':
    case 'needsHuman':
      return { short: 'waits for your answer', long: 'The agent gets it when you have answered the open question.' };
    case 'paused':
      return open
        ? {
            short: 'waits for Resume and your answer',
            long: 'The agent gets it after Resume, when the open question is answered.',
          }
        : { short: 'waits for Resume', long: 'The agent gets it when the run resumes.' };
    case 'humanControl':
      return { short: 'waits for Hand Back', long: 'The agent gets it when you hand back.' };
    case 'stopping':
      return { short: 'waits for the stop', long: 'The agent gets it when what is in flight has stopped.' };
    default:
      return { short: '', long: '' };
  }
}
