/** Helpers of the model tests: a raw HTTP server, and asking a model to the end. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Model, ModelEvent, ModelRequest } from '../../../src/core/ports';
import { parseEndpoint } from '../../../src/models/openai/endpoint';
import { OpenAiModel, type OpenAiOptions } from '../../../src/models/openai/model';

export const KEY = 'sk-test-9f8e7d6c5b4a3210fedcba';

export interface RawServer {
  url: string;
  /** Bodies of the requests. */
  bodies: string[];
  headers: IncomingMessage['headers'][];
  stop(): Promise<void>;
}

export async function rawServer(answer: (response: ServerResponse, body: string) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const bodies: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (body += part));
    request.on('end', () => {
      bodies.push(body);
      headers.push(request.headers);
      answer(response, body);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    bodies,
    headers,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A server that streams the given events, `[DONE]` included where it is wanted, and ends or breaks the connection. */
export function streaming(
  events: readonly (object | string)[],
  end: 'end' | 'destroy' | 'stay' = 'end',
): Promise<RawServer> {
  return rawServer((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events)
      response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
    if (end === 'end') response.end();
    // Left a moment: a socket destroyed at once takes what was written with it.
    if (end === 'destroy') setTimeout(() => response.destroy(), 20);
  });
}

export function delta(content: object, finish: string | null = null): object {
  return {
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: content, finish_reason: finish }],
  };
}

export function openAi(url: string, options: Partial<OpenAiOptions> = {}): OpenAiModel {
  const endpoint = parseEndpoint(url);
  if ('problem' in endpoint) throw new Error(endpoint.problem);
  return new OpenAiModel({ endpoint, modelId: 'm', getKey: () => Promise.resolve(KEY), ...options });
}

export function request(
  messages: ModelRequest['messages'] = [{ role: 'user', text: 'go' }],
  replyIndex = 0,
): ModelRequest {
  return {
    requestId: 'q1',
    messages,
    tools: [
      {
        name: 'read_file',
        description: 'Reads a file.',
        parameters: { json: { type: 'object', properties: { path: { type: 'string' } } } },
      },
    ],
    replyIndex,
  };
}

/** All events, the text put together. */
export async function ask(
  model: Model,
  what: ModelRequest = request(),
  signal: AbortSignal = new AbortController().signal,
): Promise<{ text: string; events: ModelEvent[]; last: ModelEvent | undefined }> {
  const events: ModelEvent[] = [];
  for await (const event of model.ask(what, signal)) events.push(event);
  const text = events.map((event) => (event.type === 'text' ? event.delta : '')).join('');
  return { text, events, last: events.at(-1) };
}

export async function errorOf(
  model: Model,
  what: ModelRequest = request(),
): Promise<{ code: string; message: string; retryAfterMs?: number }> {
  const { last } = await ask(model, what);
  if (last?.type !== 'error') throw new Error(`no error, but ${JSON.stringify(last)}`);
  return last.error;
}
