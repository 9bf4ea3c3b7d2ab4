/**
 * Lists of a state. A change makes a new list, so that states shown before stay what they were. While many records are folded
 * at once, and nobody sees the states in between, the list made by that fold grows in place: else each record would copy all
 * that came before it.
 */
let own: WeakSet<readonly unknown[]> | undefined;

/** `work` ends before anybody else runs; the states it makes on its way are kept by nobody. */
export function foldedAtOnce<T>(work: () => T): T {
  own = new WeakSet();
  try {
    return work();
  } finally {
    own = undefined;
  }
}

function writable<T>(list: readonly T[]): T[] {
  if (own?.has(list)) return list as T[];
  const copy = list.slice();
  own?.add(copy);
  return copy;
}

export function appended<T>(list: readonly T[], ...items: readonly T[]): T[] {
  const next = writable(list);
  for (const item of items) next.push(item);
  return next;
}

export function replaced<T>(list: readonly T[], at: number, item: T): T[] {
  const next = writable(list);
  next[at] = item;
  return next;
}
