import type { ModelError } from '../../core/errors';
import type { CallRequest, ModelEvent, Usage } from '../../core/ports';
import { CallCollector, type CallDelta } from './calls';
import type { WireNames } from './names';

/** Finish reasons of a reply that is whole; those that are not OpenAI's come from servers that pass on their model's own word. */
const WHOLE = new Set([
  'stop',
  'tool_calls',
  'function_call',
  'tool_use',
  'end_turn',
  'stop_sequence',
  'eos',
  'eos_token',
  'complete',
]);
/** More than any model writes in one reply: a stream without an end is cut there, not taken in until memory is full. */
const MAX_CHARS = 8_000_000;
const MAX_CALLS = 1000;
const TOO_LONG = new Set(['length', 'max_tokens', 'model_length']);
const FILTERED = new Set(['content_filter', 'safety', 'sensitive']);

/** Reads the raw chunks of a streamed reply for what decides whether its calls may run. */
export class ReplyReader {
  private readonly collector = new CallCollector();
  private finish: string | undefined;
  private usage: Usage | undefined;
  private chars = 0;

  /** The server has said that, and why, the reply is over. */
  get finished(): boolean {
    return this.finish !== undefined;
  }

  /** Why no more of it is read, in words; undefined: it is within bounds. */
  get excess(): string | undefined {
    if (this.chars > MAX_CHARS)
      return `The reply does not end: it was cut off after ${MAX_CHARS / 1e6} million characters.`;
    return this.collector.size > MAX_CALLS
      ? `The reply holds more than ${MAX_CALLS} tool calls; none was run.`
      : undefined;
  }

  add(chunk: unknown): void {
    const usage = record(record(chunk)?.['usage']);
    if (usage)
      this.usage = { inputTokens: count(usage['prompt_tokens']), outputTokens: count(usage['completion_tokens']) };
    const choices = record(chunk)?.['choices'];
    const choice = record(Array.isArray(choices) ? (choices as unknown[])[0] : undefined);
    const finish = choice?.['finish_reason'];
    if (typeof finish === 'string' && finish.trim() !== '') this.finish = finish.trim().toLowerCase();
    const delta = record(choice?.['delta']);
    this.chars += lengthOf(delta?.['content']);
    const deltas = delta?.['tool_calls'];
    // The library has checked the shape of the chunk by the time it counts: a chunk that fails its check ends the reply as cut.
    if (!Array.isArray(deltas)) return;
    for (const piece of deltas as (CallDelta | null)[]) {
      if (!record(piece)) continue;
      this.chars += lengthOf(record(piece?.function)?.['arguments']);
      this.collector.add(piece as CallDelta);
    }
  }

  /** The last event. Calls are given out only where the server called the reply whole. */
  end(names: WireNames): ModelEvent {
    const calls: CallRequest[] = [];
    for (const call of this.collector.finish()) {
      if (call.name === '') return failed('cut', 'The reply holds a tool call without a name.');
      calls.push({ tool: names.tool(call.name), argsText: call.argsText });
    }
    const finish = this.finish;
    if (finish === undefined) return failed('cut', 'The reply broke off before its end.');
    if (TOO_LONG.has(finish)) return failed('cut', 'The reply was cut off: it hit the length limit of the model.');
    if (FILTERED.has(finish)) return failed('other', 'The reply was withheld by the content filter of the server.');
    if (!WHOLE.has(finish)) {
      return failed(
        'cut',
        `The reply ended for a reason that is not known ("${finish.replace(/[^\w-]/g, '').slice(0, 30)}").`,
      );
    }
    if (finish === 'tool_calls' && calls.length === 0)
      return failed('cut', 'The reply announced tool calls, but none arrived.');
    return this.usage ? { type: 'end', calls, usage: this.usage } : { type: 'end', calls };
  }
}

function failed(code: ModelError['code'], message: string): ModelEvent {
  return { type: 'error', error: { code, message } };
}

function record(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
}

function count(value: unknown): number {
  // What no reply can have used is no count.
  return typeof value === 'number' && value >= 0 && value <= 1e9 ? value : 0;
}

const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length : 0);
