import type { PromptMessage } from '../../core/ports';

type Assistant = Extract<PromptMessage, { role: 'assistant' }>;
type ToolResult = Extract<PromptMessage, { role: 'tool' }>;

/** What the model is told where no result was kept: nothing may be claimed about the effect. */
export const LOST_RESULT =
  'The call was interrupted and its result is unknown. Check the current state before you repeat it.';

/**
 * Makes a prompt one that every server accepts: each call of an assistant message is answered by exactly one tool message
 * directly after it, in the order of the calls. A missing result becomes `LOST_RESULT`; a result that stands too late is moved
 * up; results without a call, and second ones, are dropped; assistant messages that say and call nothing are dropped; arguments
 * that are no object become `{}`; an id used twice gets a suffix. A sound prompt comes back unchanged in meaning.
 */
export function repair(messages: readonly PromptMessage[]): PromptMessage[] {
  const repaired: PromptMessage[] = [];
  const taken = new Set<ToolResult>();
  const usedIds = new Set<string>();

  for (const [position, message] of messages.entries()) {
    if (message.role === 'tool') continue; // placed with its call
    if (message.role !== 'assistant') {
      repaired.push(message);
      continue;
    }
    if (message.text.trim() === '' && message.calls.length === 0) continue;

    const results: ToolResult[] = [];
    const calls = message.calls.map((call) => {
      const callId = freshId(call.callId, usedIds);
      const result = findResult(messages, position, call.callId, taken);
      if (result) taken.add(result);
      results.push({ role: 'tool', callId, tool: call.tool, text: result?.text ?? LOST_RESULT });
      return { ...call, callId, args: isObject(call.args) ? call.args : {} };
    });
    repaired.push({ ...message, calls }, ...results);
  }
  return repaired;
}

/** The first result for the id after the call, but not one that belongs to a later call with the same id. */
function findResult(
  messages: readonly PromptMessage[],
  from: number,
  callId: string,
  taken: ReadonlySet<ToolResult>,
): ToolResult | undefined {
  for (let i = from + 1; i < messages.length; i++) {
    const message = messages[i]!;
    if (message.role === 'assistant' && hasCall(message, callId)) return undefined;
    if (message.role === 'tool' && message.callId === callId && !taken.has(message)) return message;
  }
  return undefined;
}

function hasCall(message: Assistant, callId: string): boolean {
  return message.calls.some((call) => call.callId === callId);
}

function freshId(wanted: string, used: Set<string>): string {
  const base = wanted === '' ? 'call' : wanted;
  let id = base;
  for (let n = 2; used.has(id); n++) id = `${base}_${n}`;
  used.add(id);
  return id;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
