/** Names of tools of servers: `mcp.<server>.<tool>`. Pure. */
export const isServerTool = (tool: string): boolean => tool.startsWith('mcp.');

/** The name of a server holds no dot, that of a tool may. */
export function splitName(name: string): { server: string; tool: string } | undefined {
  const [, server, tool] = /^mcp\.([^.]+)\.(.+)$/s.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}
