import { titleOf } from '../../core/titles';
import { wrongType } from './argumentTypes';
import { plain } from './budget';
import { nearest } from './nearest';
import type { Flaw, Playbook, PlaybookCall, PlaybookStep, ToolArguments, Tree } from './types';

const TOP_KEYS = ['$schema', 'goal', 'steps'];
const STEP_KEYS = ['title', 'tool', 'with', 'onConflict', 'pauseBefore', 'delay_s', 'undo'];
const UNDO_KEYS = ['tool', 'with'];
const ON_CONFLICT: readonly unknown[] = ['ask', 'skip', 'stop'];
const MAX_DELAY_S = 86_400;
const TITLE_SHOWN = 40;

type MapTree = Extract<Tree, { kind: 'map' }>;
type Say = (place: { start: number; end: number }, message: string) => void;

/** Turns a tree into a playbook. Says everything that is wrong, not only the first; then the playbook is not to be used. */
export function checkPlaybook(tree: Tree, tools: ToolArguments, say: Say): Playbook {
  const playbook: Playbook = { goal: '', steps: [] };
  if (tree.kind !== 'map') {
    say(tree, 'Make the playbook a mapping with `goal` and `steps`.');
    return playbook;
  }
  const fields = fieldsOf(tree, TOP_KEYS, '', say);
  const goal = fields.get('goal');
  if (!goal) say(head(tree), 'Add a `goal`: what the run is for, in one line.');
  else if (isText(goal)) playbook.goal = goal.value;
  else say(goal, '`goal` must be text that is not empty.');

  const steps = fields.get('steps');
  if (!steps) say(head(tree), 'Add `steps`: a list of tool calls.');
  else if (steps.kind !== 'list') say(steps, '`steps` must be a list.');
  else if (steps.items.length === 0) say(steps, 'Add at least one step to `steps`.');
  else playbook.steps = steps.items.map((item, index) => checkStep(item, index + 1, tools, say));
  return playbook;
}

function checkStep(tree: Tree, n: number, tools: ToolArguments, say: Say): PlaybookStep {
  const empty: PlaybookStep = { title: '', tool: '', with: {} };
  if (tree.kind !== 'map') {
    say(tree, `Step ${n}: make it a mapping with \`tool\` and \`with\`.`);
    return empty;
  }
  const titleNode = tree.entries.find((entry) => entry.key === 'title')?.value;
  const given = titleNode && isText(titleNode) ? titleNode.value : undefined;
  const name = `Step ${n}${given === undefined ? '' : ` ("${shorten(given)}")`}`;
  const fields = fieldsOf(tree, STEP_KEYS, `${name}: `, say);
  if (titleNode && given === undefined) say(titleNode, `${name}: \`title\` must be text that is not empty.`);

  const call = checkCall(tree, fields, name, '', tools, say);
  const step: PlaybookStep = { title: given ?? titleOf(call.tool, call.with), ...call };

  const onConflict = fields.get('onConflict');
  if (onConflict) {
    const value = onConflict.kind === 'value' ? onConflict.value : undefined;
    if (ON_CONFLICT.includes(value)) step.onConflict = value as 'ask' | 'skip' | 'stop';
    else say(onConflict, `${name}: \`onConflict\` must be ask, skip or stop.`);
  }
  const pauseBefore = fields.get('pauseBefore');
  if (pauseBefore) {
    if (pauseBefore.kind === 'value' && typeof pauseBefore.value === 'boolean') step.pauseBefore = pauseBefore.value;
    else say(pauseBefore, `${name}: \`pauseBefore\` must be true or false.`);
  }
  const delay = fields.get('delay_s');
  if (delay) {
    const value = delay.kind === 'value' ? delay.value : undefined;
    if (typeof value === 'number' && value >= 0 && value <= MAX_DELAY_S) step.delay_s = value;
    else say(delay, `${name}: \`delay_s\` must be a number of seconds from 0 to ${MAX_DELAY_S}.`);
  }
  const undo = fields.get('undo');
  if (undo?.kind === 'map')
    step.undo = checkCall(undo, fieldsOf(undo, UNDO_KEYS, `${name}, undo: `, say), name, ', undo', tools, say);
  else if (undo) say(undo, `${name}: make \`undo\` a mapping with \`tool\` and \`with\`.`);
  return step;
}

/** `tool` and `with`, of a step or of its `undo`. */
function checkCall(
  at: MapTree,
  fields: Fields,
  step: string,
  part: string,
  tools: ToolArguments,
  say: Say,
): PlaybookCall {
  const call: PlaybookCall = { tool: '', with: {} };
  const tool = fields.get('tool');
  const args = fields.get('with');
  const name = `${step}${part}`;
  if (args && args.kind !== 'map') say(args, `${name}: \`with\` must be a mapping of arguments.`);
  if (args?.kind === 'map') call.with = plain(args) as Record<string, unknown>;
  if (!tool) {
    say(head(at), `${name}: add the \`tool\` to call.`);
    return call;
  }
  if (!isText(tool)) {
    say(tool, `${name}: \`tool\` must be the name of a tool.`);
    return call;
  }
  call.tool = tool.value;
  // Which tools a server has is known only when the run asks it.
  const external = /^mcp\.[^.]+\../.test(call.tool);
  const known = Object.hasOwn(tools, call.tool) ? tools[call.tool] : undefined;
  if (!known && !external) {
    const close = nearest(call.tool, Object.keys(tools));
    say(
      tool,
      `${name}: there is no tool \`${shorten(call.tool)}\`; ${close ? `did you mean \`${close}\`?` : `use one of ${Object.keys(tools).join(', ')}.`}`,
    );
    return call;
  }
  const entries = args?.kind === 'map' ? args : undefined;
  const allowed = known ? [...known.required, ...known.optional] : undefined;
  const given = entries ? fieldsOf(entries, allowed, `${name}: \`${call.tool}\` `, say) : new Map<string, Tree>();
  if (!known || (args && !entries)) return call;
  const withKey = at.entries.find(({ key }) => key === 'with')?.keyPlace;
  const missing = known.required.filter((key) => !given.has(key));
  if (missing.length > 0) {
    say(withKey ?? tool, `${name}: \`${call.tool}\` needs ${missing.map((key) => `\`${key}\``).join(' and ')}.`);
  }
  for (const [key, value] of given) {
    const wrong = wrongType(key, value);
    if (wrong) say(value, `${name}: \`${key}\` ${wrong}.`);
  }
  return call;
}

type Fields = Map<string, Tree>;

/** Values by key; says which keys are unknown (`allowed` undefined: none is) and which come twice. */
function fieldsOf(tree: MapTree, allowed: readonly string[] | undefined, prefix: string, say: Say): Fields {
  const fields: Fields = new Map();
  for (const { key, keyPlace, value } of tree.entries) {
    if (fields.has(key)) {
      say(keyPlace, `${prefix || 'The playbook '}has \`${shorten(key)}\` twice: keep one.`);
      continue;
    }
    fields.set(key, value);
    if (!allowed || allowed.includes(key)) continue;
    const close = nearest(key, allowed);
    say(
      keyPlace,
      `${prefix || 'The playbook '}has no \`${shorten(key)}\`; ${close ? `did you mean \`${close}\`?` : `it has ${allowed.filter((name) => name !== '$schema').join(', ')}.`}`,
    );
    fields.delete(key);
  }
  return fields;
}

function isText(tree: Tree): tree is Tree & { kind: 'value'; value: string } {
  return tree.kind === 'value' && typeof tree.value === 'string' && tree.value.trim() !== '';
}

/** Where a whole is at fault, its first key is enough to point at. */
function head(tree: Tree): { start: number; end: number } {
  if (tree.kind === 'map' && tree.entries[0]) return tree.entries[0].keyPlace;
  return { start: tree.start, end: Math.min(tree.end, tree.start + 1) };
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > TITLE_SHOWN ? `${line.slice(0, TITLE_SHOWN - 1).replace(/\p{Surrogate}$/u, '')}…` : line;
}

export type { Flaw };
