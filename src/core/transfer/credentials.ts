/** Credentials inside command lines: named by what stands before them, or by how they begin; kept out of the file wherever they stand. Pure. */
import type { RunState } from '../run/state';

/** As services make them: known by their first letters, in any text. */
const KNOWN =
  /\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|sk-[\w-]{20,}|gh[opsru]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)/g;

/** The text with `instead` for each that is known by how it begins. */
export const withoutKnown = (text: string, instead: string): string => text.replace(KNOWN, instead);

/** What can be told in any text, a program's too: headers, `-u user:password`, assignments as shells want them, addresses. */
const ANYWHERE: readonly RegExp[] = [
  /\b(?:authorization|x-api-key|api-key|private-token|x-[\w-]*(?:token|key|secret))\s*:\s*(?:(?:bearer|basic|token)\s+)?([^\s'"`\\]+)/gi,
  /\b[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PWD)=\\?["']?([^\s'"`\\&;|]+)/g,
  /(?:^|\s)(?:-u|-U|--user|--proxy-user)[\s=]*\\?["']?[^\s:'"\\/]+:([^\s'"`\\]+)/g,
  /:\/\/[^\s/:@]+:([^\s/@]+)@/g,
];

const IN_COMMANDS: readonly RegExp[] = [
  ...ANYWHERE,
  /(?:api[_-]?key|token|secret|passw(?:or)?d|passwd|pwd)\s*=\s*['"]?([^\s'"&`;|]+)/gi,
  /["'](?:api[_-]?key|[\w-]*token|[\w-]*secret|passw(?:or)?d)\\?["']\s*:\s*\\?["']([^\s'"\\]+)/gi,
  /--?(?:password|token|api-key|secret)[\s=]+['"]?([^\s'"`-][^\s'"`]*)/gi,
  /\bsshpass\s+-p\s*['"]?([^\s'"`]+)/g,
];

/** Shorter ones, and plain words, stand in any text: taking them out would take out much else. A variable is no credential. */
const isCredential = (text: string): boolean =>
  text.length >= 6 && !text.startsWith('$') && (text.length >= 16 || /[\dA-Z]/.test(text));

const found = (text: string, patterns: readonly RegExp[]): string[] => [
  ...patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, value = '']) => value)).filter(isCredential),
  ...(text.match(KNOWN) ?? []),
];

export const credentialsIn = (command: string): string[] => [...new Set(found(command, IN_COMMANDS))];

function commandOf(tool: string, args: unknown): string[] {
  const command: unknown =
    tool === 'run_command' && typeof args === 'object' && args !== null ? Reflect.get(args, 'command') : undefined;
  return typeof command === 'string' ? [command] : [];
}

/** Of all commands of a run, those that undo a step too, and of the steps its playbook has not come to. */
export function credentialsOf(s: RunState): string[] {
  const commands = s.steps.flatMap(({ tool, args, undo }) => [
    ...commandOf(tool, args),
    ...(undo ? commandOf(undo.tool, undo.args) : []),
  ]);
  const source = s.engine.kind === 'playbook' ? found(s.engine.source, ANYWHERE) : [];
  const known = s.steps.flatMap(({ args }) => JSON.stringify(args ?? null).match(KNOWN) ?? []);
  return [...new Set([...commands.flatMap(credentialsIn), ...source, ...known])];
}
