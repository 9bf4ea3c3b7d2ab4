/** What OpenAI and most compatible servers allow as a function name. */
const ALLOWED = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Names on the wire. Tools of MCP servers are called `mcp.server.tool`, and a dot makes many servers refuse the whole
 * request: such names travel in a form that is allowed, and come back as what they were.
 */
export class WireNames {
  private readonly toWire = new Map<string, string>();
  private readonly fromWire = new Map<string, string>();

  /** Names that are allowed already keep theirs, so they are entered first. */
  constructor(tools: readonly string[]) {
    for (const tool of tools) if (ALLOWED.test(tool)) this.enter(tool, tool);
    for (const tool of tools) this.wire(tool);
  }

  /** Also for names that only the history knows. */
  wire(tool: string): string {
    const known = this.toWire.get(tool);
    if (known !== undefined) return known;
    const base = tool.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 60) || 'tool';
    let name = ALLOWED.test(tool) ? tool : base;
    for (let n = 2; this.fromWire.has(name); n++) name = `${base}_${n}`;
    this.enter(tool, name);
    return name;
  }

  /** A name that was never given out stays: the core answers that there is no such tool. */
  tool(wire: string): string {
    return this.fromWire.get(wire) ?? wire;
  }

  private enter(tool: string, wire: string): void {
    this.toWire.set(tool, wire);
    this.fromWire.set(wire, tool);
  }
}
