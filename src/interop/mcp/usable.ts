/** Which of a server's tools can be offered: one that spoils the request would spoil the whole run. Pure. */
import type { Tool } from '@modelcontextprotocol/client';

const NAME = /^[^\p{Cc}\p{Zl}\p{Zp}]{1,128}$/u;

/** All of them go into each request: no model is served by more, and each costs memory for as long as the run lives. */
const MAX_TOOLS = 512;
/** Letters of JSON of all the tools of a server. */
const MAX_LETTERS = 1_000_000;
const MAX_DESCRIPTION = 2000;

/** Only what is used, as a copy: a piece of a long text would keep the whole of it. undefined: nested too deeply to be sent. */
function trimmed(tool: Tool): { kept: Tool; letters: number } | undefined {
  const { name, title, description, inputSchema, annotations, execution } = tool;
  const said = (description ?? title ?? '').slice(0, MAX_DESCRIPTION);
  try {
    const text = JSON.stringify({ name, description: said, inputSchema, annotations, execution });
    return { kept: JSON.parse(text) as Tool, letters: text.length };
  } catch {
    return undefined;
  }
}

/**
 * The first of each name, up to a number and a size; none without a name, none that exists as a task only (it cannot be called
 * plainly).
 */
export function usable(tools: readonly Tool[]): Tool[] {
  const kept = new Map<string, Tool>();
  let letters = 0;
  for (const tool of tools) {
    if (kept.size === MAX_TOOLS) break;
    if (!NAME.test(tool.name) || kept.has(tool.name) || tool.execution?.taskSupport === 'required') continue;
    const one = trimmed(tool);
    if (!one || letters + one.letters > MAX_LETTERS) continue;
    letters += one.letters;
    kept.set(tool.name, one.kept);
  }
  return [...kept.values()];
}
