/** What a guard on steps can be set on: the steps that are known to come, then the tools. Pure. */
import { contractOf, CONTRACTS } from '../../core/tools/kinds';
import type { RunState } from '../../core/run/state';
import { inPick } from './words';

export interface GuardTarget {
  label: string;
  description: string;
  /** What the guard is set on. */
  value: string;
}

const SHOWN = 100;

export function guardTargets(s: RunState): GuardTarget[] {
  const waiting = s.steps.filter((step) => step.outcome === 'notStarted' && step.compensates === undefined);
  const taken = s.steps.filter((x) => x.outcome !== 'cancelledBeforeEffect' && x.compensates === undefined).length;
  const coming = [
    ...waiting.map(({ n, title }) => ({ n, title })),
    ...s.outline.slice(taken).map((title, i) => ({ n: s.steps.length + i + 1, title })),
  ];
  const steps = coming.slice(0, SHOWN).map(({ n, title }) => ({
    ...{ label: `${n}. ${inPick(title, 100)}`, description: 'this step', value: `step ${n}` },
  }));
  // What changes something comes first.
  const reads = (tool: string): number => (contractOf(tool).effect === 'none' ? 1 : 0);
  const names = [...Object.keys(CONTRACTS), ...s.steps.map(({ tool }) => tool)];
  const tools = [...new Set(names)].sort((a, b) => reads(a) - reads(b));
  return [
    ...steps,
    ...tools.map((tool) => ({ label: inPick(tool), description: 'every step with this tool', value: tool })),
  ];
}
