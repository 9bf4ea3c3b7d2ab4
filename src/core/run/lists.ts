/**
 * States, and lists of a state. A change makes a new list, so that states shown before stay what they were. While many records are folded
 * at once, and nobody sees the states in between, what that fold has made is changed in place: else each record would copy all
 * that came before it.
 */
let own: WeakSet<object> | undefined;

/**
 * `work` ends before anybody else runs; the states it makes on its way are kept by nobody. `mine`: what earlier parts of the same
 * fold have made, for one that is done in parts.
 */
export function foldedAtOnce<T>(work: () => T, mine = new WeakSet<object>()): T {
  own = mine;
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

/** The state that a record is folded into. */
export function draftOf<S extends object>(state: S): S {
  if (own?.has(state)) return state;
  const draft = { ...state };
  own?.add(draft);
  return draft;
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
