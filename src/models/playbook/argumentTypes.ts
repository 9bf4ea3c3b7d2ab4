import type { Tree } from './types';

interface Type {
  fits(tree: Tree): boolean;
  /** Goes after the argument's name. */
  advice: string;
}

const value = (tree: Tree): unknown => (tree.kind === 'value' ? tree.value : undefined);
const filled = (tree: Tree): boolean => typeof value(tree) === 'string' && value(tree) !== '';
const between = (least: number, most: number, whole: boolean) => (tree: Tree) => {
  const n = value(tree);
  return typeof n === 'number' && n >= least && n <= most && (!whole || Number.isInteger(n));
};

const TEXT: Type = { fits: (tree) => typeof value(tree) === 'string', advice: 'must be text: put it in quotes' };
const FILLED: Type = { fits: filled, advice: 'must be text that is not empty' };
const FLAG: Type = { fits: (tree) => typeof value(tree) === 'boolean', advice: 'must be true or false' };
const LINE: Type = { fits: between(1, Number.MAX_SAFE_INTEGER, true), advice: 'must be a line number, from 1' };
const DEPTH: Type = { fits: between(1, 50, true), advice: 'must be a whole number from 1 to 50' };
const SECONDS: Type = {
  fits: (tree) => value(tree) !== 0 && between(0, 86_400, false)(tree),
  advice: 'must be a number of seconds above 0, at most 86400',
};
const CHOICES: Type = {
  fits: (tree) => tree.kind === 'list' && tree.items.every(filled),
  advice: 'must be a list of texts',
};
const ITEMS: Type = {
  fits: (tree) => tree.kind === 'list' && tree.items.every(isPlanItem),
  advice: 'must be a list of items with a `title` and, if wanted, a `status` (pending, running or done)',
};

/** Types of the arguments by name: a name means the same in every tool of ours. Names that are not here are not checked. */
const TYPES: ReadonlyMap<string, Type> = new Map<string, Type>([
  ...['path', 'from', 'to', 'content', 'new_text', 'glob', 'cwd', 'agent', 'summary'].map(
    (name) => [name, TEXT] as const,
  ),
  ...['old_text', 'query', 'command', 'question', 'goal'].map((name) => [name, FILLED] as const),
  ...['all', 'regex', 'background'].map((name) => [name, FLAG] as const),
  ...['from_line', 'to_line'].map((name) => [name, LINE] as const),
  ['depth', DEPTH],
  ['timeout_s', SECONDS],
  ['choices', CHOICES],
  ['items', ITEMS],
]);

/** What is wrong with an argument; undefined: nothing. */
export function wrongType(name: string, tree: Tree): string | undefined {
  const type = TYPES.get(name);
  return type === undefined || type.fits(tree) ? undefined : type.advice;
}

function isPlanItem(tree: Tree): boolean {
  if (tree.kind !== 'map') return false;
  const title = tree.entries.find((entry) => entry.key === 'title');
  const status = tree.entries.find((entry) => entry.key === 'status');
  if (!title || typeof value(title.value) !== 'string') return false;
  return !status || ['pending', 'running', 'done'].includes(String(value(status.value)));
}
