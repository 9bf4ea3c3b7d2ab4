/** The least of a history that still fails: acts are left out, whole stretches first, as long as something is still wrong. */
import type { Act } from './acts';
import type { History } from './history';
import { play } from './session';

/** Plays at most so many. */
const MOST_TRIES = 1500;

export async function shrink(history: History): Promise<{ history: History; wrong: string[] }> {
  let best = history;
  let wrong = await play(history);
  let tries = 0;
  const better = async (next: History): Promise<boolean> => {
    if ((tries += 1) > MOST_TRIES) return false;
    const found = await play(next);
    if (found.length === 0) return false;
    best = next;
    wrong = found;
    return true;
  };
  for (let size = Math.ceil(history.acts.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < best.acts.length;) {
      const acts = best.acts.toSpliced(from, size);
      if (!(await better({ ...best, acts }))) from += size;
    }
  }
  for (let n = 0; n < best.acts.length; n += 1)
    for (const act of smaller(best.acts[n])) if (await better({ ...best, acts: best.acts.with(n, act) })) break;
  return { history: best, wrong };
}

/** The same act, with less in it. */
function smaller(act: Act | undefined): Act[] {
  if (act?.act === 'agent' && act.calls.length > 1) return act.calls.map((call) => ({ ...act, calls: [call] }));
  if (act?.act === 'go')
    return [1, 2, 4, 8, 16].filter((turns) => turns < act.turns).map((turns) => ({ ...act, turns }));
  return [];
}
