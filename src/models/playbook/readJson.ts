import { parseTree, type Node, type ParseError } from 'jsonc-parser';
import { Budget, TooMuch } from './budget';
import type { Flaw, Reading, Tree } from './types';

/** What to do about each of the parser's error codes (its `ParseErrorCode`, a const enum that cannot be used here). */
const ADVICE: Readonly<Record<number, string>> = {
  1: 'This is no JSON value: put text in double quotes.',
  2: 'This is no JSON number.',
  3: 'A property name in double quotes is expected here.',
  4: 'A value is expected here.',
  5: 'A ":" is expected here.',
  6: 'A "," is expected here.',
  7: 'A "}" is expected here.',
  8: 'A "]" is expected here.',
  9: 'Nothing may follow the end of the playbook.',
  10: 'Remove the comment: JSON has none (a .playbook.yaml file may have them).',
  11: 'Close the comment, and remove it: JSON has none.',
  12: 'Close this text with a double quote; a line break in a text is written \\n.',
  13: 'This number is not complete.',
  14: 'Write four hexadecimal digits after \\u.',
  15: 'This escape is not known: write a backslash in a text as \\\\.',
  16: 'This character is not allowed here: in a text, write it as \\n, \\t or \\uXXXX.',
};

/** Reads strict JSON: no comments, no trailing commas. Never throws. */
export function readJson(source: string): Reading {
  if (deepestBracket(source) > 500) {
    return { tree: undefined, flaws: [{ message: 'Nest the values less deeply.', start: 0, end: 1 }] };
  }
  const errors: ParseError[] = [];
  const root = parseTree(source, errors, {
    disallowComments: true,
    allowTrailingComma: false,
    allowEmptyContent: false,
  });
  const flaws: Flaw[] = errors.map((error) => ({
    message: ADVICE[error.error] ?? 'This is no JSON.',
    start: error.offset,
    end: error.offset + Math.max(1, error.length),
  }));
  // One slip makes the parser stumble again and again: the first says where.
  if (flaws.length > 0 || !root) return { tree: undefined, flaws: flaws.slice(0, 1) };
  try {
    return { tree: convert(root, new Budget(), 0), flaws: [] };
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return { tree: undefined, flaws: [{ message: error.message, start: 0, end: 1 }] };
  }
}

function convert(node: Node, budget: Budget, depth: number): Tree {
  budget.spend(depth);
  const place = { start: node.offset, end: node.offset + node.length };
  const children = node.children ?? [];
  if (node.type === 'array')
    return { ...place, kind: 'list', items: children.map((child) => convert(child, budget, depth + 1)) };
  if (node.type === 'object') {
    const entries = children.map((property) => {
      const [key, value] = property.children as [Node, Node];
      const keyPlace = { start: key.offset, end: key.offset + key.length };
      return { key: String(key.value), keyPlace, value: convert(value, budget, depth + 1) };
    });
    return { ...place, kind: 'map', entries };
  }
  return { ...place, kind: 'value', value: node.value as string | number | boolean | null };
}

/** The parser calls itself for each level: a text of brackets alone would overflow the stack. Brackets in texts count too; fine. */
function deepestBracket(source: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < source.length; i++) {
    const code = source.charCodeAt(i);
    if (code === 0x5b || code === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x5d || code === 0x7d) depth--;
  }
  return deepest;
}
