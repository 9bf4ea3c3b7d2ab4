/** A tool's result as text for the model: data, never instructions. Pure. */

const MAX_CHARS = 100_000;

interface Block {
  type: string;
  text?: unknown;
  data?: unknown;
  mimeType?: unknown;
  uri?: unknown;
  name?: unknown;
  resource?: { uri?: unknown; text?: unknown; blob?: unknown; mimeType?: unknown } | undefined;
}

const word = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback);
/** Bytes of base64 text. */
const size = (value: unknown): number => Math.floor((word(value, '').length * 3) / 4);

function blockText(block: Block): string {
  switch (block.type) {
    case 'text':
      return word(block.text, '');
    case 'image':
    case 'audio':
      return `[${block.type}, ${word(block.mimeType, 'unknown type')}, ${size(block.data)} bytes: not shown]`;
    case 'resource': {
      const { uri, text, blob } = block.resource ?? {};
      const head = `[resource ${word(uri, '')}]`;
      return typeof text === 'string' ? `${head}\n${text}` : `${head} (${size(blob)} bytes, binary: not shown)`;
    }
    case 'resource_link':
      return `[link to ${word(block.name, 'a resource')}: ${word(block.uri, '')}]`;
    default:
      return `[${block.type}: not shown]`;
  }
}

/** All blocks as text, cut in the middle beyond 100,000 characters; the structured content where there is no block. */
export function resultText(result: { content?: readonly unknown[]; structuredContent?: unknown }): string {
  const blocks = (result.content ?? []).filter((one): one is Block => typeof (one as Block | null)?.type === 'string');
  const text = blocks.map(blockText).join('\n');
  if (text === '' && result.structuredContent !== undefined)
    return cut(JSON.stringify(result.structuredContent, null, 2));
  return text === '' ? '(no output)' : cut(text);
}

function cut(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  const half = MAX_CHARS / 2;
  return `${text.slice(0, half)}\n[… ${text.length - MAX_CHARS} characters left out …]\n${text.slice(-half)}`;
}
