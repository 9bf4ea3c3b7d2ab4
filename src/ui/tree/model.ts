/** The run tree as data, made from one snapshot. Pure: the same snapshot gives the same tree. */
import type { Holder } from '../../core/lease';
import type { Decision, DecisionChoice, RunState, Step } from '../../core/run/state';
import { isActive, isFinal } from '../../core/run/state';
import { ITEMS } from '../../vscode/ids';
import { heldLabel, heldWords } from '../render/held';
import { choicesOf, lookLabel, type Begun } from '../decisions/choices';
import { factsOf } from '../decisions/words';
import { differing } from '../render/imported';
import { stateLine } from '../render/stateLine';
import {
  DECISION,
  detailOf,
  duration,
  EFFECT,
  isYourTurn,
  oneLine,
  PHASE,
  plural,
  stamp,
  statusOf,
  told,
} from '../render/words';
import { filesSection } from './files';
import type { TreeIcon, TreeNode } from './node';
import { headed } from './headed';
import { reportRows } from './report';
import { section } from './section';
import { steeringRows } from './steering';
import { STATUS_ICON } from './statusIcon';
import { FROZEN, planNode } from './steps';

/** In the playbook's own pause it is the human's turn, though nothing was handed over: the agent stands. */
export const controlWords = (s: RunState): string =>
  isYourTurn(s) ? 'agent paused' : s.control === 'agent' ? 'control: agent' : 'control: you';

/** Beside the status, where there is little room; nothing where that says it already. */
const controlShort = (s: RunState): string[] =>
  isFinal(s.status) || s.status === 'humanControl'
    ? []
    : [isYourTurn(s) ? 'agent paused' : s.control === 'agent' ? 'agent' : 'you'];

/** From the start to the end, or to now. Of an imported run the time at work: between there and here it was nowhere. */
function elapsedOf(s: RunState, now: number): number {
  if (!s.importedFrom) return (isFinal(s.status) ? (s.endedAt ?? s.updatedAt) : now) - s.createdAt;
  return (s.activeMs ?? 0) + (isActive(s.status) ? Math.max(0, now - s.updatedAt) : 0);
}

function header(s: RunState, now: number): TreeNode {
  const line = stateLine(s, now).text;
  const elapsed = duration(elapsedOf(s, now));
  const phase = s.phase !== null && s.status === 'running' ? `, ${PHASE[s.phase]}` : '';
  const facts = [...(s.importedFrom ? ['imported'] : []), elapsed, s.model.label];
  return {
    id: `${s.runId}/header`,
    label: `${statusOf(s)}${phase}`,
    description: [...controlShort(s), ...facts].join(' · '),
    tooltip: [
      s.goal,
      '',
      line,
      '',
      `Model: ${s.model.label} (${s.model.provider})`,
      controlWords(s),
      `${s.importedFrom ? 'At work' : 'Elapsed'}: ${elapsed}`,
      ...(s.importedFrom ? [`Imported ${stamp(s.importedFrom.at)} from another machine`] : []),
    ].join('\n'),
    spoken: `Run, ${statusOf(s)}${phase}, ${[...(isFinal(s.status) ? [] : [controlWords(s)]), ...facts].join(', ')}`,
    icon: STATUS_ICON[s.status],
    action: { do: 'transcript' },
    children: [],
  };
}

/** Whose the run is, where it is not this window's: above all else. */
function held(s: RunState, holder: Holder | undefined): TreeNode[] {
  if (!holder) return [];
  return [
    {
      id: `${s.runId}/held`,
      // The whole name of it does not fit into a row.
      label: holder.gone ? heldLabel(holder) : 'Held by another window',
      description: holder.gone ? 'take control' : `process ${holder.pid}`,
      tooltip: heldWords(holder),
      spoken: heldWords(holder),
      icon: { id: holder.gone ? 'debug-disconnect' : 'lock', color: 'list.warningForeground' },
      ...(holder.gone ? { action: { do: 'takeControl' } } : {}),
      children: [],
    },
  ];
}

/** Why the run stands where it stands; its own row, because it is what one looks for first. */
function why(s: RunState, now: number): TreeNode[] {
  if (['running', 'stopping', 'reconciling', 'awaitingApproval', 'needsHuman'].includes(s.status)) return [];
  const text = stateLine(s, now).text;
  const receipt = s.receipts.length > 0;
  return [
    {
      id: `${s.runId}/why`,
      ...headed(text),
      tooltip: receipt ? `${text}\n\nClick to open the receipt.` : text,
      icon: { id: 'info' },
      action: receipt ? { do: 'receipt' } : { do: 'transcript' },
      children: [],
    },
  ];
}

/** What an answer covers stands beside it: its whole label is too long for a row. */
function answerWords({ id, label }: DecisionChoice): Pick<TreeNode, 'label' | 'description'> {
  const [, what] = /^Allow (This .*) for This Run$/.exec(label) ?? [];
  return id === 'grantForRun' && what !== undefined
    ? { label: 'Allow for This Run', description: what.toLowerCase() }
    : { label };
}

function decisionRow(s: RunState, d: Decision, drafts: Begun): TreeNode {
  const answers = choicesOf(s, d, drafts).map((choice): TreeNode => ({
    id: `${d.id}/${choice.id}`,
    ...answerWords(choice),
    tooltip: choice.label,
    icon: { id: 'arrow-small-right' },
    spoken: `Answer: ${choice.label}. ${d.title}`,
    decisionId: d.id,
    action: { do: 'answer', decisionId: d.id, choice: choice.id },
    children: [],
  }));
  if (d.freeText && d.kind === 'question') {
    answers.push({
      id: `${d.id}/text`,
      label: 'Answer in your own words…',
      icon: { id: 'edit' },
      decisionId: d.id,
      action: { do: 'answer', decisionId: d.id, choice: '' },
      children: [],
    });
  }
  const facts = detailOf(d);
  const detail = oneLine(factsOf(d), 120);
  const about: TreeNode[] =
    detail === '' ? [] : [{ id: `${d.id}/detail`, label: detail, tooltip: facts, icon: { id: 'info' }, children: [] }];
  const look = lookLabel(s, d);
  const show: TreeNode[] =
    look !== undefined
      ? [
          {
            id: `${d.id}/change`,
            label: look,
            icon: { id: 'diff' },
            decisionId: d.id,
            action: { do: 'change', decisionId: d.id },
            children: [],
          },
        ]
      : [];
  return {
    id: d.id,
    ...headed(d.title, DECISION[d.kind]),
    tooltip: facts === '' ? d.title : `${d.title}\n\n${facts}`,
    spoken: `Open ${DECISION[d.kind]}: ${d.title}`,
    icon: {
      id: d.kind === 'unknownEffect' ? 'question' : d.kind === 'approval' ? 'shield' : 'comment-discussion',
      color: 'list.warningForeground',
    },
    context: d.change ? ITEMS.decisionWithChange : ITEMS.decision,
    decisionId: d.id,
    open: true,
    children: [...about, ...show, ...answers],
  };
}

/** Answers are given in the window that has the run. */
const unanswerable = (row: TreeNode): TreeNode => ({
  ...row,
  children: row.children.filter((child) => child.action?.do !== 'answer'),
});

const EFFECT_ICON: Readonly<Record<string, TreeIcon>> = {
  requested: { id: 'loading~spin' },
  unknown: { id: 'question', color: 'list.warningForeground' },
  failedBeforeCommit: { id: 'circle-slash' },
};

function effects(s: RunState): TreeNode[] {
  const open = (step: Step): boolean =>
    step.effectKind !== 'none' && step.effect !== 'committed' && step.effect !== 'notStarted';
  const rows = s.steps.filter(open).map((step): TreeNode => {
    const words = step.id === s.frozen ? 'frozen in the middle' : EFFECT[step.effect];
    return {
      id: `${step.id}/effect`,
      label: `Step ${step.n}: ${oneLine(step.title)}`,
      description: words,
      tooltip: [step.title, words, told(step.text ?? '')].filter(Boolean).join('\n'),
      icon: step.id === s.frozen ? FROZEN : (EFFECT_ICON[step.effect] ?? { id: 'circle' }),
      children: [],
    };
  });
  const background = s.steps
    .filter((step) => s.background.includes(step.id))
    .map((step): TreeNode => ({
      id: `${step.id}/background`,
      label: oneLine(step.title),
      description: `runs in the background (process ${step.process?.id.pid ?? '?'})`,
      icon: { id: 'server-process' },
      children: [],
    }));
  const survivors = s.survivors.map((p): TreeNode => ({
    id: `${s.runId}/alive/${p.pid}`,
    label: oneLine(p.command),
    description: `${p.unsure ? 'perhaps started by a command' : 'still alive'} (process ${p.pid})`,
    icon: { id: 'warning', color: 'list.warningForeground' },
    children: [],
  }));
  return section(s, 'Effects', 'pulse', [...survivors, ...background, ...rows]);
}

/** How an imported run found this folder, until a resume has looked. */
function differences(s: RunState): TreeNode[] {
  const n = s.importedFrom && !s.report ? differing(s.importedFrom) : 0;
  if (n === 0) return [];
  return [
    {
      id: `${s.runId}/differences`,
      label: 'What differs here',
      description: plural(n, 'file'),
      tooltip: 'Against the machine the run comes from, when it was imported. Click to see which.',
      icon: { id: 'git-compare' },
      action: { do: 'reconcile' },
      children: [],
    },
  ];
}

/** `dirty`: unsaved paths; `drafts`: decisions for which the human has begun a text. */
export function buildTree(
  s: RunState,
  now: number,
  dirty: ReadonlySet<string> = new Set(),
  drafts: Begun = new Map(),
  holder?: Holder,
): TreeNode[] {
  const pending = s.decisions.filter((d) => d.state === 'pending');
  return [
    ...held(s, holder),
    header(s, now),
    {
      id: `${s.runId}/goal`,
      label: oneLine(s.goal, 160),
      tooltip: s.goal,
      spoken: `Goal: ${s.goal}`,
      icon: { id: 'target' },
      children: [],
    },
    ...why(s, now),
    ...section(
      s,
      'Needs you',
      'bell',
      pending.map((d) => decisionRow(s, d, drafts)).map((row) => (holder ? unanswerable(row) : row)),
    ),
    planNode(s),
    ...section(s, 'Steering', 'comment', steeringRows(s)),
    ...filesSection(s, dirty),
    ...differences(s),
    ...reportRows(s),
    ...effects(s),
  ];
}
