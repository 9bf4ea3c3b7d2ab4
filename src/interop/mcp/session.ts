/** The servers of one run. */
import { filled } from '../../core/filled';
import { contractFor, overrideOf, type VerifyRule } from './contract';
import type { ProcessId } from '../../core/ports';
import { inWords } from '../../core/tools/kinds';
import { splitName } from '../../core/toolNames';
import type {
  CallEnd,
  CallProgress,
  ServerTool,
  ServerWatch,
  ToolSession,
  Verdict,
} from '../../core/tools/toolServers';
import { Connection } from './connection';
import { answerText } from './orphans';
import type { ServerDefinition } from './definitions';
import type { Host } from './host';

const READ_MS = 60_000;
/** A model request waits so long for servers that start; one that is slower joins a later request. A call waits longer. */
const JOIN_MS = 10_000;
const CALL_MS = 60_000;

export interface SessionHost extends Host {
  /** Servers that may be used now. Read anew before each request: one that was allowed meanwhile joins. */
  allowed(): Promise<readonly ServerDefinition[]>;
  /** `holdfast.mcp.tools` */
  overrides(): unknown;
  hash(text: string): string;
}

export class Session implements ToolSession {
  private readonly connections = new Map<string, Connection>();
  private ended = false;

  constructor(
    private readonly host: SessionHost,
    private readonly runId: string,
    private readonly watch: ServerWatch,
  ) {}

  async ready(signal: AbortSignal, server?: string): Promise<void> {
    for (const definition of await this.host.allowed()) this.known(definition);
    const wanted = [...this.connections.values()].filter(
      ({ definition }) => (server ?? definition.name) === definition.name,
    );
    const limit = AbortSignal.any([signal, AbortSignal.timeout(server === undefined ? JOIN_MS : CALL_MS)]);
    await Promise.all(wanted.map((connection) => connection.ready(limit)));
  }

  /** The definition a server was first used with stays for the run. */
  private known(definition: ServerDefinition): void {
    const { name } = definition;
    if (this.ended || this.connections.has(name)) return;
    this.connections.set(name, new Connection(definition, this.host, `${this.runId}/mcp/${name}`, this.watch));
  }

  list(): readonly Connection[] {
    return [...this.connections.values()];
  }

  tools(): readonly ServerTool[] {
    const all = this.list().flatMap((connection) => {
      if (connection.status !== 'ready') return [];
      const { name: server, from } = connection.definition;
      return connection.tools.map((tool): ServerTool => {
        const override = overrideOf(this.host.overrides(), server, tool.name);
        const contract = contractFor(tool.annotations ?? {}, from === 'settings', override);
        const said = tool.description ?? '';
        return {
          name: `mcp.${server}.${tool.name}`,
          server,
          description: `${said}\n[MCP server ${server}] ${inWords(contract)}`.trim(),
          parameters: tool.inputSchema,
          contract,
          harmless: override.effect === 'none',
          fingerprint: this.host.hash(JSON.stringify([tool.name, tool.description, tool.inputSchema])).slice(0, 16),
        };
      });
    });
    return all.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  }

  whyNot(tool: string): string {
    const parts = splitName(tool);
    if (!parts) return `"${tool}" is no name of a tool: use mcp.<server>.<tool>.`;
    const connection = this.connections.get(parts.server);
    if (!connection)
      return `There is no MCP server "${parts.server}" in holdfast.mcp.servers or allowed from .vscode/mcp.json.`;
    if (connection.status !== 'ready')
      return `The MCP server "${parts.server}" is not connected: ${connection.detail || connection.status}`;
    return `The MCP server "${parts.server}" has no tool "${parts.tool}".`;
  }

  call(
    callId: string,
    tool: ServerTool,
    args: Record<string, unknown>,
    signal: AbortSignal,
    onProgress: (progress: CallProgress) => void,
  ): Promise<CallEnd> {
    const parts = splitName(tool.name);
    const connection = parts && this.connections.get(parts.server);
    if (!connection) return Promise.resolve({ kind: 'refused', text: this.whyNot(tool.name) });
    return connection.call(callId, parts.tool, args, signal, onProgress);
  }

  async verify(callId: string, tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<Verdict> {
    const parts = splitName(tool);
    if (!parts) return unknown('It is no call of an MCP server.');
    await this.ready(signal, parts.server);
    const orphan = this.connections.get(parts.server)?.orphanOf(callId);
    const rule = overrideOf(this.host.overrides(), parts.server, parts.tool).verify;
    if (rule && !orphan?.answer) {
      // What was cancelled is given its grace: what stands there now may not be all.
      const wait = orphan ? orphan.since + this.host.stopGraceMs() - this.host.clock.now() : 0;
      if (wait > 0) await this.host.clock.sleep(wait, signal).catch(() => undefined);
    }
    if (signal.aborted) return unknown('The check was stopped.');
    const answered = (): Verdict | undefined =>
      orphan?.answer && !orphan.answer.isError
        ? {
            verdict: 'happened',
            proof: `The server answered after the stop: ${answerText(orphan.answer).slice(0, 300)}`,
          }
        : undefined;
    const said = answered();
    if (said) return said;
    if (!rule)
      return unknown('No read tool is configured for it in holdfast.mcp.tools. Look at the other system, then say.');
    const goesOn =
      orphan?.heardAt !== undefined && !orphan.answer && this.connections.get(parts.server)?.pid !== undefined;
    const read = await this.read(rule, parts.server, args, signal, goesOn);
    // It may have answered meanwhile.
    return answered() ?? read;
  }

  private async read(
    rule: VerifyRule,
    server: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    goesOn: boolean,
  ): Promise<Verdict> {
    const [other, name] = rule.tool.includes('/') ? (rule.tool.split('/', 2) as [string, string]) : [server, rule.tool];
    const full = `mcp.${other}.${name}`;
    await this.ready(signal, other);
    const tool = this.tools().find((one) => one.name === full);
    if (!tool) return unknown(this.whyNot(full));
    if (tool.contract.effect !== 'none')
      return unknown(`${full} is not free of effects, so it was not called; say so in holdfast.mcp.tools if it is.`);
    const limit = AbortSignal.any([signal, AbortSignal.timeout(READ_MS)]);
    const given = filled(rule.with, args) as Record<string, unknown>;
    const end = await this.call(`check:${full}`, tool, given, limit, () => undefined);
    if (end.kind !== 'answered' || end.isError) return unknown(`${full} could not tell: ${end.text.slice(0, 300)}`);
    const has = (text: string | undefined): boolean =>
      text !== undefined && end.text.includes(String(filled(text, args)));
    const shown = `${full} shows: ${end.text.slice(0, 300)}`;
    if (has(rule.committed)) return { verdict: 'happened', proof: shown };
    if (has(rule.notCommitted)) return { verdict: 'didNotHappen', proof: shown };
    if (rule.notCommitted !== undefined || goesOn) return unknown(`Not to be told yet. ${shown}`);
    return { verdict: 'didNotHappen', proof: shown };
  }

  async end(graceMs: number): Promise<ProcessId[]> {
    this.ended = true;
    const survivors = await Promise.all(this.list().map((connection) => connection.end(graceMs)));
    return survivors.flat();
  }
}

const unknown = (proof: string): Verdict => ({ verdict: 'unknown', proof });
