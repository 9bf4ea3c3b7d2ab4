/**
 * A model for tests: a loopback HTTP server that speaks the OpenAI chat-completions stream and plays the replies of a
 * scenario in order. Only `node:http`, so that it also runs inside an extension host.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { decodeRequest } from './serverRequest';
import { chunks, errorBody, fill, type Reply } from './serverReply';

export type { Reply } from './serverReply';

export interface SeenRequest {
  /** 1, 2, 3 … in order of arrival. */
  n: number;
  /** Wall clock at which the body was complete, ms since 1970. */
  at: number;
  /** Decoded text of all messages, tool results included, tool definitions and arguments of calls not, joined by newlines. */
  text: string;
  /** The body as it came. */
  body: string;
  authorization: string | undefined;
  /** How it went: `open` until then; `cutOff` when the client went away before the end. */
  fate: 'open' | 'served' | 'cutOff' | 'refused';
}

interface Waiter {
  n: number;
  done(request: SeenRequest): void;
}

/** Serves `replies`; used up: the text "Done." without calls. */
export class ScriptedModel {
  readonly requests: SeenRequest[] = [];
  /** Why requests were refused: calls and results that are not paired one to one, bodies that are no JSON. */
  readonly unpaired: string[] = [];
  private readonly queue: { reply: Reply; state: 'free' | 'claimed' | 'served' }[] = [];
  private readonly variables = new Map<string, string>();
  private readonly listeners = new Set<(request: SeenRequest) => void>();
  private readonly waiters = new Set<Waiter>();
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private calls = 0;

  constructor(replies: readonly Reply[] = []) {
    for (const reply of replies) {
      for (let i = 0; i < (reply.repeat ?? 1); i++) this.queue.push({ reply, state: 'free' });
    }
  }

  get count(): number {
    return this.requests.length;
  }

  /** Answers with the base URL (`http://127.0.0.1:PORT/v1`). */
  async start(): Promise<string> {
    const server = createServer((request, response) => void this.handle(request, response));
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  }

  /** Drops every connection; settles when the port is free. */
  async stop(): Promise<void> {
    const server = this.server;
    this.server = undefined;
    if (!server) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Calls back with each request as soon as its body is there, before it is answered. Answers with the function that ends it. */
  onRequest(listener: (request: SeenRequest) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The nth request (from 1). Rejects when it has not come within `timeoutMs`. */
  waitForRequest(n: number, timeoutMs: number): Promise<SeenRequest> {
    const there = this.requests[n - 1];
    if (there) return Promise.resolve(there);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiters.delete(waiter);
        reject(new Error(`request ${n} did not come within ${timeoutMs} ms (${this.count} came)`));
      }, timeoutMs);
      const waiter: Waiter = {
        n,
        done: (request) => {
          clearTimeout(timer);
          this.waiters.delete(waiter);
          resolve(request);
        },
      };
      this.waiters.add(waiter);
    });
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    try {
      for await (const part of request) parts.push(part as Buffer);
    } catch {
      return; // the client went away while it was still asking: that was no request
    }
    if (request.method !== 'POST' || !request.url?.endsWith('/chat/completions')) {
      answer(response, 404, { error: { message: `nothing at ${request.method} ${request.url}` } });
      return;
    }
    const body = Buffer.concat(parts).toString('utf8');
    const { text, problems } = decodeRequest(body);
    const seen: SeenRequest = {
      n: this.count + 1,
      at: Date.now(),
      text,
      body,
      authorization: request.headers.authorization,
      fate: 'open',
    };
    this.requests.push(seen);
    for (const listener of this.listeners) listener(seen);
    for (const waiter of [...this.waiters]) if (waiter.n === seen.n) waiter.done(seen);

    if (problems.length > 0) {
      this.unpaired.push(...problems.map((problem) => `request ${seen.n}: ${problem}`));
      seen.fate = 'refused';
      answer(response, 400, { error: { message: problems.join('; '), type: 'invalid_request_error' } });
      return;
    }
    await this.serve(seen, response);
  }

  /** Plays the next reply. A reply that the client cut off is free again for the request after. */
  private async serve(seen: SeenRequest, response: ServerResponse): Promise<void> {
    const entry = this.queue.find((item) => item.state === 'free');
    const reply: Reply = entry?.reply ?? { text: 'Done.' };
    if (entry) entry.state = 'claimed';
    const gone = new Promise<'gone'>((resolve) => response.once('close', () => resolve('gone')));
    const settle = (served: boolean): void => {
      seen.fate = served ? 'served' : 'cutOff';
      if (entry) entry.state = served ? 'served' : 'free';
    };
    // One listener for both ends: `finish` comes only when all of it was handed over.
    response.once('finish', () => settle(true));
    response.once('close', () => {
      if (seen.fate === 'open') settle(reply.cut === true && response.headersSent);
    });

    if (reply.echo) {
      const found = new RegExp(reply.echo.pattern).exec(seen.text)?.[1];
      if (found !== undefined) this.variables.set(reply.echo.as, found);
    }
    if (reply.status !== undefined) {
      if (reply.retryAfterS !== undefined) response.setHeader('retry-after', String(reply.retryAfterS));
      answer(response, reply.status, errorBody(reply));
      return;
    }

    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    const calls = (reply.calls ?? []).map((call) => ({
      id: `call_${++this.calls}`,
      name: call.tool,
      args: JSON.stringify(fill(call.args, this.variables)),
    }));
    for (const chunk of chunks(reply, calls, seen)) {
      if (response.destroyed) return;
      if ('waitMs' in chunk) {
        let timer: NodeJS.Timeout | undefined;
        const waited = new Promise<'waited'>((resolve) => (timer = setTimeout(() => resolve('waited'), chunk.waitMs)));
        if ((await Promise.race([waited, gone])) === 'gone') {
          clearTimeout(timer);
          return;
        }
      } else if ('until' in chunk) {
        if ((await Promise.race([chunk.until, gone])) === 'gone') return;
      } else if ('end' in chunk) {
        if (chunk.end === 'hang') await gone;
        else if (chunk.end === 'drop') response.destroy();
        // In one piece with the end, so that a client that acts on `[DONE]` finds the reply served.
        else response.end('data: [DONE]\n\n');
        return;
      } else {
        response.write(`data: ${chunk.data}\n\n`);
        // Separate writes reach the client as separate pieces only when the loop turns in between.
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    }
  }
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
