/** What a value that a human wrote for paths names literally. Pure; without the library for globs, which the views do not load. */
import { namesElsewhere, workOut } from './paths';

/** A path that was copied often comes with quotes. */
export const unquoted = (value: string): string => /^(["'`])(.+)\1$/s.exec(value)?.[2] ?? value;

/** The ways to read a value as a path from the workspace folder on; `''`: that folder itself. None: it names nothing inside. */
export function literals(value: string): string[] {
  const given = [value, value.trim(), unquoted(value.trim())].filter(
    (one) => one.trim() !== '' && !namesElsewhere(one),
  );
  return given.flatMap((one) => {
    // Read with the slashes of Windows it must not lead out either.
    const windows = workOut(one.split(/[\\/]/));
    return windows ? [(workOut(one.split('/')) ?? []).join('/'), windows.join('/')] : [];
  });
}

/** Nothing inside the workspace is named or matched by it. */
export const namesNothing = (value: string): boolean => literals(value).length === 0;

/** The first part of the path it names; undefined: any, as far as its text tells. */
export const firstFolder = (value: string): string | undefined => {
  const first = literals(value).at(-1)?.split('/')[0] ?? '';
  return first === '' || /[*?{}!()[\]]/.test(first) ? undefined : first;
};
