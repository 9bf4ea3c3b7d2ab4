/** The buttons below the box: what can be done with the text in it. */
import type { SteerState } from '../protocol/steer';
import type { BoxMode } from './box';
import { confirmLoss, quoted } from './confirm';
import { button } from './dom';

export interface BoxActs {
  send: (now: boolean) => void;
  start: () => void;
  fork: () => void;
  /** Asks first; false: it was asked, and the text stays. */
  askDiscard: (ask: boolean) => void;
  discard: () => void;
  runPlaybook: () => void;
}

const FORK_TITLE = 'A new run from where this one ended; the note comes first in it';

/** The run has ended over an unsent note: nothing happens to it by itself. */
const endedButtons = (s: SteerState, acts: BoxActs): Node[] => [
  // A playbook reads no note, in a fork neither.
  ...(s.fixed ? [] : [button('Continue in a Fork', acts.fork, { primary: true, title: FORK_TITLE, name: 'fork' })]),
  ...(s.canStart
    ? [button('Start a Run with It', acts.start, { title: 'Start a run with this text as its goal', name: 'start' })]
    : []),
  button('Discard…', () => acts.askDiscard(true), { title: 'Empty the box; you are asked first', name: 'discard' }),
];

const discarding = (text: string, acts: BoxActs): Node[] =>
  confirmLoss(
    {
      question: `Discard ${quoted(text)}? It was not sent and is kept nowhere else.`,
      ...{ yes: 'Discard It', title: 'The text goes for good', name: 'discard' },
    },
    acts.discard,
    () => acts.askDiscard(false),
  );

/** `asked`: the discard was pressed once; the text that would go. `second`: another button is the thing to press. */
export function sendButtons(
  s: SteerState,
  mode: BoxMode,
  acts: BoxActs,
  { asked, second }: { asked: string | undefined; second: boolean },
): Node[] {
  if (mode === 'ended') return asked === undefined ? endedButtons(s, acts) : discarding(asked, acts);
  const made: Node[] = [];
  if (mode === 'note') {
    const primary = !s.fixed && s.decisions.length === 0 && !second;
    const title = 'Queue the note for the next boundary (Enter)';
    made.push(button('Send', () => acts.send(false), { primary, title, name: 'send' }));
    if (s.canSteerNow) {
      const stops = 'Stop the step in flight first, then give the agent the note';
      made.push(button('Steer Now', () => acts.send(true), { title: stops, name: 'now' }));
    }
  }
  if (mode === 'goal' && s.canStart) {
    const name = s.runId === undefined ? 'Start Run' : 'Start New Run';
    const title = 'Start a run with this text as its goal (Enter)';
    made.push(button(name, acts.start, { primary: true, title, name: 'start' }));
    made.push(button('Run Playbook', acts.runPlaybook, { title: 'Pick a playbook file and run it', name: 'playbook' }));
  }
  return made;
}
