/** Which servers there are: the human's settings, and `.vscode/mcp.json` of a trusted workspace. Pure. */
import { type ParseError, parse } from 'jsonc-parser';

export interface StdioServer {
  kind: 'stdio';
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd?: string;
}
export interface HttpServer {
  kind: 'http';
  url: string;
  headers: Record<string, string>;
}

export interface ServerDefinition {
  name: string;
  from: 'settings' | 'workspace';
  how: StdioServer | HttpServer;
  /** Longest wait for an answer, from the last sign of life, ms. */
  timeoutMs: number;
}

/** What is wrong with an entry, in one sentence with the place to mend it. */
export interface Unusable {
  name: string;
  from: 'settings' | 'workspace';
  why: string;
}

export interface Variables {
  /** Absolute path of the (first) workspace folder. */
  folder: string;
  /** For the human's own settings only: a workspace must not send away what the environment holds. */
  env?: Readonly<Record<string, string | undefined>>;
}

const DEFAULT_TIMEOUT_S = 600;
/** Letters, digits, `-` and `_`: the name becomes a part of the names of tools. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((x) => typeof x === 'string');

class Bad extends Error {}

function resolved(text: string, { folder, env }: Variables): string {
  return text.replace(/\$\{([^}]*)\}/g, (_whole, name: string) => {
    if (name === 'workspaceFolder') return folder;
    const variable = /^env:(.+)$/.exec(name)?.[1];
    if (variable !== undefined && env) return env[variable] ?? '';
    throw new Bad(`the variable \${${name}} is not supported here`);
  });
}

function texts(value: unknown, what: string, variables: Variables): Record<string, string> {
  if (value === undefined) return {};
  if (!isRecord(value)) throw new Bad(`"${what}" must be an object of texts`);
  const entries = Object.entries(value).filter(([, one]) => one !== null);
  if (entries.some(([, one]) => typeof one !== 'string' && typeof one !== 'number'))
    throw new Bad(`"${what}" must be an object of texts`);
  return Object.fromEntries(entries.map(([key, one]) => [key, resolved(String(one), variables)]));
}

function define(name: string, entry: unknown, from: ServerDefinition['from'], variables: Variables): ServerDefinition {
  if (!NAME.test(name)) throw new Bad('use letters, digits, - and _ in its name');
  if (!isRecord(entry)) throw new Bad('it must be an object with "command" or "url"');
  const { type, command, url, args = [], cwd, timeout_s: seconds = DEFAULT_TIMEOUT_S } = entry;
  if (entry['envFile'] !== undefined) throw new Bad('"envFile" is not supported; use "env"');
  if (type !== undefined && type !== 'stdio' && type !== 'http')
    throw new Bad(`the type ${JSON.stringify(type)} is not supported; use stdio or http`);
  if (typeof seconds !== 'number' || !(seconds > 0)) throw new Bad('"timeout_s" must be a number above 0');
  const common = { name, from, timeoutMs: Math.min(seconds, 86_400) * 1000 };
  if (typeof url === 'string' && type !== 'stdio') {
    const full = resolved(url, variables);
    if (!URL.canParse(full) || !/^https?:$/.test(new URL(full).protocol))
      throw new Bad('"url" must be an http(s) address');
    return { ...common, how: { kind: 'http', url: full, headers: texts(entry['headers'], 'headers', variables) } };
  }
  if (typeof command !== 'string' || command.trim() === '') throw new Bad('it needs a "command" (or a "url")');
  if (!isTexts(args)) throw new Bad('"args" must be a list of texts');
  const how: StdioServer = {
    kind: 'stdio',
    command: resolved(command, variables),
    args: args.map((one) => resolved(one, variables)),
    env: texts(entry['env'], 'env', variables),
    ...(typeof cwd === 'string' ? { cwd: resolved(cwd, variables) } : {}),
  };
  return { ...common, how };
}

/** Entries of `holdfast.mcp.servers` or of the `servers` of a file, by name. */
export function definitions(
  entries: unknown,
  from: ServerDefinition['from'],
  variables: Variables,
): { servers: ServerDefinition[]; unusable: Unusable[] } {
  const servers: ServerDefinition[] = [];
  const unusable: Unusable[] = [];
  if (!isRecord(entries)) return { servers, unusable };
  for (const [name, entry] of Object.entries(entries)) {
    try {
      servers.push(define(name, entry, from, variables));
    } catch (error) {
      if (!(error instanceof Bad)) throw error;
      unusable.push({ name, from, why: error.message });
    }
  }
  return { servers, unusable };
}

/** The text of `.vscode/mcp.json`: JSON with comments. */
export function workspaceDefinitions(text: string, variables: Variables): ReturnType<typeof definitions> {
  const errors: ParseError[] = [];
  const file: unknown = parse(text, errors, { allowTrailingComma: true });
  if (errors.length > 0 || !isRecord(file))
    return { servers: [], unusable: [{ name: '.vscode/mcp.json', from: 'workspace', why: 'it is no valid JSON' }] };
  return definitions(file['servers'], 'workspace', variables);
}

/** One line for people: what is started, or where it is. */
export const describe = ({ how }: ServerDefinition): string =>
  how.kind === 'http' ? how.url : [how.command, ...how.args].join(' ');
