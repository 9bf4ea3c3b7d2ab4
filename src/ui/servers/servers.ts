/** MCP servers: shown in a list, and asked about where a workspace brings its own. */
import { window, type QuickPickItem } from 'vscode';
import type { CommandHandlers } from '../../vscode/ids';
import type { ServerTrust } from '../../vscode/serverTrust';
import { inform, SHOW_LOG, warn } from '../messages';
import { inMessage } from '../render/words';
import { type ListedServer, serverLine } from './words';

export interface ServerList {
  list(): Promise<readonly ListedServer[]>;
}

/** Asks once per definition and window; only *Allow* starts anything. */
export class ServerQuestions {
  private readonly asked = new Set<string>();

  constructor(private readonly trust: ServerTrust) {}

  ask(name: string, what: string, fingerprint: string): void {
    if (this.asked.has(fingerprint)) return;
    this.asked.add(fingerprint);
    const text = `This workspace (.vscode/mcp.json) wants the agent to use the MCP server "${name}": ${what}. It would run with your rights.`;
    void warn(inMessage(text, 500), { title: 'Allow', run: () => this.trust.allow(name, fingerprint) });
  }
}

type ServerItem = QuickPickItem & { server: ListedServer };

export function serverCommands(
  servers: ServerList,
  trust: ServerTrust,
): Pick<CommandHandlers, 'holdfast.showMcpServers'> {
  return {
    'holdfast.showMcpServers': async () => {
      const listed = await servers.list();
      if (listed.length === 0) {
        void inform('There is no MCP server. Add one to the setting holdfast.mcp.servers, or to .vscode/mcp.json.');
        return;
      }
      const items = listed.map((server): ServerItem => ({ ...serverLine(server), server }));
      const picked = await window.showQuickPick(items, { title: 'MCP Servers', matchOnDescription: true });
      if (picked) await choose(picked.server, trust);
    },
  };
}

async function choose(
  { server, what, detail, from, status, fingerprint }: ListedServer,
  trust: ServerTrust,
): Promise<void> {
  const text = inMessage(`MCP server "${server}": ${what} ${detail}`.trim(), 500);
  if (from === 'settings' || fingerprint === undefined) return inform(text, SHOW_LOG);
  return status === 'notAllowed'
    ? inform(text, { title: 'Allow', run: () => trust.allow(server, fingerprint) })
    : inform(text, { title: 'Do Not Allow', run: () => trust.revoke(server) }, SHOW_LOG);
}
