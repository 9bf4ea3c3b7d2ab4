import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelError } from '../../core/errors';
import type { Model, ModelEvent, ModelInfo, ModelRequest } from '../../core/ports';
import { cleanKey, type Endpoint } from './endpoint';
import { requestFailure, streamFailure, type FailureContext } from './failure';
import { WireNames } from './names';
import { ReplyReader } from './reply';
import { toCallOptions, type ChatModel } from './request';
import { Waits } from './wait';
import { streamFetch } from './wire';

export interface OpenAiOptions {
  endpoint: Endpoint;
  modelId: string;
  /** Asked before each request. */
  getKey: () => Promise<string | undefined>;
  /** A request ends as `network` when nothing was heard for so long. Default 120 000 ms. */
  idleMs?: number;
  fetch?: typeof fetch;
  /** Wall clock in ms. */
  now?: () => number;
}

const IDLE_MS = 120_000;
/** After the finish reason only the usage is missing; some servers then neither say `[DONE]` nor hang up. */
const AFTER_FINISH_MS = 2_000;

/** Any OpenAI-compatible chat-completions endpoint. One HTTP request per `ask`; nothing is retried here. */
export class OpenAiModel implements Model {
  readonly info: ModelInfo;

  constructor(private readonly options: OpenAiOptions) {
    this.info = { provider: 'openai', label: options.modelId, fixed: false, files: [], outline: [] };
  }

  async *ask(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    if (signal.aborted) return;
    // Our own switch for the request: also thrown when the reply is left for another reason than the caller's signal.
    const hangUp = new AbortController();
    const onAbort = (): void => hangUp.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    const waits = new Waits(signal, this.idleMs);
    const context: FailureContext = { key: undefined, host: this.options.endpoint.host, now: 0 };
    const progress = { streaming: false, whole: false };
    try {
      for await (const event of this.exchange(request, waits, hangUp.signal, context, progress)) {
        if (signal.aborted) return;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      context.now = (this.options.now ?? Date.now)();
      yield {
        type: 'error',
        error: progress.streaming ? streamFailure(error, context) : requestFailure(error, context),
      };
    } finally {
      waits.dispose();
      signal.removeEventListener('abort', onAbort);
      // A whole reply's connection ends by itself and can be used again.
      if (!progress.whole) hangUp.abort();
    }
  }

  /** The request and its reply; ends without an event when a wait was aborted. Throws what the library throws. */
  private async *exchange(
    request: ModelRequest,
    waits: Waits,
    abortSignal: AbortSignal,
    context: FailureContext,
    progress: { streaming: boolean; whole: boolean },
  ): AsyncGenerator<ModelEvent> {
    const found = await this.key(waits);
    if (found === 'aborted') return;
    if ('problem' in found) {
      yield failed('auth', found.problem);
      return;
    }
    const { key } = found;
    context.key = key;
    const names = new WireNames(request.tools.map((tool) => tool.name));
    const chat = this.chat(key, () => waits.heard());
    const started = await waits.on(
      chat.doStream({ ...toCallOptions(request, names), includeRawChunks: true, abortSignal }),
    );
    if ('cut' in started) {
      if (started.cut === 'idle') yield this.silence();
      return;
    }
    progress.streaming = true;
    const reply = new ReplyReader();
    const reader = started.value.stream.getReader();
    for (;;) {
      const next = await waits.on(reader.read());
      if ('cut' in next) {
        if (next.cut === 'aborted') return;
        // Silent after the finish reason: nothing of the reply is missing.
        yield reply.finished ? reply.end(names) : this.silence();
        return;
      }
      if (next.value.done) break;
      const part = next.value.value;
      if (part.type === 'raw') {
        reply.add(part.rawValue);
        if (reply.excess !== undefined) {
          yield failed('other', reply.excess);
          return;
        }
        if (reply.finished) waits.patience(Math.min(AFTER_FINISH_MS, this.idleMs));
      } else if (part.type === 'text-delta' && part.delta !== '') {
        yield { type: 'text', delta: part.delta };
      } else if (part.type === 'error') {
        yield { type: 'error', error: streamFailure(part.error, context) };
        return;
      }
    }
    progress.whole = true;
    yield reply.end(names);
  }

  /** The key for this request, undefined where none is needed; or what is wrong with it. */
  private async key(waits: Waits): Promise<{ key: string | undefined } | { problem: string } | 'aborted'> {
    const unreadable = { problem: 'The stored API key could not be read: set it again with "Holdfast: Set API Key".' };
    // An error of the key store may quote anything, so it is not passed on.
    const stored = await waits.on(this.options.getKey().catch(() => unreadable));
    if ('cut' in stored) return stored.cut === 'aborted' ? 'aborted' : unreadable;
    if (typeof stored.value === 'object') return stored.value;
    const checked = cleanKey(stored.value);
    if ('problem' in checked || checked.key !== undefined || this.options.endpoint.loopback) return checked;
    return { problem: `No API key is stored for ${this.options.endpoint.host}: set it with "Holdfast: Set API Key".` };
  }

  private chat(key: string | undefined, heard: () => void): ChatModel {
    return createOpenAICompatible({
      name: 'openai',
      baseURL: this.options.endpoint.baseUrl,
      ...(key === undefined ? {} : { apiKey: key }),
      includeUsage: true,
      fetch: streamFetch(this.options.fetch ?? globalThis.fetch, heard),
    }).chatModel(this.options.modelId);
  }

  private get idleMs(): number {
    return this.options.idleMs ?? IDLE_MS;
  }

  private silence(): ModelEvent {
    return failed('network', `${this.options.endpoint.host} went silent: no answer for ${this.idleMs / 1000} s.`);
  }
}

function failed(code: ModelError['code'], message: string): ModelEvent {
  return { type: 'error', error: { code, message } };
}
