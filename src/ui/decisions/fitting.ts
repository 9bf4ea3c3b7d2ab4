/** Which buttons of a message fit into its one row: VS Code cuts the labels of all when there are too many. Pure. */

/** Width of that row, and what a button needs beside its label, in letters. */
const ROW = 62;
const FRAME = 4;

export const MORE = 'More…';

/** Answers one can live without in a message. */
const MINOR = new Set(['grantForRun', 'redo']);

const width = (label: string): number => label.length + FRAME;

/** `buttons` in the order wanted, by `id` (of a choice, or undefined) and title. All where all fit, else there is a rest. */
export function fitting<B extends { id?: string; title: string }>(
  buttons: readonly B[],
): { shown: B[]; rest: boolean } {
  const all = buttons.reduce((sum, { title }) => sum + width(title), 0);
  if (all <= ROW) return { shown: [...buttons], rest: false };
  let left = ROW - width(MORE);
  const shown = buttons.filter(({ id, title }, i) => {
    if (id !== undefined && MINOR.has(id)) return false;
    if (i > 0 && width(title) > left) return false;
    left -= width(title);
    return true;
  });
  return { shown, rest: true };
}
