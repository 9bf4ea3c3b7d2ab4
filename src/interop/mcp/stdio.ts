/**
 * The stdio transport on a program of ours. The library's own starts the server in the extension host's process group; ours
 * has to be a tree that can be ended, and that dies with a killed host.
 */
import {
  deserializeMessage,
  ProtocolErrorCode,
  type JSONRPCMessage,
  serializeMessage,
  STDIO_DEFAULT_MAX_BUFFER_SIZE as MAX_LINE,
  type Transport,
} from '@modelcontextprotocol/client';
import type { RunningProgram } from '../../core/programs';

/** How a program is started; the transport hears what it says. */
export type StartProgram = (onOutput: (chunk: Uint8Array) => void) => Promise<RunningProgram>;

const LF = 0x0a;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  program: RunningProgram | undefined;
  /** With `pid` it is how the library knows a stdio transport: a server that is silent at first is then one of 2025, not an outage. */
  readonly stderr = null;
  /** Of the line that has begun. */
  private begun: Uint8Array[] = [];
  private size = 0;
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
    let from = 0;
    for (let to = chunk.indexOf(LF); to >= 0 && !this.over; to = chunk.indexOf(LF, from)) {
      const line = Buffer.concat([...this.begun, chunk.subarray(from, to)]).toString('utf8');
      [this.begun, this.size, from] = [[], 0, to + 1];
      this.readLine(line);
    }
    if (this.over) return;
    this.begun.push(chunk.subarray(from));
    this.size += chunk.length - from;
    if (this.size <= MAX_LINE) return;
    // A message beyond all bounds: nothing after it can be told apart.
    this.begun = [];
    this.end('It sent more than can be read as one message, and was ended; the next call starts it again.');
  }

  private readLine(line: string): void {
    let message: JSONRPCMessage | undefined;
    try {
      message = deserializeMessage(line);
    } catch (error) {
      // A line that is no message (servers print to the wrong stream) is skipped, but no answer is waited for that has come.
      this.onerror?.(error as Error);
      message = answerInPlaceOf(line);
    }
    if (message) this.onmessage?.(message);
  }

  private end(why: string): void {
    if (this.over) return;
    this.over = true;
    this.why = why;
    this.onclose?.();
  }
}

/** An answer whose form is not the protocol's, as `result: null`: whoever asked gets an error instead. undefined: it is none. */
export function answerInPlaceOf(line: string): JSONRPCMessage | undefined {
  let said: unknown;
  try {
    said = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof said !== 'object' || said === null || 'method' in said || !('id' in said)) return undefined;
  const { id } = said;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  const message = `The answer is not of the form that the protocol wants: ${line.slice(0, 200)}`;
  return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InternalError, message } };
}
