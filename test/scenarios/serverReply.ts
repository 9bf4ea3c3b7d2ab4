/** A scripted reply and the pieces in which it is sent. */

/** As in the scenario format. */
export interface Reply {
  text?: string;
  calls?: { tool: string; args: object }[];
  /** Wait between text and calls; without calls it delays the end of the reply. In ms. */
  textMs?: number;
  /** Waits there until this settles (for tests that step in meanwhile; no part of the scenario format). */
  until?: Promise<void>;
  /** Never ends by itself. */
  hang?: 'beforeText' | 'afterText';
  /** An HTTP error instead, with `Retry-After` in seconds and a body (text as it is, else as JSON). */
  status?: number;
  retryAfterS?: number;
  body?: unknown;
  /** The connection is dropped in the middle. */
  cut?: boolean;
  /** Group 1 of `pattern` in the last request replaces `${as}` in the arguments from this reply on. */
  echo?: { from: string; pattern: string; as: string };
  /** So many times in a row. */
  repeat?: number;
}

export interface WireCall {
  id: string;
  name: string;
  args: string;
}

/** Something to write, to wait for, or the way it ends (`well`: with `[DONE]`). */
export type Piece =
  { data: string } | { waitMs: number } | { until: Promise<void> } | { end: 'well' | 'hang' | 'drop' };

const TEXT_PIECES = 3;

/** The reply as server-sent events, in order. Ends with exactly one `end`. */
export function* chunks(
  reply: Reply,
  calls: readonly WireCall[],
  request: { n: number; text: string },
): Generator<Piece> {
  const chunk = (delta: object, finish: string | null = null): Piece => ({
    data: JSON.stringify({
      id: `chatcmpl-${request.n}`,
      object: 'chat.completion.chunk',
      created: 0,
      model: 'scripted',
      choices: [{ index: 0, delta, finish_reason: finish }],
    }),
  });

  if (reply.hang === 'beforeText') {
    yield { end: 'hang' };
    return;
  }
  const text = reply.text ?? '';
  const pieces = split(text, TEXT_PIECES);
  yield chunk({ role: 'assistant', content: '' });
  if (reply.cut === true && calls.length === 0) {
    for (const piece of pieces.slice(0, Math.max(1, pieces.length - 1))) yield chunk({ content: piece });
    yield { end: 'drop' };
    return;
  }
  for (const piece of pieces) yield chunk({ content: piece });
  if (reply.hang === 'afterText') {
    yield { end: 'hang' };
    return;
  }
  if (reply.textMs !== undefined) yield { waitMs: reply.textMs };
  if (reply.until !== undefined) yield { until: reply.until };
  for (const [index, call] of calls.entries()) {
    const [first = '', second = ''] = split(call.args, 2);
    const start = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
    yield chunk({ tool_calls: [start] });
    yield chunk({ tool_calls: [{ index, function: { arguments: first } }] });
    if (reply.cut === true && index === calls.length - 1) {
      yield { end: 'drop' };
      return;
    }
    yield chunk({ tool_calls: [{ index, function: { arguments: second } }] });
  }
  yield chunk({}, calls.length > 0 ? 'tool_calls' : 'stop');
  const sent = text.length + calls.reduce((sum, call) => sum + call.args.length, 0);
  yield { data: JSON.stringify(usage(request.n, request.text.length, sent)) };
  yield { end: 'well' };
}

function usage(n: number, read: number, written: number): object {
  // About four characters a token: good enough for sums that tests compare.
  const tokens = { prompt_tokens: Math.ceil(read / 4), completion_tokens: Math.ceil(written / 4) };
  return {
    id: `chatcmpl-${n}`,
    object: 'chat.completion.chunk',
    created: 0,
    model: 'scripted',
    choices: [],
    usage: tokens,
  };
}

/** About `count` pieces, never through a surrogate pair. Empty text: no piece. */
function split(text: string, count: number): string[] {
  const letters = Array.from(text);
  const size = Math.max(1, Math.ceil(letters.length / count));
  const pieces: string[] = [];
  for (let i = 0; i < letters.length; i += size) pieces.push(letters.slice(i, i + size).join(''));
  return pieces;
}

/** `${name}` in every string of a value, keys too, replaced where the variable is known. */
export function fill(value: unknown, variables: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([^}]*)\}/g, (whole, name: string) => variables.get(name) ?? whole);
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  // `fromEntries` defines properties, so a key such as `__proto__` stays a key.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [fill(key, variables), fill(item, variables)]));
}

export function errorBody(reply: Reply): unknown {
  return reply.body ?? { error: { message: `scripted error ${reply.status}`, type: 'scripted', code: null } };
}
