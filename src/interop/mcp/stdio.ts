/**
 * The stdio transport on a program of ours. The library's own starts the server in the extension host's process group; ours
 * has to be a tree that can be ended, and that dies with a killed host.
 */
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import type { RunningProgram } from '../../core/programs';

/** How a program is started; the transport hears what it says. */
export type StartProgram = (onOutput: (chunk: Uint8Array) => void) => Promise<RunningProgram>;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  program: RunningProgram | undefined;
  /** With `pid` it is how the library knows a stdio transport: a server that is silent at first is then one of 2025, not an outage. */
  readonly stderr = null;
  private readonly buffer = new ReadBuffer();
  /** Nothing comes any more; `why`: for the human. */
  over = false;
  why = '';

  constructor(private readonly startProgram: StartProgram) {}

  get pid(): number | null {
    return this.program?.id.pid ?? null;
  }

  async start(): Promise<void> {
    const program = await this.startProgram((chunk) => this.read(chunk));
    this.program = program;
    void program.exited.then(({ code, signal }) => this.end(`It ended by itself (${signal ?? `exit code ${code}`}).`));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.program || this.over) throw new Error('The server is not running.');
    await this.program.write(serializeMessage(message));
  }

  /** Only lets go: the program is ended by its owner, who waits for the proof of it. */
  close(): Promise<void> {
    this.end('The connection was closed.');
    return Promise.resolve();
  }

  private read(chunk: Uint8Array): void {
    if (this.over) return;
    try {
      this.buffer.append(Buffer.from(chunk));
    } catch (error) {
      // A message beyond all bounds: nothing after it can be told apart.
      this.onerror?.(error as Error);
      this.end('It sent more than can be read as one message, and was ended; the next call starts it again.');
      return;
    }
    for (;;) {
      try {
        const message = this.buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message (servers print to the wrong stream): skipped.
        this.onerror?.(error as Error);
      }
    }
  }

  private end(why: string): void {
    if (this.over) return;
    this.over = true;
    this.why = why;
    this.onclose?.();
  }
}
