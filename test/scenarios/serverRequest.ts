/** What a request says, and whether its calls and results are paired: real servers refuse a request where they are not. */

interface WireMessage {
  role?: unknown;
  content?: unknown;
  tool_calls?: unknown;
  tool_call_id?: unknown;
}

export interface DecodedRequest {
  /** Contents of all messages, tool results included, joined by newlines. Arguments of calls are no text of a message. */
  text: string;
  /** One sentence each; empty: the request is sound. */
  problems: string[];
}

export function decodeRequest(body: string): DecodedRequest {
  let parsed: { messages?: unknown };
  try {
    parsed = JSON.parse(body) as { messages?: unknown };
  } catch {
    return { text: '', problems: ['the body is no JSON'] };
  }
  if (typeof parsed !== 'object' || parsed === null || !Array.isArray(parsed.messages)) {
    return { text: '', problems: ['the body has no list of messages'] };
  }
  const messages = parsed.messages as WireMessage[];
  return { text: messages.flatMap(textsOf).join('\n'), problems: unpaired(messages) };
}

function textsOf(message: WireMessage): string[] {
  const texts: string[] = [];
  if (typeof message.content === 'string') texts.push(message.content);
  else if (Array.isArray(message.content)) {
    for (const part of message.content as { text?: unknown }[])
      if (typeof part.text === 'string') texts.push(part.text);
  }
  return texts;
}

function callsOf(message: WireMessage): { id?: unknown; function?: { name?: unknown; arguments?: unknown } }[] {
  return Array.isArray(message.tool_calls) ? (message.tool_calls as ReturnType<typeof callsOf>) : [];
}

/** Each call has exactly one result, in the tool messages directly after it; each result has a call there. */
function unpaired(messages: readonly WireMessage[]): string[] {
  const problems: string[] = [];
  let open = new Set<unknown>();
  let answered = new Set<unknown>();
  const used = new Set<unknown>();
  const close = (): void => {
    for (const id of open) problems.push(`call ${String(id)} has no result`);
    open = new Set();
    answered = new Set();
  };
  for (const message of messages) {
    if (message.role === 'tool') {
      const id = message.tool_call_id;
      if (open.delete(id)) answered.add(id);
      else if (answered.has(id)) problems.push(`call ${String(id)} has more than one result`);
      else problems.push(`result ${String(id)} has no call directly before it`);
      continue;
    }
    close();
    for (const call of callsOf(message)) {
      if (typeof call.id !== 'string' || call.id === '') problems.push('a call has no id');
      else if (used.has(call.id)) problems.push(`two calls have the id ${call.id}`);
      else open.add(call.id);
      used.add(call.id);
      if (!isObjectJson(call.function?.arguments))
        problems.push(`call ${String(call.id)}: its arguments are no JSON object`);
    }
  }
  close();
  return problems;
}

function isObjectJson(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
