/** Arguments of calls on secret-looking files, without text of these files: for what travels, and for what is shown. Pure. */
import type { Path } from './ports';

/** In the place of what is not kept. */
export const NOT_KEPT = '<not kept: the file looks like it holds secrets>';

type Test = (path: Path) => boolean;
type Json = Record<string, unknown>;

/** Arguments that name a file, and those that hold text of one. */
export const NAMES: readonly string[] = ['path', 'from', 'to'];
export const CONTENTS: readonly string[] = ['content', 'old_text', 'new_text'];

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const namesSecret = (args: unknown, isSecret: Test): args is Json =>
  isJson(args) && NAMES.some((name) => typeof args[name] === 'string' && isSecret(args[name].replace(/^\.\//, '')));

/** The arguments without any text of a file. */
export const withoutContents = (args: Json): Json =>
  Object.fromEntries(Object.entries(args).map(([key, value]) => [key, CONTENTS.includes(key) ? NOT_KEPT : value]));

/** The arguments of a call without text of a secret-looking file; others as they are. */
export const argsWithout = (args: unknown, isSecret: Test): unknown =>
  namesSecret(args, isSecret) ? withoutContents(args) : args;
