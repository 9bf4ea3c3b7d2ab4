/** The buttons of the run: pause, resume, take over, hand back, abort. */
import type { SteerAction, SteerState } from '../protocol/steer';
import { confirmLoss, focusOn } from './confirm';
import { button, replace } from './dom';
import { areas, kept, page, post, text } from './page';
import { request } from './requests';

const TITLE: Readonly<Record<SteerAction, [label: string, title: string]>> = {
  pause: ['Pause', 'Keep everything and stop; go on later'],
  resume: ['Resume', 'Look at what changed, then go on'],
  takeOver: ['Take Over', 'Pause, and you get control with a handover brief'],
  handBack: ['Hand Back', 'The agent learns what you changed and goes on'],
  abort: ['Abort', 'End this attempt; files stay as they are'],
  forceStop: ['Force Stop', 'Kill what is in flight; its effect will be unknown'],
  takeControlHere: ['Take Control Here', 'The window that held the run is gone: go on with it in this one'],
};
const MAIN: ReadonlySet<SteerAction> = new Set(['resume', 'handBack', 'forceStop', 'takeControlHere']);
/** A playbook is told nothing. */
const HAND_BACK_TO_PLAYBOOK = 'Every file is read again, then the playbook goes on';

/** One of them is the thing to press now. */
export const hasMain = (s: SteerState): boolean => s.actions.some((action) => MAIN.has(action));

/** What goes on by itself is not the main thing to press while a question is open. */
const isMain = (s: SteerState, action: SteerAction): boolean =>
  MAIN.has(action) && (s.decisions.length === 0 || action === 'forceStop');

/** The run whose abort was pressed once and not yet confirmed. */
let aborting: string | undefined;

function act(action: SteerAction): void {
  const runId = page.shown?.runId;
  if (runId === undefined) return;
  const said = action === 'handBack' && kept.of === runId ? text.value.trim() : '';
  const from = { text: text.value, ...(action === 'handBack' && kept.of === runId ? { of: runId } : {}) };
  post({ type: 'act', request: request(from), runId, action, text: said });
}

function askAbort(runId: string | undefined): void {
  aborting = runId;
  if (!page.shown) return;
  drawActions(page.shown);
  focusOn(areas.actions, runId === undefined ? 'abort' : 'abortKeep');
}

const ABORT = {
  question: 'End this run for good? Files stay as they are; it cannot be resumed.',
  ...{ yes: 'Abort the Run', title: TITLE.abort[1], name: 'abort' },
};

function buttons(s: SteerState): Node[] {
  if (aborting !== undefined && aborting === s.runId && s.actions.includes('abort'))
    return confirmLoss(
      ABORT,
      () => (askAbort(undefined), act('abort')),
      () => askAbort(undefined),
    );
  aborting = undefined;
  const made = s.actions.map((action) =>
    button(TITLE[action][0], () => (action === 'abort' ? askAbort(s.runId) : act(action)), {
      primary: isMain(s, action),
      title: action === 'handBack' && s.fixed ? HAND_BACK_TO_PLAYBOOK : TITLE[action][1],
      name: action,
    }),
  );
  const { file } = s;
  if (file === undefined) return made;
  const name = file.slice(file.lastIndexOf('/') + 1);
  return [...made, button(`Open ${name}`, () => post({ type: 'openFile', path: file }), { title: file, name: 'file' })];
}

export const drawActions = (s: SteerState): void => replace(areas.actions, buttons(s));

areas.actions.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && aborting !== undefined) askAbort(undefined);
});
