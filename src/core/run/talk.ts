/** One model request: streams text into the state, hands calls over only after a reply that ended well. */
import type { ModelError } from '../errors';
import type { Model, ModelRequest, Ports } from '../ports';
import type { RunEvent } from './events';
import type { RunState } from './state';

/** How long streamed text may wait before it is shown, ms. */
const SHOW_EVERY = 120;
const MAX_TRIES = 6;
const WORTH_A_RETRY: ReadonlySet<ModelError['code']> = new Set(['rateLimited', 'server', 'network', 'cut']);

/** A server that wants to be left alone for longer is not waited for: the run pauses and says so. */
const LONGEST_WAIT = 24 * 3_600_000;
/** However soon a server says: who asks again at once is the next burden. */
const SHORTEST_WAIT = 500;

/** Wait before the next try in ms; undefined: give up. `Retry-After` is honoured, else 1, 2, 4 … 60 s. */
export function retryIn(error: ModelError, attempt: number): number | undefined {
  if (!WORTH_A_RETRY.has(error.code) || attempt >= MAX_TRIES) return undefined;
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined) return Math.min(60_000, 1000 * 2 ** attempt);
  return retryAfterMs > LONGEST_WAIT ? undefined : Math.max(SHORTEST_WAIT, retryAfterMs);
}

export interface Speaker {
  readonly ports: Ports;
  readonly state: RunState;
  dispatch(...events: RunEvent[]): Promise<void>;
}

export async function talk(speaker: Speaker, model: Model, request: ModelRequest, signal: AbortSignal): Promise<void> {
  const { requestId } = request;
  const { clock, probe } = speaker.ports;
  let waiting = '';
  let timer: Promise<void> | undefined;
  let streamed = false;

  const text = (): RunEvent[] => {
    if (waiting === '') return [];
    const event: RunEvent = { type: 'modelText', requestId, text: waiting };
    waiting = '';
    return [event];
  };
  const show = (): void => {
    timer = undefined;
    const events = text();
    if (events.length > 0) void speaker.dispatch(...events);
  };

  const attempt = speaker.state.retry?.attempt ?? 0;
  try {
    for await (const event of model.ask(request, signal)) {
      if (signal.aborted) break;
      if (event.type === 'text') {
        waiting += event.delta;
        timer ??= clock.sleep(SHOW_EVERY, signal).then(show, () => undefined);
        if (!streamed) {
          streamed = true;
          await probe.at('model:streaming', 0);
        }
        continue;
      }
      // A call that streams in after the stop never starts.
      if (signal.aborted) break;
      if (event.type === 'end') {
        const usage = event.usage ? { usage: event.usage } : {};
        await speaker.dispatch(...text(), { type: 'modelReplied', requestId, calls: event.calls, ...usage });
      } else {
        const retryInMs = retryIn(event.error, attempt);
        const more = retryInMs === undefined ? {} : { retryInMs };
        await speaker.dispatch(...text(), { type: 'modelFailed', requestId, error: event.error, ...more });
      }
      return;
    }
  } catch (error) {
    if (!signal.aborted) {
      const message = error instanceof Error ? error.message : String(error);
      await speaker.dispatch(...text(), { type: 'modelFailed', requestId, error: { code: 'other', message } });
      return;
    }
  }
  if (signal.aborted) {
    await speaker.dispatch(...text(), { type: 'modelCut', requestId });
    return;
  }
  const error: ModelError = { code: 'cut', message: 'The reply ended in the middle.' };
  const retryInMs = retryIn(error, attempt);
  await speaker.dispatch(...text(), {
    type: 'modelFailed',
    requestId,
    error,
    ...(retryInMs === undefined ? {} : { retryInMs }),
  });
}
