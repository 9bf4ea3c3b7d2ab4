/** Rows of the view `holdfast.history`: the runs of this workspace from the small index, newest first. Pure. */
import { isFinal, type RunSummary } from '../../core/run/state';
import { ITEMS } from '../../vscode/ids';
import { ago, sizeWords, oneLine, plural, stamp, STATUS } from '../render/words';
import type { TreeNode } from './node';
import { STATUS_ICON } from './statusIcon';

/** Cut between two words. */
const shortGoal = (goal: string): string => {
  const short = oneLine(goal, LABEL);
  return short.endsWith('…') ? short.replace(/(\S{6}.*?)[\s,.:;]+\S*…$/, '$1…') : short;
};

/** Letters of a goal that leave room, in a side bar as wide as it is at first, for when that was. */
const LABEL = 24;

function contextOf({ status, pinned }: RunSummary): string {
  if (isFinal(status)) return pinned ? ITEMS.pinnedEndedRun : ITEMS.endedRun;
  return pinned ? ITEMS.pinnedRun : ITEMS.run;
}

/** `current`: shown in the run view; it is no earlier one. */
export function historyRows(runs: readonly RunSummary[], current: string | undefined, now: number): TreeNode[] {
  return runs
    .filter((run) => run.runId !== current)
    .map((run): TreeNode => {
      const steps = run.steps === 0 ? 'no steps' : `${run.stepsDone} of ${plural(run.steps, 'step')}`;
      const status = STATUS[run.status];
      const bytes = run.size && run.size.own + run.size.contents;
      const facts = [
        ...(bytes === undefined ? [] : [sizeWords(bytes)]),
        ...(run.pinned ? ['pinned'] : []),
        ...(run.imported ? ['imported'] : []),
      ];
      const more = facts.map((fact) => ` · ${fact}`).join('');
      return {
        id: `history:${run.runId}`,
        label: shortGoal(run.goal),
        description: `${ago(now - run.updatedAt)} · ${status} · ${steps}${more}`,
        tooltip: [
          run.goal,
          '',
          status,
          `Started ${stamp(run.createdAt)}`,
          `Last change ${stamp(run.updatedAt)}`,
          steps,
          run.model,
          ...(bytes === undefined ? [] : [`${sizeWords(bytes)} on disk, contents shared with other runs included`]),
          ...(run.imported ? ['Imported from another machine'] : []),
          ...(run.pinned ? ['Pinned: never removed to make room'] : []),
        ].join('\n'),
        spoken: `Run, ${status}, ${ago(now - run.updatedAt)}, ${[steps, ...facts].join(', ')}: ${oneLine(run.goal, 120)}`,
        icon: STATUS_ICON[run.status],
        context: contextOf(run),
        runId: run.runId,
        action: { do: 'transcript', runId: run.runId },
        children: [],
      };
    });
}
