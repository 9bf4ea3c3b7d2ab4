/** Which of a setting's values count. Pure, so that the rule itself is under test. */
import type { SettingOrigin } from './ids';

export interface ScopedValues<T> {
  default: T | undefined;
  user: T | undefined;
  workspace: T | undefined;
  folder: T | undefined;
}

/** `machine`: what a workspace says is not heard. `window`, `resource`: the nearest scope wins. */
export function valueOf<T>(
  values: ScopedValues<T>,
  origin: Exclude<SettingOrigin, 'united' | 'strictest'>,
): T | undefined {
  const own = values.user ?? values.default;
  return origin === 'machine' ? own : (values.folder ?? values.workspace ?? own);
}

/** Of the user's word and those of the workspace the strictest: a workspace may tighten, never loosen. `words`: strictest first. */
export function strictest<T extends string>(values: ScopedValues<unknown>, words: readonly T[], fallback: T): T {
  const own = oneOf(values.user ?? values.default, words, fallback);
  const said = [own, values.workspace, values.folder].map((value) => words.findIndex((word) => word === value));
  return words[Math.min(...said.filter((at) => at >= 0))] ?? fallback;
}

/** Texts of all scopes together, the defaults included: whoever adds one, it counts; nobody takes one away. */
export function united(scopes: readonly ScopedValues<unknown>[]): string[] {
  const all = scopes.flatMap((one) => [one.default, one.user, one.workspace, one.folder]);
  return [
    ...new Set(all.flatMap((list) => (Array.isArray(list) ? list.filter((text) => typeof text === 'string') : []))),
  ];
}

/** A whole number of at least `min`, else the fallback. */
export const atLeast = (value: unknown, min: number, fallback: number): number =>
  typeof value === 'number' && Number.isFinite(value) && value >= min ? value : fallback;

/** One of the given words, else the fallback: a typing error in a settings file widens nothing. */
export const oneOf = <T extends string>(value: unknown, words: readonly T[], fallback: T): T =>
  words.find((word) => word === value) ?? fallback;

/** Lists of whole argument vectors; anything else is dropped. */
export const vectors = (value: unknown): string[][] =>
  Array.isArray(value)
    ? value.filter(
        (one): one is string[] => Array.isArray(one) && one.length > 0 && one.every((word) => typeof word === 'string'),
      )
    : [];
