/** Where a document made from a run names files of the run. Pure. */

export interface PathLink {
  path: string;
  /** Offsets in the text, the end exclusive. */
  start: number;
  end: number;
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whole names only: `src/a.ts` is not found in `lib/src/a.ts` nor in `src/a.tsx`. */
export function linksIn(text: string, paths: readonly string[]): PathLink[] {
  if (paths.length === 0) return [];
  const longest = [...paths].sort((a, b) => b.length - a.length).map(escaped);
  const names = new RegExp(`(?<![\\w./-])(?:${longest.join('|')})(?![\\w/-]|\\.\\w)`, 'g');
  return [...text.matchAll(names)].map((found) => ({
    path: found[0],
    start: found.index,
    end: found.index + found[0].length,
  }));
}
