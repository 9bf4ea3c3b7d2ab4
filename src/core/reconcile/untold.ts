/** What looks at the workspace have found and nobody was told of: each look moves the memory on, and is not made twice. Pure. */
import type { Path } from '../ports';
import { inARow } from '../run/elsewhere';
import type { TreeChange, TreeLook } from '../tree';

/** Two looks as one, from before the first to now. */
export function joined(first: TreeLook | undefined, then: TreeLook): TreeLook {
  if (!first) return then;
  const old = new Map(first.changes.map((one) => [one.path, one]));
  const all = new Map<Path, TreeChange>(old);
  for (const one of then.changes) {
    const both = inARow(old.get(one.path), one);
    if (both) all.set(one.path, both);
    else all.delete(one.path);
  }
  return {
    ...then,
    first: first.first || then.first,
    changes: [...all.values()].sort((a, b) => (a.path < b.path ? -1 : 1)),
    before: async (paths) =>
      new Map([
        ...(await then.before(paths.filter((path) => !old.has(path)))),
        ...(await first.before(paths.filter((path) => old.has(path)))),
      ]),
  };
}
