/**
 * The scripted tool server of a scenario (`setup.mcp`): loopback HTTP, the protocol of 2025, no library, so that it can be
 * silent, late and wrong. Only `node:http`, so that it also runs inside an extension host.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { McpTool, Scenario } from './types';

interface Message {
  id?: string | number;
  method?: string;
  params?: { name?: string; requestId?: string | number; protocolVersion?: string };
}

const DEFAULT_NAME = 'scripted';

/** Servers that the calls of a scenario name (`mcp.<server>.<tool>`); one of our own name where there is none. */
export function serverNames({ run }: Pick<Scenario, 'run'>): string[] {
  const text = JSON.stringify([run.model ?? [], run.playbook ?? {}]);
  const names = [...text.matchAll(/"tool":"mcp\.([A-Za-z0-9_-]+)\./g)].map((match) => match[1] ?? '');
  return names.length > 0 ? [...new Set(names)] : [DEFAULT_NAME];
}

export class ScriptedTools {
  /** Names of tools in the order in which they were called. */
  readonly calls: string[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly timers = new Set<NodeJS.Timeout>();
  /** By request: what a cancel does to it. */
  private readonly cancels = new Map<string, () => void>();
  private server: Server | undefined;

  constructor(private readonly tools: Readonly<Record<string, McpTool>>) {}

  /** Answers with the setting `holdfast.mcp.servers` for the given names. */
  async start(names: readonly string[]): Promise<Record<string, { url: string }>> {
    const server = createServer((request, response) => void this.handle(request, response));
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    const { port } = server.address() as AddressInfo;
    return Object.fromEntries(names.map((name) => [name, { url: `http://127.0.0.1:${port}/${name}` }]));
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const timer of this.timers) clearTimeout(timer);
    for (const socket of this.sockets) socket.destroy();
    if (server) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
    const message = JSON.parse(body) as Message;
    if (message.method === 'notifications/cancelled') {
      this.cancels.get(`${request.url} ${message.params?.requestId}`)?.();
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    const { id } = message;
    const send = (rest: object): void => {
      if (response.destroyed) return;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...rest }));
    };
    switch (message.method) {
      case 'initialize': {
        const { protocolVersion } = message.params ?? {};
        return send({
          result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'scripted', version: '1' } },
        });
      }
      case 'ping':
        return send({ result: {} });
      case 'tools/list':
        return send({ result: { tools: this.listed() } });
      case 'tools/call':
        return this.call(`${request.url} ${id}`, message.params?.name ?? '', send);
      default:
        return send({ error: { code: -32601, message: 'not here' } });
    }
  }

  /** The name of a tool, whatever stands before it in the scenario. */
  private readonly plain = (key: string): string => key.replace(/^mcp\.[^.]+\./, '');

  private listed(): object[] {
    return Object.entries(this.tools).map(([key, { effect }]) => ({
      name: this.plain(key),
      description: `Scripted: ${key}.`,
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: effect === 'none' },
    }));
  }

  private call(request: string, name: string, send: (rest: object) => void): void {
    this.calls.push(name);
    const tool = Object.entries(this.tools).find(([key]) => this.plain(key) === name)?.[1];
    if (!tool) return send({ error: { code: -32602, message: `no tool ${name}` } });
    const { replyMs = 0, silent, lateMs, error } = tool;
    const answer = (): void => {
      send({ result: { content: [{ type: 'text', text: error ?? `${name}: done` }], isError: error !== undefined } });
    };
    if (silent) return;
    // `lateMs`: it hears no cancel and answers all the same. Otherwise a cancelled request gets no answer.
    const timer = this.later(lateMs ?? replyMs, answer);
    if (lateMs === undefined) this.cancels.set(request, () => clearTimeout(timer));
  }

  private later(ms: number, work: () => void): NodeJS.Timeout {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, ms);
    this.timers.add(timer);
    return timer;
  }
}
