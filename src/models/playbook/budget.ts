import type { Tree } from './types';

/** Far more than any playbook holds, and quick to walk. */
const MAX_NODES = 50_000;
const MAX_DEPTH = 60;

/** Thrown while reading; caught by the readers. */
export class TooMuch extends Error {}

/** Bounds what is built of a source: aliases can name a small text a billion times, brackets can nest without end. */
export class Budget {
  private nodes = 0;

  /** Call once for each node, with its depth. */
  spend(depth: number): void {
    if (depth > MAX_DEPTH) throw new TooMuch(`Nest the values less deeply (at most ${MAX_DEPTH} levels).`);
    if (++this.nodes > MAX_NODES)
      throw new TooMuch(`Make the playbook smaller: it holds more than ${MAX_NODES} values.`);
  }
}

/** The plain value; keys such as `__proto__` stay keys. */
export function plain(tree: Tree): unknown {
  if (tree.kind === 'value') return tree.value;
  if (tree.kind === 'list') return tree.items.map(plain);
  return Object.fromEntries(tree.entries.map((entry) => [entry.key, plain(entry.value)]));
}
