/** One server of a run: connected when first needed, called, and brought back when it has ended. */
import {
  type CallToolResult,
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client';
import type { ProcessId } from '../../core/ports';
import type { RunningProgram } from '../../core/programs';
import type { CallEnd, CallProgress, ServerProcess, ServerStatus, ServerWatch } from '../../core/tools/toolServers';
import { Children } from './children';
import { resultText } from './content';
import { type ServerDefinition } from './definitions';
import { isUnreached, reasonOf } from './failure';
import { answerText, type Orphan, Orphans } from './orphans';
import { startServer } from './start';
import { usable } from './usable';
import { StdioTransport } from './stdio';
import type { Host } from './host';

const CONNECT_MS = 30_000;
/** A server that does not know the newest revision may never answer the question for it. */
const PROBE_MS = 3000;
const ALIVE_MS = 1000;
/** A server that could not be reached is not tried again for so long by itself. */
const RETRY_MS = 30_000;
/** So much of an answer that nobody waited for is told, characters. */
const MAX_LATE = 2000;
/** Key in `_meta` that ties a request to the step it is for. */
const CALL = 'holdfast/call';

interface Link {
  client: Client;
  program: RunningProgram | undefined;
  /** Requests of calls by the step they are for. */
  requests: Map<string, string | number>;
  inFlight: number;
  /** It went on after a cancel: ended as soon as nothing of ours is in flight. */
  condemned: boolean;
}

export class Connection {
  status: ServerStatus = 'off';
  detail = '';
  tools: readonly Tool[] = [];
  private link: Link | undefined;
  private starting: Promise<void> | undefined;
  private failedAt: number | undefined;
  /** Aborted by `end`: a start under way is given up. */
  private readonly closing = new AbortController();
  private readonly children: Children;
  private readonly orphans = new Orphans((orphan) => this.heardOf(orphan));
  private lastWords = '';
  /** The question for the newest revision was too much for it. */
  private asked2026 = false;

  constructor(
    readonly definition: ServerDefinition,
    private readonly host: Host,
    private readonly marker: string,
    private readonly watch: ServerWatch,
  ) {
    this.children = new Children(
      () => host.stopGraceMs(),
      (program, survivors) => watch.ended(this.process(program), survivors),
    );
  }

  get pid(): number | undefined {
    return this.link?.program?.id.pid;
  }

  /** Settles when it is connected or has failed, or the signal fires: the start then goes on by itself. Never rejects. */
  async ready(signal: AbortSignal): Promise<void> {
    if (this.closing.signal.aborted || signal.aborted || this.link) return;
    if (this.failedAt !== undefined && this.host.clock.now() - this.failedAt < RETRY_MS) return;
    this.starting ??= this.connect().finally(() => {
      this.starting = undefined;
    });
    await Promise.race([this.starting, aborted(signal)]);
  }

  private async connect(): Promise<void> {
    this.status = 'starting';
    // Never two of it: the former is dead first, or named.
    await this.children.letGo();
    if (this.closing.signal.aborted) return;
    this.detail = '';
    this.lastWords = '';
    const { definition, host } = this;
    const client = new Client(
      { name: 'holdfast', version: host.version },
      {
        capabilities: {},
        // The newest revision where the server knows it, else that of 2025.
        versionNegotiation: this.asked2026 ? { mode: 'legacy' } : { mode: 'auto', probe: { timeoutMs: PROBE_MS } },
        // What a server promises of its results is not ours to enforce after the effect.
        jsonSchemaValidator: {
          getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
        },
        inputRequired: { autoFulfill: false },
        listChanged: { tools: { onChanged: (error, tools) => void (error === null && tools && this.take(tools)) } },
      },
    );
    let stdio: StdioTransport | undefined;
    try {
      const transport = this.transport();
      if (transport instanceof StdioTransport) stdio = transport;
      const { signal } = this.closing;
      this.orphans.reconnected();
      await client.connect(transport, { timeout: CONNECT_MS, signal });
      const link: Link = { client, program: stdio?.program, requests: new Map(), inFlight: 0, condemned: false };
      this.tap(transport, link);
      const { tools } = await client.listTools(undefined, { timeout: CONNECT_MS, signal });
      this.take(tools);
      signal.throwIfAborted();
      if (stdio?.over) throw new Error(stdio.why);
      this.link = link;
      this.status = 'ready';
      this.failedAt = undefined;
      host.log.info(
        `MCP server ${definition.name}: connected (${client.getNegotiatedProtocolVersion() ?? '?'}), ${tools.length} tools`,
      );
    } catch (error) {
      // Some of 2025 end when they are asked anything before the handshake: started again, and not asked.
      const again = stdio?.over === true && !this.asked2026 && !this.closing.signal.aborted;
      const why = `${reasonOf(error)}${this.lastWords === '' ? '' : ` It wrote: ${this.lastWords}`}`;
      if (!again) this.fail(why);
      await client.close().catch(() => undefined);
      await this.children.letGo();
      if (!again) return;
      this.asked2026 = true;
      await this.connect();
    }
  }

  private take(tools: readonly Tool[]): void {
    this.tools = usable(tools);
    const left = tools.length - this.tools.length;
    if (left > 0) this.host.log.warn(`MCP server ${this.definition.name}: ${left} of its tools cannot be used`);
  }

  private fail(why: string): void {
    this.status = 'failed';
    this.detail = why;
    this.failedAt = this.host.clock.now();
    this.host.log.warn(`MCP server ${this.definition.name}: ${why}`);
  }

  private transport(): Transport {
    const { how } = this.definition;
    if (how.kind === 'http') {
      return new StreamableHTTPClientTransport(new URL(how.url), { requestInit: { headers: how.headers } });
    }
    return new StdioTransport(async (onOutput) => {
      const program = await startServer(how, this.host, this.marker, onOutput, (chunk) => {
        this.lastWords = (this.lastWords + chunk).slice(-400).trim();
      });
      this.children.add(program);
      // Durable before it is talked to: a host that dies now leaves nothing that nobody knows of.
      await this.watch.started(this.process(program));
      return program;
    });
  }

  private process({ id }: RunningProgram): ServerProcess {
    return { server: this.definition.name, id, marker: this.marker };
  }

  /** Sees every message: which request is whose, and what comes for calls that are over on our side. */
  private tap(transport: Transport, link: Link): void {
    const send = transport.send.bind(transport);
    const inner = transport.onmessage?.bind(transport);
    transport.send = (message, options) => {
      if ('method' in message && 'id' in message && message.method === 'tools/call') {
        const callId = (message.params?.['_meta'] as Record<string, unknown> | undefined)?.[CALL];
        if (typeof callId === 'string') link.requests.set(callId, message.id);
      }
      return send(message, options);
    };
    transport.onmessage = (message, extra) => {
      if (!this.orphans.take(message, this.host.clock.now())) inner?.(message, extra);
    };
    const closed = transport.onclose?.bind(transport);
    transport.onclose = () => {
      closed?.();
      if (this.link === link)
        this.drop(transport instanceof StdioTransport ? transport.why : 'The connection was closed.');
    };
  }

  /** The link is of no use any more: nothing is asked over it, and what serves it ends with all it started. */
  private drop(why: string): void {
    this.link = undefined;
    this.status = 'ended';
    this.detail = why;
    this.host.log.warn(`MCP server ${this.definition.name}: ${why}`);
    void this.children.letGo();
  }

  // ------------------------------------------------------------ calls

  async call(
    callId: string,
    tool: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    onProgress: (progress: CallProgress) => void,
  ): Promise<CallEnd> {
    const { name } = this.definition;
    const { link } = this;
    if (!link) return { kind: 'refused', text: `The MCP server ${name} is not connected. ${this.detail}`.trim() };
    const stop = new AbortController();
    const request = link.client.callTool(
      { name: tool, arguments: args, _meta: { [CALL]: callId } },
      {
        signal: stop.signal,
        timeout: this.definition.timeoutMs,
        resetTimeoutOnProgress: true,
        onprogress: ({ progress, total, message }) =>
          onProgress({
            done: progress,
            ...(total === undefined ? {} : { total }),
            ...(message === undefined ? {} : { message: message.slice(0, 200) }),
          }),
      },
    );
    link.inFlight += 1;
    let end: CallEnd;
    try {
      const answer = await Promise.race([request, aborted(signal).then(() => undefined)]);
      end = answer === undefined ? this.cut() : this.answered(answer);
    } catch (error) {
      // The library calls an abort of ours a time-out: our own signal tells.
      end = signal.aborted ? this.cut() : this.failed(error, link);
    }
    if (end.kind === 'cut' || end.kind === 'lost') {
      const requestId = link.requests.get(callId);
      // Known as an orphan before the cancel goes out, so that nothing that follows is missed.
      if (requestId !== undefined)
        void this.follow(link, this.orphans.add(callId, requestId, this.host.clock.now())).catch(() => undefined);
      stop.abort();
      request.catch(() => undefined);
    }
    link.requests.delete(callId);
    link.inFlight -= 1;
    if (link.condemned) void this.condemn(link);
    return end;
  }

  private cut(): CallEnd {
    const { name } = this.definition;
    return {
      kind: 'cut',
      text: `The call had been sent to the MCP server ${name} when the human stopped the run; a cancel was sent, and no answer was waited for.`,
    };
  }

  private answered(result: CallToolResult): CallEnd {
    return { kind: 'answered', isError: result.isError === true, text: resultText(result) };
  }

  private failed(error: unknown, link: Link): CallEnd {
    const { name } = this.definition;
    if (error instanceof ProtocolError) {
      // Said by the server: it did not take the request (JSON-RPC), or failed at it.
      const refused = [-32_700, -32_600, -32_601, -32_602].includes(error.code);
      const text = `The MCP server ${name} answers: ${error.message}`;
      return refused ? { kind: 'refused', text } : { kind: 'answered', isError: true, text };
    }
    if (error instanceof SdkError && error.code === SdkErrorCode.UnsupportedResultType) {
      const text = `The MCP server ${name} asks for more input in the middle of the call; Holdfast gives none.`;
      return { kind: 'answered', isError: true, text };
    }
    if (error instanceof SdkHttpError && error.status >= 400 && error.status < 500) {
      if (error.status === 404 && this.link === link) this.drop('Its session is over; the next call makes a new one.');
      return { kind: 'refused', text: `The MCP server ${name} refuses the request: ${reasonOf(error)}` };
    }
    if (isUnreached(error))
      return { kind: 'refused', text: `The MCP server ${name} cannot be reached: ${reasonOf(error)}` };
    if (this.link !== link)
      return {
        kind: 'lost',
        text: `The MCP server ${name} ended, or the connection to it broke, before it answered. ${this.detail}`.trim(),
      };
    return { kind: 'lost', text: `No answer of the MCP server ${name}: ${reasonOf(error)}` };
  }

  // ------------------------------------------------------------ after a cancel

  orphanOf(callId: string): Orphan | undefined {
    return this.orphans.ofCall(callId);
  }

  /** After the grace: a child of ours that goes on, or does not even say that it lives, is ended. */
  private async follow(link: Link, orphan: Orphan): Promise<void> {
    await this.host.clock.sleep(this.host.stopGraceMs(), this.closing.signal);
    if (orphan.answer || this.link !== link) return;
    if (!(await this.lives(link)) && !orphan.answer) await this.condemn(link);
  }

  private heardOf(orphan: Orphan): void {
    const { link } = this;
    const { callId, since, answer } = orphan;
    if (answer) {
      if (!this.closing.signal.aborted)
        this.watch.answered(callId, { since, isError: answer.isError, text: answerText(answer).slice(0, MAX_LATE) });
      return;
    }
    if (!link || orphan.heardAt === undefined) return;
    if (orphan.heardAt - orphan.since >= this.host.stopGraceMs()) void this.condemn(link);
  }

  private async lives({ client }: Link): Promise<boolean> {
    try {
      if (client.getProtocolEra() === 'modern') await client.discover({ timeout: ALIVE_MS });
      else await client.ping({ timeout: ALIVE_MS });
      return true;
    } catch (error) {
      // An error that was answered is an answer.
      return error instanceof ProtocolError;
    }
  }

  /** Another's process or machine is not ours to end: that one is only named. */
  private async condemn(link: Link): Promise<void> {
    if (!link.program || this.link !== link) return;
    link.condemned = true;
    if (link.inFlight > 0) return;
    this.drop('It went on after a cancel and was ended; the next call starts it again.');
    await link.client.close().catch(() => undefined);
  }

  /** For good; see `Children.end`. */
  async end(graceMs: number): Promise<ProcessId[]> {
    this.closing.abort();
    const { link } = this;
    this.link = undefined;
    this.status = 'off';
    // The children first: closing the connection may wait for the other end.
    const survivors = await this.children.end(graceMs);
    void link?.client.close().catch(() => undefined);
    // A start that has just come so far is given up, and tells of its child itself.
    await this.starting;
    return survivors;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
