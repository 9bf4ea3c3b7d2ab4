/** Rows of the plan: what was done, what runs, what is still to come. Pure. */
import type { PlanItem, RunState, Step } from '../../core/run/state';
import { compensable, mayCompensate } from '../../core/run/compensable';
import { livingCommands } from '../../core/run/kill';
import { ITEMS } from '../../vscode/ids';
import {
  allSteps,
  capital,
  EFFECT,
  finishedSteps,
  oneLine,
  outcomeOf,
  PLAN,
  plural,
  progressWords,
  told,
} from '../render/words';
import type { TreeAction, TreeIcon, TreeNode } from './node';

/** Above this many steps the older ones stand under a row of their own. */
const MANY = 50;
const KEEP = 25;
/** Rows VS Code is given at once below "Earlier steps". */
const CHUNK = 100;
const OUTLINE_SHOWN = 50;

const ICON: Readonly<Record<Step['outcome'], TreeIcon>> = {
  notStarted: { id: 'circle-large-outline' },
  running: { id: 'loading~spin', color: 'progressBar.background' },
  done: { id: 'pass', color: 'testing.iconPassed' },
  failed: { id: 'error', color: 'testing.iconFailed' },
  failedBeforeEffect: { id: 'circle-slash', color: 'testing.iconFailed' },
  cancelledBeforeEffect: { id: 'circle-slash', color: 'disabledForeground' },
  skipped: { id: 'debug-step-over', color: 'disabledForeground' },
  unknown: { id: 'question', color: 'list.warningForeground' },
};
const REJECTED: TreeIcon = { id: 'thumbsdown', color: 'disabledForeground' };
export const FROZEN: TreeIcon = { id: 'debug-pause', color: 'list.warningForeground' };

function tooltip(step: Step, words: string): string {
  const lines = [`Step ${step.n}: ${step.title}`, capital(words)];
  if (step.effectKind !== 'none') lines.push(`Effect: ${EFFECT[step.effect]}`);
  const text = told(step.text ?? '');
  if (text !== '') lines.push('', text.length > 600 ? `${text.slice(0, 600)}…` : text);
  return lines.join('\n');
}

function actionOf(step: Step): TreeAction {
  const path = step.changes[0]?.path;
  if (path !== undefined && step.effect === 'committed') return { do: 'compare', path, from: 'start' };
  return step.outcome === 'running' && step.effectKind === 'process' ? { do: 'output' } : { do: 'transcript' };
}

const rows = new WeakMap<Step, TreeNode>();

/** The step whose turn it is but that has not begun: its delay runs, or it is being prepared. */
const isNext = (s: RunState, step: Step): boolean =>
  step.outcome === 'notStarted' && s.inFlight?.kind === 'step' && s.inFlight.stepId === step.id;

/** Snapshots share the steps that did not change: their rows are made once. */
function stepRow(s: RunState, step: Step, undoable: ReadonlySet<string>): TreeNode {
  const { frozen } = s;
  const next = isNext(s, step);
  const lives = livingCommands(s).includes(step);
  const canUndo = undoable.has(step.id);
  const ownState = next || lives || canUndo || step.id === frozen;
  const cached = ownState ? undefined : rows.get(step);
  if (cached) return cached;
  const inBackground = s.background.includes(step.id);
  const far = progressWords(step);
  const ran = inBackground ? 'runs in the background' : outcomeOf(step, frozen);
  const words = next ? 'next' : far === '' ? ran : `${ran}, ${far}`;
  const unsaved = step.changes.some((change) => change.unsaved) && step.outcome === 'done';
  const quiet = !inBackground && (step.outcome === 'done' || step.outcome === 'notStarted');
  const description = unsaved ? 'unsaved: commands see the older file' : quiet ? undefined : words;
  const row: TreeNode = {
    id: step.id,
    label: `${step.n}. ${oneLine(step.title)}`,
    ...(description === undefined ? {} : { description }),
    tooltip: tooltip(step, words),
    icon:
      step.id === frozen ? FROZEN : next ? ICON.running : step.reason === 'rejected' ? REJECTED : ICON[step.outcome],
    spoken: `Step ${step.n}, ${words}: ${oneLine(step.title)}${unsaved ? ', unsaved' : ''}`,
    ...(lives ? { context: ITEMS.command } : canUndo ? { context: ITEMS.undoable } : {}),
    action: actionOf(step),
    children: [],
  };
  if (!ownState) rows.set(step, row);
  return row;
}

function range(runId: string, shown: readonly TreeNode[], from: number): TreeNode {
  const to = from + shown.length - 1;
  return { id: `${runId}/steps/${from}`, label: `Steps ${from}–${to}`, icon: { id: 'list-ordered' }, children: shown };
}

/** "Earlier steps" grows in whole portions, so that it is not drawn anew with each step. */
function earlier(s: RunState, count: number, undoable: ReadonlySet<string>): TreeNode {
  const all = s.steps.slice(0, count).map((step) => stepRow(s, step, undoable));
  const failed = s.steps.slice(0, count).filter((step) => step.outcome !== 'done').length;
  const children =
    count <= CHUNK
      ? all
      : Array.from({ length: Math.ceil(count / CHUNK) }, (_, i) =>
          range(s.runId, all.slice(i * CHUNK, (i + 1) * CHUNK), i * CHUNK + 1),
        );
  return {
    id: `${s.runId}/earlier`,
    label: 'Earlier steps',
    description: `1–${count}${failed > 0 ? `, ${failed} not done` : ''}`,
    icon: { id: 'history' },
    children,
  };
}

const PLAN_ICON: Readonly<Record<PlanItem['status'], TreeIcon>> = {
  pending: { id: 'circle-large-outline' },
  running: { id: 'circle-large-filled', color: 'progressBar.background' },
  done: { id: 'pass', color: 'testing.iconPassed' },
};

function agentPlan(s: RunState): TreeNode[] {
  if (s.plan.length === 0) return [];
  const done = s.plan.filter((item) => item.status === 'done').length;
  const children = s.plan.map((item, i): TreeNode => ({
    id: `${s.runId}/plan/${i}`,
    label: oneLine(item.title),
    tooltip: `${item.title}\n${PLAN[item.status]}`,
    spoken: `${PLAN[item.status]}: ${item.title}`,
    icon: PLAN_ICON[item.status],
    children: [],
  }));
  return [
    {
      id: `${s.runId}/plan`,
      label: "The agent's plan",
      description: `${done} of ${s.plan.length}`,
      icon: { id: 'checklist' },
      open: true,
      children,
    },
  ];
}

/** Titles of a playbook's steps that have not become a step yet. */
function outline(s: RunState): TreeNode[] {
  const taken = s.steps.filter((x) => x.outcome !== 'cancelledBeforeEffect' && x.compensates === undefined).length;
  const left = s.outline.slice(taken);
  const shown = left.slice(0, OUTLINE_SHOWN).map((title, i): TreeNode => ({
    id: `${s.runId}/outline/${taken + i}`,
    label: `${s.steps.length + i + 1}. ${oneLine(title)}`,
    tooltip: title,
    spoken: `Pending: ${title}`,
    icon: ICON.notStarted,
    children: [],
  }));
  if (left.length <= OUTLINE_SHOWN) return shown;
  const more = `${plural(left.length - OUTLINE_SHOWN, 'more step')}`;
  return [...shown, { id: `${s.runId}/outline/more`, label: more, icon: { id: 'ellipsis' }, children: [] }];
}

export function planNode(s: RunState): TreeNode {
  const hidden = s.steps.length > MANY ? Math.floor((s.steps.length - KEEP) / KEEP) * KEEP : 0;
  const undoable = new Set(mayCompensate(s) ? compensable(s).map(({ step }) => step.id) : []);
  const children = [
    ...agentPlan(s),
    ...(hidden > 0 ? [earlier(s, hidden, undoable)] : []),
    ...s.steps.slice(hidden).map((step) => stepRow(s, step, undoable)),
    ...outline(s),
  ];
  const [done, total] = [finishedSteps(s), allSteps(s)];
  const failed = s.steps.filter((step) => step.outcome === 'failed' && step.compensates === undefined).length;
  const far = s.outline.length > 0 ? `${done} of ${total} finished` : `${done} finished`;
  return {
    id: `${s.runId}/Plan`,
    label: 'Plan',
    // The numbers of the status bar and of History.
    description: total === 0 ? '' : failed > 0 ? `${far}, ${failed} failed` : far,
    icon: { id: 'list-tree' },
    open: true,
    // A row without children would stay closed when the first one comes.
    children: children.length > 0 ? children : [nothingYet(s)],
  };
}

const nothingYet = (s: RunState): TreeNode => ({
  id: `${s.runId}/nothing`,
  label: 'No steps yet',
  icon: { id: 'circle-large-outline' },
  children: [],
});
