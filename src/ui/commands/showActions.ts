/** The status bar's menu: what applies to the run now, and what one looks up. */
import { window, type QuickPickItem } from 'vscode';
import { QuickPickItemKind } from 'vscode';
import { compensable, mayCompensate } from '../../core/run/compensable';
import { isFinal } from '../../core/run/state';
import type { CommandId } from '../../vscode/ids';
import { execute } from '../../vscode/register';
import { actionsOf, ACTION_TITLE, type Action } from '../actions';
import type { Ui } from '../context';
import { OPEN_FOLDER } from '../messages';
import { heldWords } from '../render/held';
import { stateLine } from '../render/stateLine';
import { inMessage } from '../render/words';

type Item = QuickPickItem & { run?: () => unknown };

const ICON: Readonly<Record<Action, string>> = {
  pause: 'debug-pause',
  resume: 'debug-continue',
  steerNow: 'debug-stop',
  takeOver: 'person',
  handBack: 'reply',
  abort: 'circle-slash',
  forceStop: 'flame',
  takeControlHere: 'debug-disconnect',
};

const ABOUT: Readonly<Record<Action, string>> = {
  pause: 'keep everything, go on later',
  resume: 'look at what changed, then go on',
  steerNow: 'stop the step in flight, then give it your note',
  takeOver: 'pause, and you get control with a brief',
  handBack: 'the agent learns what you changed and goes on',
  abort: 'end this attempt; files stay as they are',
  forceStop: 'kill what is in flight; its effect will be unknown',
  takeControlHere: 'the window that held the run is gone: go on in this one',
};

/** Of a run that reads nothing. */
const OF_PLAYBOOK: Readonly<Partial<Record<Action, string>>> = {
  handBack: 'every file is read again, then the playbook goes on',
};

/** Of a run that is over. */
const ENDED: Readonly<Partial<Record<Action, string>>> = {
  abort: 'end what still runs of it',
};

const press =
  (id: Exclude<CommandId, 'holdfast.withdrawNote' | 'holdfast.editNote'>): (() => unknown) =>
  () =>
    execute(id);
const separator = (label: string): Item => ({ label, kind: QuickPickItemKind.Separator });

export async function showActions(ui: Ui): Promise<undefined> {
  const run = ui.watch.state;
  const active = ui.watch.active;
  const holder = ui.core.heldBy();
  const acts = actionsOf(run, Date.now(), holder)
    .filter((action) => action !== 'steerNow')
    .map((action): Item => ({
      label: `$(${ICON[action]}) ${ACTION_TITLE[action]}`,
      description:
        (run && isFinal(run.status) ? ENDED[action] : run?.model.fixed ? OF_PLAYBOOK[action] : undefined) ??
        ABOUT[action],
      run: press(`holdfast.${action}`),
    }));
  const steer: Item[] =
    active && !holder
      ? [
          {
            label: '$(comment) Steer',
            description: active.model.fixed
              ? 'a note for the record: a playbook does not read it'
              : 'add a correction; it is applied at the next boundary',
            run: press('holdfast.steer'),
          },
        ]
      : [];
  const answer: Item[] =
    !holder && run?.decisions.some((d) => d.state === 'pending')
      ? [{ label: '$(bell-dot) Answer', description: 'what waits for you', run: press('holdfast.decide') }]
      : [];
  const undo: Item[] =
    run && !holder && mayCompensate(run) && compensable(run).length > 0
      ? [
          {
            label: '$(discard) Undo a Step…',
            description: 'by the step its author named',
            run: press('holdfast.compensate'),
          },
        ]
      : [];
  const look: Item[] = run
    ? [
        { label: '$(list-flat) Open Transcript', run: press('holdfast.openTranscript') },
        { label: '$(note) Open Handover Brief', run: press('holdfast.openHandover') },
        { label: '$(checklist) Open Receipt', run: press('holdfast.openReceipt') },
        { label: '$(git-compare) Show What Changed', run: press('holdfast.showReconcile') },
      ]
    : [];
  const start: Item[] =
    ui.blocked() === 'noFolder'
      ? [
          {
            label: '$(folder-opened) Open Folder',
            description: 'a run works on its files',
            run: () => OPEN_FOLDER.run(),
          },
        ]
      : [
          { label: '$(add) Start Run', run: press('holdfast.startRun') },
          { label: '$(play) Run Playbook', run: press('holdfast.runPlaybook') },
        ];
  const items = [
    ...(answer.length + acts.length + undo.length > 0
      ? [separator('this run'), ...answer, ...acts.slice(0, 1), ...steer, ...acts.slice(1), ...undo]
      : []),
    ...(look.length > 0 ? [separator('look'), ...look] : []),
    ...(active || holder ? [] : [separator('start'), ...start]),
    separator('more'),
    { label: '$(output) Show Extension Log', run: press('holdfast.showLog') },
  ];
  const line = run ? inMessage(stateLine(run, Date.now()).text, 120) : 'No run. What do you want to do?';
  const placeHolder = holder ? inMessage(heldWords(holder), 120) : line;
  await (await window.showQuickPick<Item>(items, { title: 'Holdfast', placeHolder }))?.run?.();
  return undefined;
}
