/** An answer that is no stream of a reply: an error status, a redirect, a page, a JSON body. */
export class NotAStream extends Error {
  constructor(
    readonly status: number,
    readonly headers: Headers,
    /** Its beginning. */
    readonly body: string,
  ) {
    super(`HTTP ${status}`);
    this.name = 'NotAStream';
  }
}

const MAX_ERROR_BYTES = 64 * 1024;
/** How long a finished reply's connection may take to end by itself, so that it can be used again. */
const DRAIN_MS = 1000;

/**
 * A `fetch` for event streams: throws `NotAStream` for everything else, reports each sign of life, ends the body at `[DONE]`
 * even if the server keeps the connection open, and completes a last event that lacks its blank line. Redirects are not
 * followed: the prompt goes to the address the human set, and nowhere else.
 */
export function streamFetch(inner: typeof fetch, heard: () => void): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, { ...init, redirect: 'manual' });
    heard();
    if (!response.ok || !response.body) throw await notAStream(response, heard);
    const reader = response.body.getReader();
    const first = await reader.read();
    // The content type lies often enough; a stream never begins like JSON or a page.
    if (!first.done && /^\s*[{<[]/.test(latin1(first.value.subarray(0, 64)))) {
      const body = await readSome(reader, heard, first.value);
      throw new NotAStream(response.status, response.headers, body);
    }
    return new Response(events(reader, first, heard), { status: 200, headers: response.headers });
  };
}

async function notAStream(response: Response, heard: () => void): Promise<NotAStream> {
  const body = response.body ? await readSome(response.body.getReader(), heard) : '';
  return new NotAStream(response.status, response.headers, body);
}

/** An event without an end is not collected until memory is full. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const NEWLINE = 10;

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type Chunk = Awaited<ReturnType<Reader['read']>>;

async function readSome(reader: Reader, heard: () => void, first?: Uint8Array): Promise<string> {
  const parts: Uint8Array[] = first ? [first] : [];
  let size = first?.length ?? 0;
  try {
    while (size < MAX_ERROR_BYTES) {
      const chunk = await reader.read();
      if (chunk.done) break;
      heard();
      parts.push(chunk.value);
      size += chunk.value.length;
    }
  } catch {
    // Broken off: the status says enough.
  }
  reader.cancel().catch(() => undefined);
  const decoder = new TextDecoder();
  return parts.map((part) => decoder.decode(part, { stream: true })).join('');
}

function events(reader: Reader, first: Chunk, heard: () => void): ReadableStream<Uint8Array> {
  let pending: Chunk | undefined = first;
  let tail = '\n';
  let line = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk: Chunk = pending ?? (await reader.read());
      pending = undefined;
      heard();
      if (chunk.done) {
        controller.enqueue(new Uint8Array([10, 10]));
        controller.close();
        return;
      }
      const end = chunk.value.lastIndexOf(NEWLINE);
      line = end < 0 ? line + chunk.value.length : chunk.value.length - end;
      if (line > MAX_LINE_BYTES) throw new Error('an event of the stream does not end');
      controller.enqueue(chunk.value);
      tail += latin1(chunk.value);
      if (/[\r\n]data: ?\[DONE\]/.test(tail)) {
        controller.enqueue(new Uint8Array([10, 10]));
        controller.close();
        drain(reader);
      }
      tail = tail.slice(-16);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Reads on to the end in the background; gives up quietly. */
function drain(reader: Reader): void {
  const giveUp = setTimeout(() => void reader.cancel().catch(() => undefined), DRAIN_MS);
  const rest = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  rest()
    .catch(() => undefined)
    .finally(() => clearTimeout(giveUp));
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
