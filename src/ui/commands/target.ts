/** Who called a command, and for which run. Pure but for the core it asks. */
import type { Refusal } from '../../core/errors';
import type { RunState } from '../../core/run/state';
import type { RunTarget } from '../../vscode/ids';
import type { Ui } from '../context';
import { isRefusal, refusal, showRefusal } from '../messages';

/** A row of one of our trees: its menus and inline buttons give it. */
const isRow = (argument: unknown): boolean =>
  typeof argument === 'object' && argument !== null && typeof Reflect.get(argument, 'node') === 'object';

/** Palette, buttons and keys give no argument, rows themselves; other menus add a second one. Programs give exactly one. */
export const byHuman = (argument: unknown, context?: unknown): boolean =>
  argument === undefined || context !== undefined || isRow(argument);

/** Says why not, when a human asked; a program gets the same as the answer. */
export async function answered<T>(
  human: boolean,
  work: Promise<T | Refusal | undefined>,
): Promise<T | Refusal | undefined> {
  const result = await work;
  if (human && isRefusal(result)) showRefusal(result);
  return result;
}

/** Only what the core knows, with the right types: arguments of commands come from anywhere. */
export function targetOf(argument: RunTarget | undefined): { runId?: string } {
  const runId = fieldOf(argument, 'runId');
  return runId === undefined ? {} : { runId };
}

export const NO_RUN = refusal('noRun', 'There is no run yet: start one first.');

export async function runOf(
  { core, watch }: Pick<Ui, 'core' | 'watch'>,
  argument: RunTarget | undefined,
): Promise<RunState | Refusal> {
  const { runId } = targetOf(argument);
  if (runId === undefined) return (await watch.ensure({ final: true })) ?? NO_RUN;
  return (
    core.get(runId) ??
    (await core.load(runId)) ??
    refusal('noRun', 'That run is not stored here: look at the runs of this workspace.')
  );
}

/** The field of a tree row, of an argument, or undefined. */
export function fieldOf(item: unknown, field: string): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const node: unknown = Reflect.get(item, 'node');
  const holder = typeof node === 'object' && node !== null ? node : item;
  const value: unknown = Reflect.get(holder, field);
  return typeof value === 'string' ? value : undefined;
}

/** Of an argument or a tree row; undefined: the last. */
export function checkpointIn(argument: unknown): 'start' | number | undefined {
  if (typeof argument !== 'object' || argument === null) return undefined;
  const node: unknown = Reflect.get(argument, 'node');
  const value: unknown = Reflect.get(typeof node === 'object' && node !== null ? node : argument, 'checkpoint');
  return value === 'start' || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
    ? value
    : undefined;
}
