/** Entry of the MCP bundle, loaded when a server is configured and a run starts. */
import type { ServerInfo, ServerWatch, ToolServers, ToolSession } from '../../core/tools/toolServers';
import {
  definitions,
  describe,
  type ServerDefinition,
  type Unusable,
  type Variables,
  workspaceDefinitions,
} from './definitions';
import { Session, type SessionHost } from './session';

export interface McpConfig extends Omit<SessionHost, 'allowed'> {
  /** `holdfast.mcp.servers`, of the human's own settings only. */
  servers(): unknown;
  /** Text of `.vscode/mcp.json`; undefined: there is none, or the workspace is not trusted. */
  workspaceFile(): Promise<string | undefined>;
  /** The human has said yes to exactly this definition. */
  isAllowed(name: string, fingerprint: string): boolean;
  /** Asks the human about a definition of the workspace; does not wait. */
  ask(name: string, what: string, fingerprint: string): void;
  env: Readonly<Record<string, string | undefined>>;
}

interface Found {
  allowed: ServerDefinition[];
  notAllowed: { definition: ServerDefinition; fingerprint: string }[];
  unusable: Unusable[];
}

export class McpServers implements ToolServers {
  private readonly sessions = new Map<string, Session>();

  constructor(private readonly config: McpConfig) {}

  async open(runId: string, watch: ServerWatch): Promise<ToolSession | undefined> {
    const found = await this.find();
    const count = found.allowed.length + found.notAllowed.length + found.unusable.length;
    if (count === 0) return undefined;
    for (const { name, why } of found.unusable) this.config.log.warn(`MCP server ${name} is not used: ${why}`);
    const allowed = async (): Promise<readonly ServerDefinition[]> => (await this.find()).allowed;
    const session = new Session({ ...this.config, allowed }, runId, watch);
    this.sessions.set(runId, session);
    for (const { definition, fingerprint } of found.notAllowed)
      this.config.ask(definition.name, describe(definition), fingerprint);
    return session;
  }

  /** All servers there are, with their state in the newest session that uses them. */
  async list(): Promise<(ServerInfo & { fingerprint?: string })[]> {
    const { allowed, notAllowed, unusable } = await this.find();
    const connections = [...this.sessions.values()].reverse().flatMap((session) => session.list());
    return [
      ...allowed.map((definition) => {
        const { name: server, from } = definition;
        const one = connections.find((c) => c.definition.name === server && c.status !== 'off');
        const pid = one?.pid === undefined ? {} : { pid: one.pid };
        const [status, detail, tools] = [one?.status ?? 'off', one?.detail ?? '', one?.tools.length ?? 0] as const;
        return { server, what: describe(definition), from, status, detail, tools, ...pid, ...this.printOf(definition) };
      }),
      ...notAllowed.map(({ definition, fingerprint }) => {
        const { name: server, from } = definition;
        const status = 'notAllowed' as const;
        return { server, what: describe(definition), from, status, detail: '', tools: 0, fingerprint };
      }),
      ...unusable.map(({ name: server, from, why }) => {
        const status = 'failed' as const;
        return { server, what: '', from, status, detail: why, tools: 0 };
      }),
    ];
  }

  private printOf(definition: ServerDefinition): { fingerprint?: string } {
    return definition.from === 'workspace' ? { fingerprint: this.fingerprint(definition) } : {};
  }

  /** Of the definition as it stands there: whatever in it changes, it is asked about anew. */
  private fingerprint(definition: ServerDefinition): string {
    return this.config.hash(JSON.stringify(definition));
  }

  /** A name of the settings hides the same name of the workspace. */
  private async find(): Promise<Found> {
    const { config } = this;
    const variables: Variables = { folder: config.folder };
    const own = definitions(config.servers(), 'settings', { ...variables, env: config.env });
    const text = await config.workspaceFile();
    const theirs = text === undefined ? { servers: [], unusable: [] } : workspaceDefinitions(text, variables);
    const found: Found = { allowed: own.servers, notAllowed: [], unusable: [...own.unusable, ...theirs.unusable] };
    const names = new Set(own.servers.map(({ name }) => name));
    for (const definition of theirs.servers) {
      if (names.has(definition.name)) continue;
      const fingerprint = this.fingerprint(definition);
      if (config.isAllowed(definition.name, fingerprint)) found.allowed.push(definition);
      else found.notAllowed.push({ definition, fingerprint });
    }
    return found;
  }
}

export const createMcpServers = (config: McpConfig): McpServers => new McpServers(config);
