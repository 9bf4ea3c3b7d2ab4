/** A command line as an argument vector, where it is nothing but words. Pure. */
import { parse } from 'shell-quote';

/** Anything a shell would act on. A line that holds one is no plain vector, whatever a parser makes of it. */
const ACTIVE = /[\n\r`$;&|<>(){}*?[\]~#!\\=]/;

/** undefined: more than words (operators, expansions, assignments, line breaks), so it never equals a vector. */
export function argumentsOf(command: string): string[] | undefined {
  if (ACTIVE.test(command)) return undefined;
  const words = parse(command);
  return words.every((word) => typeof word === 'string') ? words : undefined;
}

/** Is the command exactly one of these vectors? */
export function isListed(command: string, vectors: readonly (readonly string[])[]): boolean {
  const words = argumentsOf(command);
  if (!words) return false;
  return vectors.some((vector) => vector.length === words.length && vector.every((word, i) => word === words[i]));
}
