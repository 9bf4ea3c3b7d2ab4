/** What can be told from the text of a path alone. Pure. */

const URI = /^(?:file:|[a-z][a-z0-9+.-]+:\/)/i;
const DRIVE = /^[a-z]:(?:[\\/]|$)/i;
const HOME = /^~(?:$|[\\/]|[^\\/]+[\\/])/;

/** A drive, a URI or the home folder: nothing inside a workspace is named like that. */
export const namesElsewhere = (given: string): boolean => DRIVE.test(given) || URI.test(given) || HOME.test(given);

/** What look-alike names have in common: Unicode form, kind of space and, where the disk ignores it, case. */
export function lookAlikeKey(name: string, ignoreCase: boolean): string {
  const plain = name.normalize('NFKC').replace(/\p{Zs}/gu, ' ');
  return ignoreCase ? plain.toLowerCase() : plain;
}

/** `.` and `..` worked out; undefined: the path leaves its start. */
export function workOut(parts: readonly string[]): string[] | undefined {
  const out: string[] = [];
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part !== '..') out.push(part);
    else if (out.pop() === undefined) return undefined;
  }
  return out;
}
