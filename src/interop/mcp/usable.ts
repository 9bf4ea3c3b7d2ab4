/** Which of a server's tools can be offered: one that spoils the request would spoil the whole run. Pure. */
import type { Tool } from '@modelcontextprotocol/client';

const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,128}$/u;

/** Nested so deeply that it cannot be written, it cannot be sent either. */
function canBeSent(tool: Tool): boolean {
  try {
    JSON.stringify(tool);
    return true;
  } catch {
    return false;
  }
}

/** The first of each name; none without a name, none that exists as a task only (it cannot be called plainly). */
export function usable(tools: readonly Tool[]): Tool[] {
  const names = new Set<string>();
  return tools.filter((tool) => {
    const good =
      NAME.test(tool.name) && !names.has(tool.name) && tool.execution?.taskSupport !== 'required' && canBeSent(tool);
    if (good) names.add(tool.name);
    return good;
  });
}
