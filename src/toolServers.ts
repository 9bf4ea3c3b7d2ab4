/** A part of the composition root: MCP servers. Their bundle is loaded when a server is configured and a run starts. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Clock, Log, Settings } from './core/ports';
import type { ServerInfo, ToolServers } from './core/tools/toolServers';
import type * as McpBundle from './interop/mcp';
import { sha256 } from './node/hash';
import { NodePrograms } from './node/processes/piped';

/** Settings, and what the human said of the workspace's own definitions. */
export interface ServerSource {
  /** `holdfast.mcp.servers` and `holdfast.mcp.tools`, of the human's own settings only. */
  servers(): unknown;
  tools(): unknown;
  isAllowed(name: string, fingerprint: string): boolean;
  ask(name: string, what: string, fingerprint: string): void;
  /** false: what the workspace says is not even read. */
  isTrusted(): boolean;
}

interface Host {
  roots: { dir: string }[];
  clock: Clock;
  log: Log;
  settings: Settings;
}

/** A server as it is shown; `fingerprint`: of a definition of the workspace, which the human allows or not. */
export type ListedServer = ServerInfo & { fingerprint?: string };

export interface ListedServers extends ToolServers {
  list(): Promise<ListedServer[]>;
}

const loadBundle = (): typeof McpBundle => createRequire(__filename)('./mcp.js') as typeof McpBundle;

const isEmpty = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || Object.keys(value).length === 0;

/** `bundle`: for hosts that are one file themselves. */
export function toolServers(
  { roots, clock, log, settings }: Host,
  source: ServerSource,
  bundle: () => Pick<typeof McpBundle, 'createMcpServers'> = loadBundle,
): ListedServers {
  const folder = roots[0]?.dir ?? '';
  const workspaceFile = (): Promise<string | undefined> =>
    source.isTrusted() && folder !== ''
      ? readFile(path.join(folder, '.vscode', 'mcp.json'), 'utf8').catch(() => undefined)
      : Promise.resolve(undefined);
  let made: McpBundle.McpServers | undefined;
  const servers = async (): Promise<McpBundle.McpServers | undefined> => {
    if (!made && isEmpty(source.servers()) && (await workspaceFile()) === undefined) return undefined;
    return (made ??= bundle().createMcpServers({
      ...{ clock, log, folder, workspaceFile, env: process.env, version: '0.1.0' },
      programs: new NodePrograms(),
      stopGraceMs: () => settings.stopGraceMs(),
      overrides: () => source.tools(),
      hash: (text) => sha256(Buffer.from(text)),
      servers: () => source.servers(),
      isAllowed: (name, fingerprint) => source.isAllowed(name, fingerprint),
      ask: (name, what, fingerprint) => source.ask(name, what, fingerprint),
    }));
  };
  return {
    open: async (runId, watch) => (await servers())?.open(runId, watch),
    list: async () => (await servers())?.list() ?? [],
  };
}
