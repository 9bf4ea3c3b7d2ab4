/** A server in one line. Pure. */
import type { ServerInfo, ServerStatus } from '../../core/tools/toolServers';

/** `fingerprint`: of a definition of the workspace. */
export type ListedServer = ServerInfo & { fingerprint?: string };

const STATUS: Record<ServerStatus, string> = {
  off: 'not started',
  starting: 'starting',
  ready: 'connected',
  failed: 'failed',
  ended: 'ended',
  notAllowed: 'not allowed yet',
};

export function serverLine(server: ListedServer): { label: string; description: string; detail: string } {
  const tools = server.status === 'ready' ? `, ${server.tools} tool${server.tools === 1 ? '' : 's'}` : '';
  const pid = server.pid === undefined ? '' : `, process ${server.pid}`;
  const from = server.from === 'workspace' ? 'from .vscode/mcp.json' : 'from your settings';
  return {
    label: server.server,
    description: `${STATUS[server.status]}${tools}${pid}`,
    detail: [server.what, from, server.detail].filter((part) => part !== '').join(' · '),
  };
}
