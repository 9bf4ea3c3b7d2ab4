/** A call of a tool as a sentence for people: what it does, and to what. Pure. */
import { splitName } from '../../core/toolNames';
import { NOT_KEPT, withoutContents } from '../../core/secretArgs';
import { titleOf } from '../../core/titles';
import type { Step } from '../../core/run/state';
import { capital, oneLine, plural } from './words';

const PART = 100;

type Args = Readonly<Record<string, unknown>>;
const argsOf = (args: unknown): Args => (typeof args === 'object' && args !== null ? (args as Args) : {});
const named = (key: string): string => key.replaceAll('_', ' ');
const quoted = (text: string, max = PART): string => `“${oneLine(text, max)}”`;

function value(given: unknown, max = PART): string {
  if (typeof given === 'string') return quoted(given, max);
  return oneLine(given === undefined ? 'nothing' : JSON.stringify(given), max);
}

/** `id: 7, name: “Ada”`; '' where there are none. */
const list = (args: Args): string =>
  Object.entries(args)
    .map(([key, one]) => `${named(key)}: ${value(one)}`)
    .join(', ');

/**
 * `Run npm test (in docs)`, `Delete a.ts`, `Call cancel of shop (id: 7)`. `max`: letters of a command. `quotes`: text of files is
 * quoted; only for arguments that text of secret-looking files was taken out of.
 */
export function callWords(tool: string, given: unknown, max = 300, quotes = false): string {
  const args = quotes ? argsOf(given) : withoutContents(argsOf(given));
  const hides = Object.values(args).includes(NOT_KEPT);
  const text = (key: string): string | undefined => (typeof args[key] === 'string' ? args[key] : undefined);
  const [path, command] = [text('path') ?? '', text('command')];
  if (tool === 'run_command' && command !== undefined) {
    const folder = text('cwd');
    const where = folder === undefined || folder === '' || folder === '.' ? '' : ` (in ${folder})`;
    return `Run ${oneLine(command, max)}${where}`;
  }
  if ((tool === 'edit_file' || tool === 'write_file') && hides) return titleOf(tool, args);
  if (tool === 'edit_file') {
    const [before, after] = [text('old_text') ?? '', text('new_text') ?? ''];
    return `Edit ${path}: ${quoted(before)} becomes ${after === '' ? 'nothing' : quoted(after)}`;
  }
  if (tool === 'write_file') {
    const lines = (text('content') ?? '').replace(/\n$/, '').split('\n');
    return `Write ${path} (${plural(lines.length, 'line')}, from ${quoted(lines[0] ?? '')})`;
  }
  const server = splitName(tool);
  if (!server) return titleOf(tool, given);
  const words = list(Object.fromEntries(Object.entries(args).filter(([, one]) => one !== NOT_KEPT)));
  return `Call ${server.tool} of ${server.server}${words === '' ? '' : ` (${words})`}`;
}

/** A step in the transcript: its title, and what it calls where the title does not say that. */
export function stepWords(step: Pick<Step, 'tool' | 'args' | 'badArgs' | 'title'>): string {
  if (step.badArgs !== undefined)
    return `${oneLine(step.title, 160)}: arguments that were no JSON: ${oneLine(step.badArgs, PART)}`;
  const what = callWords(step.tool, step.args, 200, true);
  const title = oneLine(step.title, 160);
  return what.startsWith(title) ? what : `${title}: ${what}`;
}

/** The arguments of a call, one a line; a longer text stands below its name, four spaces in. */
export function argumentLines(given: unknown): string {
  const lines = Object.entries(argsOf(given)).map(([key, one]) => {
    const text = typeof one === 'string' ? one : (JSON.stringify(one, null, 2) ?? 'nothing');
    const label = capital(named(key));
    return text.includes('\n')
      ? `${label}:\n${text
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => `    ${line}`)
          .join('\n')}`
      : `${label}: ${text}`;
  });
  return lines.length === 0 ? 'Without arguments.' : lines.join('\n');
}
