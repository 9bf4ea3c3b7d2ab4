/** Names of files as they are shown in lists, reports and diffs. Pure. */
import type { Path } from '../ports';

/** A name is data: one that could pass for more than a name (it holds a line break, a control character) is quoted. */
export const named = (path: Path): string =>
  /[\p{Cc}\p{Zl}\p{Zp}]/u.test(path) ? JSON.stringify(path).replace(/[\u2028\u2029]/g, escaped) : path;

const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16)}`;
