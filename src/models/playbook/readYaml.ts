import { isAlias, isMap, isScalar, isSeq, Lexer, parseDocument, Parser, type Document, type Node } from 'yaml';
import { Budget, TooMuch } from './budget';
import type { Flaw, Reading, Tree } from './types';

/** Finding what an alias names walks the document each time. */
const MAX_ALIASES = 100;
/** Some 10,000 lines; the parser takes about a second for so many. */
const MAX_TOKENS = 100_000;
/** Levels of the token parser's stack: more than one for each level of values. */
const MAX_STACK = 200;

interface Context {
  document: Document.Parsed;
  budget: Budget;
  aliases: number;
  flaws: Flaw[];
}

/** Reads YAML 1.2, one document, plain values only (no tags of one's own, no merge keys). Never throws. */
export function readYaml(source: string): Reading {
  const tooMuch = size(source);
  if (tooMuch) return { tree: undefined, flaws: [{ message: tooMuch, start: 0, end: 1 }] };
  // Duplicate keys are found by the check of the tree, for both formats in the same words. `silent` would hide a second document.
  const document = parseDocument(source, { prettyErrors: false, uniqueKeys: false, logLevel: 'error' });
  const flaws: Flaw[] = [...document.errors, ...document.warnings].map((error) => ({
    message: sentence(error.message),
    start: error.pos[0],
    end: Math.max(error.pos[0] + 1, error.pos[1]),
  }));
  if (flaws.length > 0) return { tree: undefined, flaws: flaws.slice(0, 1) };
  const context: Context = { document, budget: new Budget(), aliases: 0, flaws: [] };
  try {
    const tree = document.contents === null ? undefined : convert(document.contents, context, 0);
    return context.flaws.length > 0 ? { tree: undefined, flaws: context.flaws } : { tree, flaws: [] };
  } catch (error) {
    if (!(error instanceof TooMuch)) throw error;
    return { tree: undefined, flaws: [{ message: error.message, start: 0, end: 1 }] };
  }
}

/**
 * Looked at before anything is composed: the composer calls itself for each level, and a stack that is full while a regular
 * expression is compiled ends the whole process, not only the call. Lexer and token parser do not recurse.
 */
function size(source: string): string | undefined {
  const parser = new Parser();
  let tokens = 0;
  for (const lexeme of new Lexer().lex(source)) {
    for (const token of parser.next(lexeme)) void token;
    if (parser.stack.length > MAX_STACK) return 'Nest the values less deeply.';
    if (++tokens > MAX_TOKENS) return 'Make the playbook smaller: it holds too many values or lines.';
  }
  return undefined;
}

function convert(node: Node, context: Context, depth: number): Tree {
  context.budget.spend(depth);
  const [start, end] = node.range ?? [0, 1];
  const place = { start, end: Math.max(start + 1, end) };
  const nothing = (at: number): Tree => ({ kind: 'value', value: null, start: at, end: at + 1 });

  if (isAlias(node)) {
    if (++context.aliases > MAX_ALIASES)
      throw new TooMuch(`Write the values out: at most ${MAX_ALIASES} aliases are read.`);
    const target = node.resolve(context.document);
    // Problems inside belong to the place where the alias stands.
    return target ? { ...convert(target, context, depth + 1), ...place } : nothing(start);
  }
  if (isSeq<Node | null>(node)) {
    return {
      ...place,
      kind: 'list',
      items: node.items.map((item) => (item ? convert(item, context, depth + 1) : nothing(start))),
    };
  }
  if (isMap<Node | null, Node | null>(node)) {
    const entries = node.items.map(({ key, value }) => {
      const keyTree = key ? convert(key, context, depth + 1) : nothing(start);
      const keyPlace = { start: keyTree.start, end: keyTree.end };
      if (keyTree.kind !== 'value')
        context.flaws.push({ message: 'A key must be a word, not a list or a mapping.', ...keyPlace });
      const name = keyTree.kind === 'value' ? String(keyTree.value) : '';
      return { key: name, keyPlace, value: value ? convert(value, context, depth + 1) : nothing(keyPlace.end) };
    });
    return { ...place, kind: 'map', entries };
  }
  const value: unknown = isScalar(node) ? node.value : null;
  if (value === null || typeof value === 'string' || typeof value === 'boolean')
    return { ...place, kind: 'value', value };
  if (typeof value === 'number' && Number.isFinite(value)) return { ...place, kind: 'value', value };
  context.flaws.push({ message: 'Write this value as text, a number, true or false.', ...place });
  return { ...place, kind: 'value', value: null };
}

/** The parser's messages, as one sentence. */
function sentence(message: string): string {
  const line = message.split('\n', 1)[0]!.trim().replace(/:$/, '');
  if (/multiple documents/i.test(line)) return 'Keep one playbook to a file: remove what follows "---".';
  return /[.!?]$/.test(line) ? line : `${line}.`;
}
