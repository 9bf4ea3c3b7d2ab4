/**
 * Guards: steering that the runtime itself enforces (docs/words.md). What a guard forbids is refused before it starts, whatever
 * the model says and whatever was approved. Pure.
 */
import type { Path } from '../ports';
import { namesNothing } from '../pathValue';
import { pathTest } from '../tools/pathRule';
import type { RunState, Step } from './state';

export type GuardKind = 'protect' | 'forbidCommand' | 'stopBefore' | 'skip';

export interface GuardRequest {
  kind: GuardKind;
  /** `protect`: a path or glob; `forbidCommand`: words of a command; the others: a step's number, tool or title. */
  value: string;
}

export interface Guard extends GuardRequest {
  id: string;
  /** `met`: it named one step, and that step's turn has come. */
  state: 'active' | 'met' | 'removed';
  at: number;
  /** Where a `stopBefore` has held last: the step goes on with the next resume. */
  heldAt?: string;
}

export const GUARD_KINDS: readonly GuardKind[] = ['protect', 'forbidCommand', 'stopBefore', 'skip'];

/** How a guard is written and shown. */
export const guardWords = ({ kind, value }: GuardRequest): string =>
  ({
    protect: `protect ${value}`,
    forbidCommand: `forbid command ${value}`,
    stopBefore: `stop before ${value}`,
    skip: `skip ${value}`,
  })[kind];

/** What is longer no pattern matches, and every write would stumble over it. */
const MAX_VALUE = 1000;

/** One sentence about what is wrong with it; undefined: it is fine. */
export function guardProblem({ kind, value }: GuardRequest): string | undefined {
  if (!GUARD_KINDS.includes(kind)) return `There is no guard "${String(kind)}": use ${GUARD_KINDS.join(', ')}.`;
  if (typeof value !== 'string' || value.trim() === '' || value.includes('\0'))
    return 'A guard needs a value: a path, the words of a command, or a step.';
  if (value.length > MAX_VALUE) return `The value of a guard has at most ${MAX_VALUE} characters.`;
  if (kind === 'protect' && namesNothing(value))
    return `${value.trim()} names nothing inside the workspace: give a path from the workspace folder on, or a glob such as src/**.`;
  if (kind === 'forbidCommand' && plain(value) === '') return 'The pattern of a command needs words.';
  return undefined;
}

const active = (s: RunState, kind: GuardKind): Guard[] =>
  (s.guards ?? []).filter((g) => g.kind === kind && g.state === 'active');

/** The guard that keeps the agent's writes off this path. A folder's name covers what is in it. */
export const guardOfPath = (s: RunState, path: Path): Guard | undefined =>
  active(s, 'protect').find(({ value }) => pathTest([value], true)(path));

/** Words of a command line without quotes and spacing, which a shell takes away too. */
const plain = (command: string): string =>
  command
    .replace(/["'\\]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

/**
 * The guard that forbids this command: its words stand in the line next to each other. Rather one too many than one too few;
 * what a script does inside cannot be seen.
 */
export function guardOfCommand(s: RunState, command: string): Guard | undefined {
  const line = plain(command);
  return active(s, 'forbidCommand').find(({ value }) => {
    const words = plain(value);
    for (let at = line.indexOf(words); at >= 0; at = line.indexOf(words, at + 1)) {
      const isEdge = (c: string | undefined): boolean => c === undefined || !/[\w-]/.test(c);
      if (isEdge(line[at - 1]) && isEdge(line[at + words.length])) return true;
    }
    return false;
  });
}

/** `5`, `step 5`, a tool's name, or part of a title. */
function names(value: string, step: Step): boolean {
  const text = value.trim().toLowerCase();
  const number = /^(?:step\s+)?#?(\d+)$/.exec(text)?.[1];
  if (number !== undefined) return step.n === Number(number);
  return step.tool === text || step.title.toLowerCase().includes(text);
}

const isOnce = (value: string): boolean => /^(?:step\s+)?#?\d+$/i.test(value.trim());

/** Marks a guard that named one step as met, or remembers where it held. */
function meet(s: RunState, guard: Guard, step: Step): void {
  const met: Guard = isOnce(guard.value) ? { ...guard, state: 'met', heldAt: step.id } : { ...guard, heldAt: step.id };
  s.guards = (s.guards ?? []).map((g) => (g.id === guard.id ? met : g));
}

/** The guard that stops before this step, once per step: noted as held in the draft state. */
export function holdBefore(s: RunState, step: Step): Guard | undefined {
  const guard = active(s, 'stopBefore').find((g) => g.heldAt !== step.id && names(g.value, step));
  if (guard) meet(s, guard, step);
  return guard;
}

/** The guard that skips this step: noted as met in the draft state. */
export function skipOf(s: RunState, step: Step): Guard | undefined {
  const guard = active(s, 'skip').find((g) => names(g.value, step));
  if (guard) meet(s, guard, step);
  return guard;
}
