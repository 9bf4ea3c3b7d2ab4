import type { ModelError, ModelErrorCode } from '../../core/errors';
import { redact } from './redact';
import { retryAfterMs } from './retryAfter';
import { NotAStream } from './wire';

export interface FailureContext {
  key: string | undefined;
  host: string;
  /** Wall clock in ms, for `Retry-After` dates. */
  now: number;
}

const SET_KEY = 'set it with "Holdfast: Set API Key"';

/** What a request that got no stream became. Never called for an abort: that is no failure. */
export function requestFailure(error: unknown, context: FailureContext): ModelError {
  const answer = find(error, (cause) => cause instanceof NotAStream);
  if (answer instanceof NotAStream) return refusal(answer, context);
  return { code: 'network', message: `${context.host} could not be reached${reason(error, context.key)}.` };
}

/** What a stream that broke, or reported an error, became. */
export function streamFailure(error: unknown, context: FailureContext): ModelError {
  const words = error instanceof Error ? reason(error, undefined) : serverWords(error);
  const said = redact(words.replace(/^ \((.*)\)$/, '$1'), context.key).replace(/\.$/, '');
  return { code: 'cut', message: `The reply broke off before its end${said === '' ? '' : `: ${said}`}.` };
}

function refusal(answer: NotAStream, context: FailureContext): ModelError {
  const body = parsed(answer.body);
  const status = statusIn(answer.status, body);
  const words = redact(body === undefined ? plain(answer.body) : serverWords(body), context.key).replace(/\.$/, '');
  const code = codeFor(status);
  const tail = words === '' ? '' : `: ${words}`;
  const wait = retryAfterMs(answer.headers, context.now);
  const message = sentence(code, status, context.host, tail, /^\s*</.test(answer.body));
  return wait === undefined || (code !== 'rateLimited' && code !== 'server')
    ? { code, message }
    : { code, message, retryAfterMs: wait };
}

function codeFor(status: number): ModelErrorCode {
  if (status === 401 || status === 403) return 'auth';
  if (status === 429) return 'rateLimited';
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'server';
  return 'badRequest';
}

function sentence(code: ModelErrorCode, status: number, host: string, tail: string, page: boolean): string {
  if (code === 'auth') return `${host} did not accept the API key (${status})${tail}; ${SET_KEY}.`;
  if (code === 'rateLimited') return `${host} asks to wait (429)${tail}.`;
  if (code === 'server') return `${host} has a problem (${status})${tail}.`;
  if (status === 0 || (status >= 300 && status < 400)) {
    return `${host} redirects to another address: set holdfast.openai.baseUrl to the address it should be.`;
  }
  if (page) return `${host} answered with a web page (${status}): check holdfast.openai.baseUrl.`;
  if (status < 300) return `${host} did not answer with a stream${tail}.`;
  const hint = status === 404 ? '; check holdfast.openai.baseUrl and holdfast.openai.modelId' : '';
  return `${host} refused the request (${status})${tail}${hint}.`;
}

/** Some gateways answer 200 and put the status of the failure into the body. */
function statusIn(status: number, body: unknown): number {
  const code = status < 300 ? Number(field(field(body, 'error'), 'code')) : NaN;
  return code >= 400 && code < 600 ? code : status;
}

function serverWords(body: unknown): string {
  const error = field(body, 'error');
  const candidates = [field(error, 'message'), error, field(body, 'message'), field(body, 'detail'), body];
  const words = candidates.find((candidate) => typeof candidate === 'string' && candidate.trim() !== '');
  return typeof words === 'string' ? words : '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function plain(text: string): string {
  return /^\s*</.test(text) ? '' : text;
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

/** ` (ECONNREFUSED)`: the system's own word where there is one. Messages of the library may quote anything, so they are not used. */
function reason(error: unknown, key: string | undefined): string {
  const coded = find(error, (cause) => typeof field(cause, 'code') === 'string');
  const found = field(coded, 'code');
  const code = redact(typeof found === 'string' ? found : '', key);
  return /^[A-Z][A-Z0-9_]+$/.test(code) ? ` (${code})` : '';
}

function find(error: unknown, fits: (cause: unknown) => boolean): unknown {
  const open: unknown[] = [error];
  // An AggregateError (several addresses of one host) holds its causes in a list. The bound ends cycles.
  for (let i = 0; i < open.length && i < 20; i++) {
    const cause = open[i];
    if (cause === undefined || cause === null) continue;
    if (fits(cause)) return cause;
    open.push(field(cause, 'cause'));
    const several = field(cause, 'errors');
    if (Array.isArray(several)) open.push(...(several as unknown[]));
  }
  return undefined;
}
